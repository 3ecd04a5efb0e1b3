//! All SQL of the product: PostgreSQL is the system of record, and only this crate connects to it.
//!
//! The crate holds statements, not decisions: it does not know what a chain, an agent or a subject
//! is. Every write of a session's owner names the owner's [`Fence`]; a fence that is no longer
//! current writes nothing and answers [`Error::Fenced`]. A change and the events that report it
//! are one transaction; what a function returns as `Committed` is committed and may be published.
//!
//! Queries are `&'static str` checked by the tests against a real server, one test a function.
//!
//! ```no_run
//! # async fn claim() -> Result<(), tarsy_store::Error> {
//! use std::time::Duration;
//! let store = tarsy_store::Store::connect("postgres://localhost/tarsy", 8).await?;
//! store.schema_check().await?;
//! if let Some(claim) = store.claim_session("worker-1", Duration::from_secs(30), 5).await? {
//!     store.renew_lease(claim.fence, Duration::from_secs(30)).await?;
//! }
//! # Ok(())
//! # }
//! ```

#[macro_use]
mod error;
#[macro_use]
mod sessions;
mod accepted_tools;
mod actions;
mod active;
mod alert_fields;
mod aliases;
mod api_tokens;
mod approvals;
mod audit;
mod backup;
mod batch;
mod cancel;
mod cells;
mod changes;
mod chat;
mod claims;
mod commands;
mod daily_usage;
mod dead_letters;
mod deletion;
mod dependencies;
mod detail;
mod encode;
mod events;
mod failures;
mod fence;
mod finalize;
mod idempotency;
mod intake;
mod llm_queue;
mod memories;
mod migrations;
mod new_sessions;
mod notifications;
mod numbers;
mod oauth;
mod overview;
mod planner;
mod pool;
mod postmortem;
mod prevention;
mod prose;
mod queue;
mod quotas;
mod recordings;
mod redaction;
mod replays;
mod resume;
mod retention;
mod reviews;
mod roles;
mod schedules;
mod scores;
mod search;
pub mod secret;
mod seen_before;
mod servers;
mod session_list;
mod sign_ins;
mod store;
mod summaries;
mod suspended;
mod system_state;
mod timeline;
mod tool_sets;
mod trace;
mod triage;
mod usage;
mod verdicts;
mod weekly;

