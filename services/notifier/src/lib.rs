//! Notifies people and machines of sessions, through the destinations of the configuration, and Slack of tool calls that
//! wait for approval.
//!
//! The row in `notifications` is inserted before anything is sent. Events only announce that rows are
//! due; a reconciliation finds sessions whose event was lost. The dispatcher claims a row, looks for the
//! message of an earlier attempt, sends, and stores the result; channels only render and send. No
//! session waits for a notification, and this crate knows neither chains nor agents nor tools.

mod app;
mod channel;
mod channels;
mod destinations;
mod dialect;
mod dispatcher;
mod http;
mod markdown;
mod metrics;
mod outbox;
mod report;
mod reported;
mod retry;
mod template;
mod warnings;
mod weekly;

pub use app::{check, start};
pub use channels::webhook_schema as schema;
