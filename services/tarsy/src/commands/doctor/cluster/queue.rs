//! The queue of sessions.

use jiff::{SignedDuration, Timestamp};
use tarsy_contracts::system::QueueState;

use super::super::report::Check;
use crate::output;

/// A session that waits longer than this waits for a worker that is not there, or for one of many before it.
const MAX_WAIT: SignedDuration = SignedDuration::from_mins(5);

pub(super) fn checks(found: &Result<QueueState, String>, now: Timestamp) -> Vec<Check> {
    match found {
        Ok(queue) => vec![pending(queue, now), claimed(queue), dead_letters(queue)],
        Err(problem) => {
            let advice = "run `tarsy migrate`, which gives the roles their rights";
            vec![Check::failed("queue", problem, advice)]
        }
    }
}

fn pending(queue: &QueueState, now: Timestamp) -> Check {
    let Some(oldest) = queue.oldest_pending_at else { return Check::ok("queue", "nothing waits") };
    let waited = now.duration_since(oldest).max(SignedDuration::ZERO);
    let text = format!(
        "{} waiting, the oldest for {} min; {} in progress",
        output::counted(queue.pending, "session"),
        waited.as_mins(),
        queue.in_progress
    );
    if waited > MAX_WAIT {
        let advice = "start more orchestrators, or raise queue.worker_count and queue.max_concurrent_sessions";
        return Check::warning("queue", text, advice);
    }
    Check::ok("queue", text)
}

fn claimed(queue: &QueueState) -> Check {
    let expired: Vec<_> = queue.leases.iter().filter(|lease| lease.is_expired).collect();
    if let Some(first) = expired.first() {
        return Check::warning(
            "claimed sessions",
            format!(
                "{} leases expired and nobody took them over, the first of session {}",
                expired.len(),
                first.session_id
            ),
            "start an orchestrator; if some run, read their log",
        );
    }
    let waiting = match queue.waiting_for_approval {
        0 => String::new(),
        waiting => format!(", {waiting} wait for approval"),
    };
    let text = format!("{} in progress, no lease expired{waiting}", queue.in_progress);
    Check::ok("claimed sessions", text)
}

fn dead_letters(queue: &QueueState) -> Check {
    if queue.dead_letters > 0 {
        let advice = "`tarsy dead list` shows them, `tarsy dead retry` sends them again";
        return Check::warning("dead letters", format!("{} wait", queue.dead_letters), advice);
    }
    Check::ok("dead letters", "none")
}