pub use accepted_tools::AcceptedTools;
pub use actions::{ActionResult, OfferedRollback, OpenAction, RollbackOutcome, RollbackTurn};
pub use api_tokens::{ApiToken, NewApiToken};
pub use approvals::{Approval, DecideOutcome, Decider, OpenApproval};
pub use audit::{ActionValues, AuditEntry, AuditQuery, DecidedCall, NewAuditEntry};
pub use backup::{
    AppliedMigration, IdentityValue, Restore, RestoreError, RestoreTarget, Snapshot, TableColumns,
    TableWriter,
};
pub use batch::action::{ActionEnd, ActionStep, NewAction};
pub use batch::approval::Approver;
pub use batch::op::{
    CallEnd, Conclusion, ConclusionRequest, DeliveredResult, Dispatched, EndExecution, EndStage,
    Gathering, NewApproval, NewCall, NewExecution, NewLlmInteraction, NewMessage, NewStage,
    NewSummary, NewToolList, Op, ProviderSwitch, ReassignCall, RunbookContent,
};
pub use batch::{Batch, CommittedCalls};
pub use cancel::CancelOutcome;
pub use changes::{ChangeQuery, ChangesNear, NewChange};
pub use chat::claim::ChatClaim;
pub use chat::end::ChatEnd;
pub use chat::question::{ChatAgent, NewQuestion, QuestionOutcome};
pub use claims::check::{NewClaim, NewClaimCheck};
pub use claims::evidence::{CallResult, StoredEvidence};
pub use commands::{CommandOutcome, CommandThread, KeptCommand, NewCommand};
pub use daily_usage::DailyUsage;
pub use dead_letters::{DeadLetter, NewDeadLetter};
pub use deletion::{DeleteOutcome, DeletedSession};
pub use dependencies::{DependencyQuery, NewDependency, Unreported};
pub use error::{Conflict, Error};
pub use fence::Fence;
pub use finalize::SessionEnd;
pub use intake::attached::AttachedAlerts;
pub use intake::list::{IntakeQuery, ReceivedAlert};
pub use intake::{
    HeldAlert, IntakeOutcome, NewAlert, NewAlerts, ReceivedAlerts, RefusalReason, RefusedRequests,
};
pub use memories::{
    MAX_DIMENSIONS, MAX_MEMORY, Meaning, MemoryCursor, MemoryEdit, MemoryQuery, Unembedded,
    Unfit as UnfitMemory, fit as fit_memory,
};
pub use migrations::schema_digest;
pub use notifications::NotificationKind;
pub use notifications::answers::{NotifiedAnswer, Place, UnnotifiedAnswer};
pub use notifications::approvals::{NewApprovalNotification, NotifiedApproval, UnnotifiedApproval};
pub use notifications::discovery::{NewNotification, UnnotifiedSession};
pub use notifications::dispatch::{AlertSource, Notification, SendAttempt};
pub use notifications::finish::NotificationOutcome;
pub use notifications::reviews::{NotifiedReview, UnnotifiedReview};
pub use notifications::rollbacks::UnnotifiedRollback;
pub use notifications::sharing::ShareOutcome;
pub use notifications::triage::{NotifiedTriage, UnnotifiedTriage};
pub use oauth::LockedToken;
pub use overview::OverviewQuery;
pub use pool::PoolLimits;
pub use postmortem::{
    AlertRun, AskedQuestion, CallDecision, IncidentFacts, NumberedCall, ToolFailures,
};
pub use prevention::{
    CauseRow, LastError, PreventionPeriod, PreventionRows, SessionTotals, ToolRow,
};
pub use prose::ProseFence;
pub use prose::request::{MAX_PROSE_REQUESTS, NewProse, ProseRequest};
pub use prose::work::{ProseClaim, ProseEnd, WrittenProse};
pub use queue::{Claim, ClaimedRow, Renewal};
pub use quotas::{Admission, AlertQuota, DailyTokens, SpentBy};
pub use recordings::NewRecording;
pub use redaction::{Redaction, RedactionEffect, RedactionPosition, RedactionStep};
pub use replays::{NewReplay, RecordedResult, ReplayOutcome};
pub use resume::repeated::{CalledTool, EarlierCall};
pub use resume::rows::{Call, Execution, Message, Stage, SubExecution};
pub use retention::{RetainedKind, SessionAges};
pub use reviews::{MAX_REVIEWS, NewReview, ReviewOutcome};
pub use roles::{DatabaseRole, Grant, ROLES, role_creation, role_grants};
pub use schedules::{KnownSchedule, NewScheduleRun, ScheduleState};
pub use scores::ScoreFence;
pub use scores::overview::ScoreDays;
pub use scores::request::{MAX_SCORES, NewScore, ScoreRequest};
pub use scores::work::{Judgement, ScoreClaim, ScoreEnd};
pub use search::{SearchCursor, SearchQuery};
pub use secret::Digest;
pub use session_list::{FailedTool, REACHABLE_SESSIONS, SessionPage, SessionQuery, SortBy};
pub use sessions::{Created, NewSession, Session, SessionSettings};
pub use sign_ins::{NewSignIn, SignIn, SignInEnd};
pub use store::Store;
pub use summaries::SummaryUsage;
pub use summaries::owner::{AbandonedSummary, Summary};
pub use summaries::work::{SummaryClaim, SummaryEnd, SummaryFence};
pub use timeline::{HistoryCall, HistoryEvent};
pub use triage::decision::TriageChange;
pub use triage::{MAX_TRIAGE_ENTRIES, TriageOutcome};
pub use usage::Usage;
pub use verdicts::material::{CallSummary, VerdictMaterial};
pub use verdicts::new::NewVerdict;
pub use verdicts::{AgentVerdict, SessionVerdict};
pub use weekly::WeeklyDelivery;
