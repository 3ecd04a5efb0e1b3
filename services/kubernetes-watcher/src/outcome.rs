//! What an answer of api-gateway means for the events of a request.

use std::time::Duration;

/// The longest pause that an answer may ask for.
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// What becomes of the events of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Kept,
    /// Something in it is not what api-gateway accepts, and never will be.
    Refused,
    /// It is sent again, after this pause if the answer names one. The sender of 401, 403 and 404 must be configured.
    Later(Option<Duration>),
}

/// What an answer with this status means, and the seconds of its `Retry-After`.
pub(crate) fn of(status: u16, retry_after: Option<u64>) -> Outcome {
    match status {
        200..=299 => Outcome::Kept,
        400 | 413 | 422 => Outcome::Refused,
        _ => Outcome::Later(retry_after.map(|seconds| Duration::from_secs(seconds).min(MAX_PAUSE))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_never_be_accepted_is_given_up() {
        for (status, outcome) in [
            (200, Outcome::Kept),
            (202, Outcome::Kept),
            (400, Outcome::Refused),
            (401, Outcome::Later(None)),
            (404, Outcome::Later(None)),
            (413, Outcome::Refused),
            (502, Outcome::Later(None)),
        ] {
            assert_eq!(of(status, None), outcome, "{status}");
        }
    }

    #[test]
    fn the_pause_of_an_answer_is_kept_within_a_minute() {
        assert_eq!(of(503, Some(5)), Outcome::Later(Some(Duration::from_secs(5))));
        assert_eq!(of(429, Some(86_400)), Outcome::Later(Some(MAX_PAUSE)));
    }
}
