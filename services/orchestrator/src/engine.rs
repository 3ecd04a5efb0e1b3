//! The investigation of one session: its chain, stage by stage, from wherever an earlier owner
//! stopped; and the answer to a question about it.
//!
//! The engine writes through the journal and reaches models and tools through traits. It does not
//! know how a session is claimed or how its lease is kept.

mod action;
mod activity;
mod admission;
mod agent;
mod alert_hosts;
mod attached_alerts;
mod budget;
mod calls;
mod chain;
mod changes;
mod chat;
mod claims;
mod compaction;
mod context;
mod continued;
mod conversation;
mod daily_budget;
mod daily_limits;
mod delegation;
mod dependencies;
mod injected;
mod line;
mod llm_record;
mod look;
mod memory;
mod next;
mod offered;
mod outcome;
mod own_tool;
mod progress;
mod prompt_overrides;
mod provider_switch;
mod react;
mod recall;
mod recovery;
mod resume;
mod rollback;
mod runbook;
mod session_call;
mod skills;
mod stage;
mod summary;
mod synthesis;
mod task;
mod team;
mod timeline;
mod tool_name;
mod tool_summary;
mod tools;
mod turn;
mod typed_call;
mod verdict;

pub(crate) use crate::engine::chain::{end_cancelled, end_exhausted, investigate};
pub(crate) use crate::engine::chat::answer;
pub(crate) use crate::engine::claims::Checker;
pub(crate) use crate::engine::context::{Context, Limits, Services};
pub(crate) use crate::engine::daily_limits::DailyBudget;
pub(crate) use crate::engine::line::wait_in_line;
pub(crate) use crate::engine::llm_record::{AttemptError, CallRecord};
pub(crate) use crate::engine::progress::publish_to_list;
pub(crate) use crate::engine::recovery::abandon_open_calls;
pub(crate) use crate::engine::timeline::Scope;
pub(crate) use crate::engine::typed_call::{MAX_TOKENS, typed_call};
pub(crate) use crate::engine::verdict::{
    Fields, object_in as json_object, repair, text as text_of,
};
