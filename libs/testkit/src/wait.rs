//! Waiting for a state that no event announces.

use std::fmt::Debug;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Longer than anything in a test takes on a busy machine.
pub const WAIT: Duration = Duration::from_mins(1);
/// Often enough that tests do not wait noticeably longer than needed.
const INTERVAL: Duration = Duration::from_millis(25);

/// What a condition saw: what is waited for, or what was there instead.
///
/// A condition may as well be a `bool`; then the error of a wait in vain has no more to say than what was waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Seen {
    /// What is waited for.
    Expected,
    /// Anything else, in words for the error; empty if the condition has none.
    Other(String),
}

impl Seen {
    /// Compares what is there with what is waited for.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "conditions have values that nobody else needs"
    )]
    pub fn equal<A: PartialEq<E> + Debug, E: Debug>(actual: A, expected: E) -> Self {
        if actual == expected {
            Self::Expected
        } else {
            Self::Other(format!("{actual:?} instead of {expected:?}"))
        }
    }

    /// Whether what is there is one of the values that are waited for.
    pub fn value<A: Debug>(actual: A, is_expected: impl FnOnce(&A) -> bool) -> Self {
        if is_expected(&actual) { Self::Expected } else { Self::Other(format!("{actual:?}")) }
    }
}

impl From<bool> for Seen {
    fn from(holds: bool) -> Self {
        if holds { Self::Expected } else { Self::Other(String::new()) }
    }
}

/// Checks a condition until it holds.
///
/// # Panics
///
/// With `what` and what was seen last, when it does not hold within [`WAIT`].
pub async fn eventually<S: Into<Seen>>(what: &str, check: impl AsyncFnMut() -> S) {
    within(WAIT, what, check).await;
}

/// Checks a condition until it holds.
///
/// # Panics
///
/// With `what` and what was seen last, when it does not hold within `timeout`.
pub async fn within<S: Into<Seen>>(
    timeout: Duration,
    what: &str,
    mut check: impl AsyncFnMut() -> S,
) {
    let waited = poll(what, timeout, INTERVAL, async || Ok(check().await)).await;
    assert!(waited.is_ok(), "{}", waited.err().unwrap_or_default());
}

/// Checks a condition every `interval` until it holds. A condition that fails is checked again, too.
///
/// # Errors
///
/// When it does not hold within `timeout`: what was waited for, and what was seen last.
pub async fn poll<S: Into<Seen>>(
    what: &str,
    timeout: Duration,
    interval: Duration,
    mut check: impl AsyncFnMut() -> anyhow::Result<S>,
) -> Result<(), String> {
    let deadline = Instant::now() + timeout;
    loop {
        let seen = match check().await.map(Into::into) {
            Ok(Seen::Expected) => return Ok(()),
            Ok(Seen::Other(seen)) => seen,
            Err(error) => format!("{error:#}"),
        };
        if Instant::now() > deadline {
            return Err(in_vain(what, timeout, &seen));
        }
        sleep(interval).await;
    }
}

fn in_vain(what: &str, timeout: Duration, seen: &str) -> String {
    let waited = format!("waited {timeout:?} in vain until {what}");
    if seen.is_empty() { waited } else { format!("{waited}; last seen: {seen}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn waited<S: Into<Seen>>(check: impl AsyncFnMut() -> anyhow::Result<S>) -> String {
        let waited = poll("all are there", Duration::ZERO, Duration::ZERO, check).await;
        waited.err().unwrap_or_default()
    }

    #[tokio::test]
    async fn an_error_names_what_was_there_instead() {
        let prefix = "waited 0ns in vain until all are there";
        assert_eq!(
            waited(async || Ok(Seen::equal(2, 3))).await,
            format!("{prefix}; last seen: 2 instead of 3")
        );
        assert_eq!(
            waited(async || Ok(Seen::value(2, |two| *two > 2))).await,
            format!("{prefix}; last seen: 2")
        );
        let failing = async || -> anyhow::Result<bool> { anyhow::bail!("the server is away") };
        assert_eq!(waited(failing).await, format!("{prefix}; last seen: the server is away"));
        assert_eq!(waited(async || Ok(false)).await, prefix);
    }

    #[tokio::test]
    async fn a_condition_is_checked_until_it_holds() {
        let mut count = 0;
        let check = async || {
            count += 1;
            Ok(Seen::equal(count, 3))
        };
        assert_eq!(poll("three", WAIT, Duration::ZERO, check).await, Ok(()));
        assert_eq!(count, 3);
    }
}
