//! What becomes of a notification after an attempt to send it.

use std::time::Duration;

use tarsy_domain::backoff::Backoff;
use tarsy_store::NotificationOutcome;

use crate::channel::SendError;

/// Failures after which a notification becomes a dead letter; with these delays after about three
/// quarters of an hour.
const MAX_FAILURES: i32 = 14;
const RETRY: Backoff = Backoff::new(Duration::from_millis(1_250), Duration::from_mins(12));
/// The least pause after a request without an answer: what was received late is in the channel by then, where the
/// next attempt looks for it. Slack promises no bound; its answers usually come within seconds.
const UNANSWERED_PAUSE: Duration = Duration::from_secs(20);
/// The age at which a notification becomes a dead letter although the failures do not count.
const MAX_AGE: Duration = Duration::from_hours(24);

/// What an attempt ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// The message was sent, now or by an earlier attempt; its id in the channel.
    Sent(Option<String>),
    Failed(SendError),
    /// There is nothing to report any more.
    Obsolete,
    /// Another notifier claimed the notification meanwhile.
    Superseded,
}

impl Attempt {
    /// The label of the metric.
    pub(crate) const fn label(&self) -> &'static str {
        match self {
            Self::Sent(_) => "sent",
            Self::Failed(SendError::RateLimited { .. }) => "rate_limited",
            Self::Failed(
                SendError::Transient(_) | SendError::Unanswered(_) | SendError::ThreadClosed(_),
            ) => "failed",
            Self::Failed(SendError::Permanent(_)) => "refused",
            Self::Obsolete | Self::Failed(SendError::Inapplicable(_)) => "obsolete",
            Self::Superseded => "superseded",
        }
    }
}

/// Decides what is stored after an attempt on a notification of this age that failed so often before;
/// none if the notification is another's.
pub(crate) fn decide(
    attempt: Attempt,
    failures: i32,
    age: Duration,
) -> Option<NotificationOutcome> {
    let expired = age > MAX_AGE;
    Some(match attempt {
        Attempt::Superseded => return None,
        Attempt::Obsolete | Attempt::Failed(SendError::Inapplicable(_)) => {
            NotificationOutcome::Skipped
        }
        Attempt::Sent(external_ref) => NotificationOutcome::Sent { external_ref },
        Attempt::Failed(SendError::RateLimited { retry_after }) => {
            let error = "asked to come back later".to_owned();
            if expired {
                NotificationOutcome::Exhausted { error }
            } else {
                NotificationOutcome::Retry { error, pause: retry_after, counts: false }
            }
        }
        Attempt::Failed(SendError::Permanent(error)) => NotificationOutcome::Exhausted { error },
        Attempt::Failed(SendError::Transient(error) | SendError::ThreadClosed(error)) => {
            after_failure(error, failures, expired, Duration::ZERO)
        }
        Attempt::Failed(SendError::Unanswered(error)) => {
            after_failure(error, failures, expired, UNANSWERED_PAUSE)
        }
    })
}

fn after_failure(
    error: String,
    failures: i32,
    expired: bool,
    least_pause: Duration,
) -> NotificationOutcome {
    if expired || failures + 1 >= MAX_FAILURES {
        return NotificationOutcome::Exhausted { error };
    }
    NotificationOutcome::Retry { error, pause: pause(failures).max(least_pause), counts: true }
}

fn pause(failures: i32) -> Duration {
    RETRY.pause(u32::try_from(failures).unwrap_or_default().saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: Duration = Duration::ZERO;

    fn transient() -> Attempt {
        Attempt::Failed(SendError::Transient("no connection".to_owned()))
    }

    fn limited() -> Attempt {
        Attempt::Failed(SendError::RateLimited { retry_after: Duration::from_secs(7) })
    }

    #[test]
    fn delays_grow_to_minutes_and_all_attempts_fit_into_an_hour() {
        let pauses: Vec<Duration> = (0..MAX_FAILURES - 1).map(pause).collect();
        assert!(pauses[0] < Duration::from_secs(2));
        assert!(pauses[12] >= Duration::from_mins(5));
        assert!(pauses.iter().sum::<Duration>() < Duration::from_hours(1));
        assert!(pause(i32::MAX) <= Duration::from_mins(12));
    }

    #[test]
    fn a_transient_failure_is_retried_until_the_last() {
        let first = decide(transient(), 0, NEW);
        assert!(matches!(first, Some(NotificationOutcome::Retry { counts: true, .. })));
        let last = decide(transient(), MAX_FAILURES - 1, NEW);
        assert!(matches!(last, Some(NotificationOutcome::Exhausted { .. })));
        let old = decide(transient(), 0, MAX_AGE + Duration::from_secs(1));
        assert!(matches!(old, Some(NotificationOutcome::Exhausted { .. })));
    }

    #[test]
    fn an_unanswered_request_is_not_repeated_soon() {
        let attempt = || Attempt::Failed(SendError::Unanswered("no answer in time".to_owned()));
        for failures in 0..MAX_FAILURES - 1 {
            let Some(NotificationOutcome::Retry { pause, .. }) = decide(attempt(), failures, NEW)
            else {
                panic!("it is not retried");
            };
            assert!(pause >= UNANSWERED_PAUSE, "{failures}: {pause:?}");
        }
        let last = decide(attempt(), MAX_FAILURES - 1, NEW);
        assert!(matches!(last, Some(NotificationOutcome::Exhausted { .. })));
    }

    #[test]
    fn a_rate_limit_counts_as_no_failure() {
        let Some(NotificationOutcome::Retry { pause, counts, .. }) =
            decide(limited(), MAX_FAILURES - 1, NEW)
        else {
            panic!("it is not retried");
        };
        assert_eq!((pause, counts), (Duration::from_secs(7), false));
        let old = decide(limited(), 0, MAX_AGE + Duration::from_secs(1));
        assert!(matches!(old, Some(NotificationOutcome::Exhausted { .. })));
    }

    #[test]
    fn what_another_notifier_claimed_is_not_written() {
        assert_eq!(decide(Attempt::Superseded, 0, NEW), None);
    }
}
