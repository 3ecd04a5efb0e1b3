//! Every instrument of this service, named once.

use metrics::{counter, gauge};
use tarsy_catalog::Catalog;
use tarsy_domain::messenger::Messenger;
use tarsy_domain::review::Review;
use tarsy_domain::schedule::ScheduleRunOutcome;
use tarsy_telemetry::{register_counter, register_counters};

pub(crate) fn alert(outcome: &'static str) {
    counter!("tarsy_alerts_total", "outcome" => outcome).increment(1);
}

/// Secrets were masked in an alert or a question.
pub(crate) fn masked(count: usize) {
    counter!("tarsy_alert_secrets_masked_total").increment(count as u64);
}

/// An alert was queued during an outage, stored afterwards, or became a dead letter.
pub(crate) fn intake(step: &'static str) {
    counter!("tarsy_intake_total", "step" => step).increment(1);
}

/// An alert of a source was decided about.
pub(crate) fn received(source: &str, action: &'static str, is_repeat: bool) {
    let (source, repeated) = (source.to_owned(), if is_repeat { "true" } else { "false" });
    counter!("tarsy_source_alerts_total", "source" => source, "action" => action, "repeated" => repeated)
        .increment(1);
}

/// So many changes of a source were recorded; others were known.
pub(crate) fn changes_recorded(changes: usize) {
    counter!("tarsy_changes_recorded_total").increment(changes as u64);
}

/// A request exceeded a limit of `system.limits`.
pub(crate) fn limited(limit: &'static str) {
    counter!("tarsy_requests_limited_total", "limit" => limit).increment(1);
}

/// A cancellation was requested.
pub(crate) fn cancel(outcome: &'static str) {
    counter!("tarsy_cancel_requests_total", "outcome" => outcome).increment(1);
}

/// So many sessions were deleted by a person.
pub(crate) fn sessions_deleted(sessions: usize) {
    let sessions = u64::try_from(sessions).unwrap_or(u64::MAX);
    counter!("tarsy_sessions_deleted_total").increment(sessions);
}

/// A question was asked in a chat.
pub(crate) fn question(outcome: &'static str) {
    counter!("tarsy_chat_questions_total", "outcome" => outcome).increment(1);
}

/// Somebody gave a command in a messenger.
pub(crate) fn command(messenger: Messenger, outcome: &'static str) {
    counter!("tarsy_commands_total", "messenger" => messenger.as_str(), "outcome" => outcome)
        .increment(1);
}

/// Whether a connection of Socket Mode is open.
pub(crate) fn slack_connected(is_open: bool) {
    gauge!("tarsy_slack_connected").set(if is_open { 1.0 } else { 0.0 });
}

/// A person reviewed a session.
pub(crate) fn review(review: Review) {
    counter!("tarsy_session_reviews_total", "review" => review.as_str()).increment(1);
}

/// A person asked for a score.
pub(crate) fn score_requested() {
    counter!("tarsy_scores_requested_total").increment(1);
}

/// A time of a schedule has come.
pub(crate) fn schedule_run(outcome: ScheduleRunOutcome) {
    counter!("tarsy_schedule_runs_total", "outcome" => outcome.as_str()).increment(1);
}

/// A person changed the state of work on a session, or wrote a note.
pub(crate) fn triage(change: &'static str) {
    counter!("tarsy_triage_changes_total", "change" => change).increment(1);
}

/// A proxied WebSocket opened.
pub(crate) fn websocket_opened() {
    gauge!("tarsy_gateway_websockets").increment(1.0);
}

/// A proxied WebSocket closed.
pub(crate) fn websocket_closed() {
    gauge!("tarsy_gateway_websockets").decrement(1.0);
}

/// Sessions that wait for an orchestrator, of the whole installation.
pub(crate) fn sessions_pending(sessions: i64) {
    let sessions = u32::try_from(sessions).map_or(f64::INFINITY, f64::from);
    gauge!("tarsy_sessions_pending").set(sessions);
}

/// Sessions and questions that wait for people to approve tool calls, of the whole installation.
pub(crate) fn sessions_waiting_for_approval(sessions: i64) {
    let sessions = u32::try_from(sessions).map_or(f64::INFINITY, f64::from);
    gauge!("tarsy_sessions_waiting_for_approval").set(sessions);
}

/// Makes the counters exist whose labels are known.
pub(crate) fn register(catalog: &Catalog) {
    let alerts = ["queued", "existing", "waiting", "refused", "limited", "shed", "failed"];
    register_counters("tarsy_alerts_total", "outcome", &alerts);
    register_counter("tarsy_alert_secrets_masked_total");
    register_counters("tarsy_intake_total", "step", &["queued", "stored", "dead_letter"]);
    let cancels =
        ["cancelled", "cancelling", "chat_cancelled", "chat_cancelling", "nothing_to_cancel"];
    register_counters("tarsy_cancel_requests_total", "outcome", &cancels);
    register_counter("tarsy_scores_requested_total");
    register_counters("tarsy_session_reviews_total", "review", &["accurate", "partly", "wrong"]);
    register_counters("tarsy_triage_changes_total", "change", &["new", "taken", "done", "note"]);
    let runs = ["started", "missed", "still_running", "tokens_used_up"];
    register_counters("tarsy_schedule_runs_total", "outcome", &runs);
    let questions = ["accepted", "refused", "limited", "conflict"];
    register_counters("tarsy_chat_questions_total", "outcome", &questions);
    let limits = [
        "alerts_per_minute",
        "questions_per_minute",
        "open_websockets",
        "pending_sessions",
        "daily_tokens",
        "daily_tokens_per_sender",
    ];
    register_counters("tarsy_requests_limited_total", "limit", &limits);
    register_counter("tarsy_audit_entries_dropped_total");
    gauge!("tarsy_gateway_websockets").increment(0.0);
    for source in catalog.intake.sources.keys() {
        counter!("tarsy_source_alerts_total", "source" => source.clone(), "action" => "open", "repeated" => "false")
            .increment(0);
    }
}
