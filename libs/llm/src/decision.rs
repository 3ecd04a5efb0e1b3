//! What follows a failed attempt: pure functions of the failures so far.

use std::time::Duration;

use tarsy_domain::code::{Code, Coded as _};

use crate::error::Error;
use crate::policy::{BACKOFF, MAX_RETRY_AFTER, OnTimeout, OnUnavailable, RETRY_AFTER_CAP, Retries};
use crate::record::Failure;

/// How often each kind of failure happened with one provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Failures {
    pub(crate) transient: u32,
    pub(crate) empty: u32,
    pub(crate) degenerate: u32,
    /// In a row: a success ends the call, and another provider begins at 0.
    pub(crate) timeouts: u32,
    /// In a row: llm-service was not reached.
    pub(crate) unavailable: u32,
}

/// What follows a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The same provider is called again.
    Retry(Pause),
    /// The next provider takes over.
    FallBack {
        times: u32,
    },
    Fail {
        times: u32,
    },
}

/// The pause before the next attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pause {
    /// What the provider asked for, capped.
    pub(crate) retry_after: Duration,
    /// Failures that the backoff grows with; 0 for none.
    pub(crate) backoff: u32,
}

/// A failed attempt, as far as the decision depends on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed<'a> {
    pub(crate) failure: &'a Failure,
    /// Viewers may have seen some of it.
    pub(crate) has_output: bool,
}

impl Failed<'_> {
    /// Whether no model was reached, so that nothing was spent and nothing was seen.
    pub(crate) fn is_unavailable(&self) -> bool {
        matches!(self.failure, Failure::Error(Error::Transport(_))) && !self.has_output
    }
}

impl Pause {
    /// The whole pause; the backoff part of it is drawn at random.
    pub(crate) fn duration(self) -> Duration {
        let backoff = if self.backoff == 0 { Duration::ZERO } else { BACKOFF.pause(self.backoff) };
        self.retry_after + backoff
    }
}

impl Failures {
    /// Counts a failure; how often this kind of it happened.
    pub(crate) fn count(&mut self, failed: Failed<'_>, policy: &Retries) -> u32 {
        let waits = policy.on_unavailable == OnUnavailable::Wait && failed.is_unavailable();
        let counter = match failed.failure {
            Failure::Error(_) if waits => &mut self.unavailable,
            Failure::Error(_) => {
                self.unavailable = 0;
                &mut self.transient
            }
            Failure::Timeout(_) => &mut self.timeouts,
            Failure::Empty => &mut self.empty,
            Failure::Degenerate(_) => &mut self.degenerate,
        };
        *counter += 1;
        *counter
    }
}

/// What follows a failure that has happened so many times by now.
pub(crate) fn next(failed: Failed<'_>, times: u32, has_fallback: bool, policy: &Retries) -> Next {
    let end = if has_fallback { Next::FallBack { times } } else { Next::Fail { times } };
    match failed.failure {
        Failure::Error(_)
            if failed.is_unavailable() && policy.on_unavailable == OnUnavailable::Wait =>
        {
            Next::Retry(Pause { backoff: times, ..Pause::default() })
        }
        Failure::Error(error) => {
            let exhausted = times >= policy.transient || !error.is_retryable();
            if exhausted || (has_fallback && retry_after_exceeds(error)) {
                return end;
            }
            let retry_after = error.retry_after().unwrap_or_default().min(RETRY_AFTER_CAP);
            Next::Retry(Pause { retry_after, backoff: times })
        }
        Failure::Timeout(_) => match policy.on_timeout {
            OnTimeout::Retry { in_a_row }
                if times < in_a_row && (failed.has_output || !has_fallback) =>
            {
                Next::Retry(Pause::default())
            }
            OnTimeout::Retry { .. } | OnTimeout::FallBack => end,
        },
        Failure::Empty | Failure::Degenerate(_) if times < policy.invalid => {
            Next::Retry(Pause::default())
        }
        Failure::Empty | Failure::Degenerate(_) => end,
    }
}

