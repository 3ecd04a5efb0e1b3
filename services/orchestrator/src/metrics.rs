//! Every metric of this service.

use std::time::Duration;

use tarsy_domain::action::ActionOutcome;
use tarsy_domain::claim::Verdict;
use tarsy_domain::status::{SessionStatus, WorkStatus};
use tarsy_telemetry::{register_counter, register_counters};

pub(crate) fn session_claimed(resumed: bool) {
    let kind = if resumed { "resumed" } else { "new" };
    metrics::counter!("tarsy_sessions_claimed_total", "kind" => kind).increment(1);
}

/// A session or a question that waits for people was given back.
pub(crate) fn session_suspended() {
    metrics::counter!("tarsy_sessions_suspended_total").increment(1);
}

/// A call was refused because too many sessions of its source wait for approvals.
pub(crate) fn approval_refused() {
    metrics::counter!("tarsy_approvals_refused_total").increment(1);
}

pub(crate) fn chat_finished(status: WorkStatus, took: Duration) {
    metrics::counter!("tarsy_chat_turns_finished_total", "status" => status.as_str()).increment(1);
    metrics::histogram!("tarsy_chat_turn_duration_seconds").record(took.as_secs_f64());
}

pub(crate) fn session_finished(status: SessionStatus, took: Duration) {
    metrics::counter!("tarsy_sessions_finished_total", "status" => status.as_str()).increment(1);
    metrics::histogram!("tarsy_session_duration_seconds").record(took.as_secs_f64());
}

/// A session or a question is worked on until this is dropped.
pub(crate) struct RunningSession(());

impl RunningSession {
    pub(crate) fn start() -> Self {
        metrics::gauge!("tarsy_sessions_running").increment(1.0);
        Self(())
    }
}

impl Drop for RunningSession {
    fn drop(&mut self) {
        metrics::gauge!("tarsy_sessions_running").decrement(1.0);
    }
}

/// Rows that retention deleted or emptied; what goes with its session is not counted.
pub(crate) fn rows_purged(kind: &'static str, rows: u64) {
    metrics::counter!("tarsy_retention_rows_total", "kind" => kind).increment(rows);
}

/// One attempt; `outcome` is `completed` or `failed`.
pub(crate) fn llm_turn(outcome: &'static str, took: Duration) {
    metrics::counter!("tarsy_llm_turns_total", "outcome" => outcome).increment(1);
    metrics::histogram!("tarsy_llm_turn_duration_seconds").record(took.as_secs_f64());
}

pub(crate) fn provider_fallback() {
    metrics::counter!("tarsy_provider_fallbacks_total").increment(1);
}

/// What became of a call that was to change something.
pub(crate) fn action(outcome: ActionOutcome) {
    metrics::counter!("tarsy_actions_total", "outcome" => outcome.as_str()).increment(1);
}

/// `outcome` is the call's status.
pub(crate) fn tool_call(outcome: &'static str) {
    metrics::counter!("tarsy_tool_calls_total", "outcome" => outcome).increment(1);
}

/// A runbook that an alert names; `outcome` is `fetched` or `missing`.
pub(crate) fn runbook(outcome: &'static str) {
    metrics::counter!("tarsy_runbooks_total", "outcome" => outcome).increment(1);
}

/// An investigation was given so many reviewed sessions.
pub(crate) fn seen_before(sessions: usize) {
    metrics::counter!("tarsy_reviewed_sessions_given_total").increment(sessions as u64);
}

/// An investigation was given so many memories.
pub(crate) fn memories(given: usize) {
    metrics::counter!("tarsy_memories_given_total").increment(given as u64);
}

/// A request for vectors; `outcome` is `completed` or `failed`.
pub(crate) fn embeddings(outcome: &'static str) {
    metrics::counter!("tarsy_embeddings_total", "outcome" => outcome).increment(1);
}

/// An investigation was given so many changes.
pub(crate) fn changes_given(changes: usize) {
    metrics::counter!("tarsy_changes_given_total").increment(changes as u64);
}

/// An investigation was given so many dependencies.
pub(crate) fn dependencies_given(dependencies: usize) {
    metrics::counter!("tarsy_dependencies_given_total").increment(dependencies as u64);
}

/// A text that was compared with the results of calls; `outcome` is `completed` or why it was not checked.
pub(crate) fn claim_check(outcome: &'static str) {
    metrics::counter!("tarsy_claim_checks_total", "outcome" => outcome).increment(1);
}

/// The end of a session's verdict; `outcome` is `recorded` or why there is none.
pub(crate) fn verdict(outcome: &'static str) {
    metrics::counter!("tarsy_verdicts_total", "outcome" => outcome).increment(1);
}

/// The end of a score; `outcome` is `completed` or why it has no number.
pub(crate) fn score(outcome: &'static str, took: Duration) {
    metrics::counter!("tarsy_scores_total", "outcome" => outcome).increment(1);
    metrics::histogram!("tarsy_score_duration_seconds").record(took.as_secs_f64());
}

/// The end of the prose of a postmortem; `outcome` is `completed` or why there is none.
pub(crate) fn prose(outcome: &'static str) {
    metrics::counter!("tarsy_postmortem_prose_total", "outcome" => outcome).increment(1);
}

pub(crate) fn claim(verdict: Verdict) {
    metrics::counter!("tarsy_claims_total", "verdict" => verdict.as_str()).increment(1);
}

/// Makes the counters exist whose labels are known.
pub(crate) fn register() {
    register_counters("tarsy_sessions_claimed_total", "kind", &["new", "resumed"]);
    register_counter("tarsy_sessions_suspended_total");
    register_counter("tarsy_approvals_refused_total");
    let ends = ["completed", "failed", "timed_out", "cancelled"];
    register_counters("tarsy_sessions_finished_total", "status", &ends);
    register_counters("tarsy_chat_turns_finished_total", "status", &ends);
    register_counters("tarsy_llm_turns_total", "outcome", &["completed", "failed"]);
    register_counter("tarsy_provider_fallbacks_total");
    register_counters("tarsy_tool_calls_total", "outcome", &["completed", "failed", "unknown"]);
    let outcomes = ["worked", "did_not_work", "unknown"];
    register_counters("tarsy_actions_total", "outcome", &outcomes);
    register_counters("tarsy_runbooks_total", "outcome", &["fetched", "missing"]);
    register_counter("tarsy_reviewed_sessions_given_total");
    register_counters("tarsy_embeddings_total", "outcome", &["completed", "failed"]);
    let checks = ["completed", "too_large", "timed_out", "failed"];
    register_counters("tarsy_claim_checks_total", "outcome", &checks);
    let verdicts = [
        Verdict::Supported,
        Verdict::Uncited,
        Verdict::SupportedElsewhere,
        Verdict::Unsupported,
        Verdict::Contradicted,
        Verdict::NoSuchCall,
    ];
    for verdict in verdicts {
        metrics::counter!("tarsy_claims_total", "verdict" => verdict.as_str()).increment(0);
    }
    register_counters("tarsy_verdicts_total", "outcome", &["recorded", "failed"]);
    register_counters("tarsy_scores_total", "outcome", &["completed", "failed"]);
    register_counters("tarsy_postmortem_prose_total", "outcome", &["completed", "failed"]);
    metrics::gauge!("tarsy_sessions_running").increment(0.0);
}
