//! Every instrument of this service, named once.

use std::time::Duration;

use tarsy_domain::status::{SessionStatus, WorkStatus};

/// A session was claimed.
pub(crate) fn claimed(resumed: bool) {
    let kind = if resumed { "resumed" } else { "fresh" };
    metrics::counter!("tarsy_sessions_claimed_total", "kind" => kind).increment(1);
}

/// A question was answered here, or ended otherwise.
pub(crate) fn chat_finished(status: WorkStatus, took: Duration) {
    metrics::counter!("tarsy_chat_turns_finished_total", "status" => status.as_str()).increment(1);
    metrics::histogram!("tarsy_chat_turn_duration_seconds").record(took.as_secs_f64());
}

/// A session ended here.
pub(crate) fn finished(status: SessionStatus, took: Duration) {
    metrics::counter!("tarsy_sessions_finished_total", "status" => status.as_str()).increment(1);
    metrics::histogram!("tarsy_session_duration_seconds").record(took.as_secs_f64());
}

/// How many sessions are worked on here.
pub(crate) fn load(sessions: usize) {
    metrics::gauge!("tarsy_sessions_running")
        .set(u32::try_from(sessions).map_or(f64::INFINITY, f64::from));
}

/// A model was asked.
pub(crate) fn llm_turn(outcome: &'static str, took: Duration) {
    metrics::counter!("tarsy_llm_turns_total", "outcome" => outcome).increment(1);
    metrics::histogram!("tarsy_llm_turn_duration_seconds").record(took.as_secs_f64());
}

/// Another provider took over.
pub(crate) fn provider_fallback() {
    metrics::counter!("tarsy_provider_fallbacks_total").increment(1);
}

/// A tool answered, or did not.
pub(crate) fn tool_call(outcome: &'static str) {
    metrics::counter!("tarsy_tool_calls_total", "outcome" => outcome).increment(1);
}

/// A runbook that an alert names was fetched, or was not.
pub(crate) fn runbook(outcome: &'static str) {
    metrics::counter!("tarsy_runbooks_total", "outcome" => outcome).increment(1);
}