/// Whether a rate limit lasts longer than it is worth waiting for when there is a fallback.
fn retry_after_exceeds(error: &Error) -> bool {
    error.code() == Code::RateLimited
        && error.retry_after().is_some_and(|pause| pause > MAX_RETRY_AFTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Degenerate, TimeoutKind};

    const AGENT: Retries = Retries::AGENT;
    const SUMMARY: Retries = Retries::SUMMARY;
    const TIMEOUT: Failure = Failure::Timeout(TimeoutKind::Idle(Duration::from_secs(1)));

    fn error(code: &str, retryable: bool, retry_after: Option<Duration>) -> Failure {
        let message = "the provider is busy".to_owned();
        let (code, variable) = (code.to_owned(), None);
        Failure::Error(Error::Provider { message, code, retryable, retry_after, variable })
    }

    fn rate_limited(seconds: u64) -> Failure {
        error("rate_limited", true, Some(Duration::from_secs(seconds)))
    }

    fn unreachable() -> Failure {
        Failure::Error(Error::Transport("refused".to_owned()))
    }

    fn no_output(failure: &Failure) -> Failed<'_> {
        Failed { failure, has_output: false }
    }

    fn partial(failure: &Failure) -> Failed<'_> {
        Failed { failure, has_output: true }
    }

    fn retry(backoff: u32) -> Next {
        Next::Retry(Pause { retry_after: Duration::ZERO, backoff })
    }

    #[test]
    fn a_transient_error_is_retried_with_backoff_until_its_attempts_are_used_up() {
        let busy = error("overloaded", true, None);
        for policy in [AGENT, SUMMARY] {
            let last = policy.transient;
            assert_eq!(next(no_output(&busy), 1, true, &policy), retry(1));
            assert_eq!(next(no_output(&busy), last - 1, true, &policy), retry(last - 1));
            let times = last;
            assert_eq!(next(no_output(&busy), last, true, &policy), Next::FallBack { times });
            assert_eq!(next(no_output(&busy), last, false, &policy), Next::Fail { times });
        }
    }

    #[test]
    fn an_error_that_does_not_pass_is_not_retried() {
        let refused = error("credentials", false, None);
        assert_eq!(next(no_output(&refused), 1, true, &AGENT), Next::FallBack { times: 1 });
        assert_eq!(next(no_output(&refused), 1, false, &AGENT), Next::Fail { times: 1 });
    }

    #[test]
    fn a_long_rate_limit_is_waited_for_only_without_a_fallback_and_up_to_its_cap() {
        let pause =
            |seconds| Next::Retry(Pause { retry_after: Duration::from_secs(seconds), backoff: 1 });
        assert_eq!(next(no_output(&rate_limited(15)), 1, true, &AGENT), pause(15));
        assert_eq!(
            next(no_output(&rate_limited(16)), 1, true, &AGENT),
            Next::FallBack { times: 1 }
        );
        assert_eq!(next(no_output(&rate_limited(16)), 1, false, &AGENT), pause(16));
        assert_eq!(next(no_output(&rate_limited(3_600)), 1, false, &AGENT), pause(60));
    }

    #[test]
    fn a_pause_is_what_the_provider_asked_for_plus_a_bounded_backoff() {
        let asked = Duration::from_secs(30);
        for backoff in [1, 5, u32::MAX] {
            let pause = Pause { retry_after: asked, backoff }.duration();
            assert!(pause > asked && pause <= asked + Duration::from_secs(8), "{pause:?}");
        }
        assert_eq!(Pause::default().duration(), Duration::ZERO);
    }

    #[test]
    fn an_agent_waits_for_llm_service_and_a_summary_does_not() {
        let gone = unreachable();
        assert_eq!(next(no_output(&gone), 1_000, true, &AGENT), retry(1_000));
        assert_eq!(next(no_output(&gone), 3, true, &SUMMARY), Next::FallBack { times: 3 });
        // A connection that breaks in the middle of an answer counts.
        assert_eq!(next(partial(&gone), 5, false, &AGENT), Next::Fail { times: 5 });
    }

    #[test]
    fn an_unavailable_service_is_counted_apart_until_it_answers() {
        let (gone, busy) = (unreachable(), error("overloaded", true, None));
        let mut failures = Failures::default();
        assert_eq!(failures.count(no_output(&gone), &AGENT), 1);
        assert_eq!(failures.count(no_output(&gone), &AGENT), 2);
        assert_eq!(failures.count(no_output(&busy), &AGENT), 1);
        assert_eq!(failures.count(no_output(&gone), &AGENT), 1, "it had answered");
        assert_eq!(failures.count(partial(&gone), &AGENT), 2);
        let mut failures = Failures::default();
        failures.count(no_output(&gone), &SUMMARY);
        assert_eq!(failures.transient, 1);
    }

    #[test]
    fn an_agent_without_output_falls_back_and_with_output_is_retried_until_two_in_a_row() {
        assert_eq!(next(no_output(&TIMEOUT), 1, true, &AGENT), Next::FallBack { times: 1 });
        assert_eq!(next(no_output(&TIMEOUT), 1, false, &AGENT), retry(0));
        assert_eq!(next(no_output(&TIMEOUT), 2, false, &AGENT), Next::Fail { times: 2 });
        assert_eq!(next(partial(&TIMEOUT), 1, true, &AGENT), retry(0));
        assert_eq!(next(partial(&TIMEOUT), 2, true, &AGENT), Next::FallBack { times: 2 });
        assert_eq!(next(partial(&TIMEOUT), 2, false, &AGENT), Next::Fail { times: 2 });
    }

    #[test]
    fn a_summary_that_times_out_falls_back_or_fails() {
        assert_eq!(next(partial(&TIMEOUT), 1, true, &SUMMARY), Next::FallBack { times: 1 });
        assert_eq!(next(no_output(&TIMEOUT), 1, false, &SUMMARY), Next::Fail { times: 1 });
    }

    #[test]
    fn an_empty_or_degenerate_answer_is_requested_three_times_in_all() {
        for failure in [Failure::Empty, Failure::Degenerate(Degenerate::Repetition)] {
            assert_eq!(next(partial(&failure), 2, true, &AGENT), retry(0));
            assert_eq!(next(partial(&failure), 3, true, &AGENT), Next::FallBack { times: 3 });
            assert_eq!(next(partial(&failure), 3, false, &AGENT), Next::Fail { times: 3 });
        }
    }
}
