//! Every message that travels between the services: subject, shape, and who keeps it. Rows that the store reads for the
//! API are here too, so that a field is written once.
//!
//! Names and JSON only, no connections. Subjects and stream names are
//! written nowhere else. A landed shape is frozen: a new field is optional, a new meaning is a new
//! version of the message.
//!
//! ```
//! use tarsy_contracts::subject;
//! use tarsy_domain::id::SessionId;
//! let id: SessionId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
//! assert_eq!(subject::live_session(id), "tarsy.live.session.01890a5d-ac96-774b-bcce-b302099a8057");
//! ```

pub mod action;
pub mod advice;
pub mod alert;
pub mod change;
pub mod claim;
pub mod dependency;
pub mod event;
pub mod failure;
pub mod finding;
pub mod judged;
pub mod live;
pub mod mcp;
pub mod memory;
pub mod overview;
pub mod permissions;
pub mod postmortem;
pub mod prevention;
pub mod recording;
pub mod reply;
pub mod review;
pub mod schedule;
pub mod score;
pub mod search;
pub mod session;
pub mod session_summary;
pub mod slack;
pub mod status;
pub mod subject;
pub mod system;
pub mod timeline;
pub mod topology;
pub mod trace;
pub mod triage;
pub mod work;
