//! How long a call may take, and how often it is attempted.

use std::time::Duration;

use tarsy_catalog::ResolvedProvider;
use tarsy_domain::backoff::Backoff;

/// The pauses between attempts, on top of what the provider asks for.
pub(crate) const BACKOFF: Backoff =
    Backoff::new(Duration::from_millis(500), Duration::from_secs(8));
/// A provider that asks to wait longer than this is replaced at once by its fallback, if it has one.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(15);
/// Without a fallback, `Retry-After` is respected up to this; then the provider is called all the same.
pub(crate) const RETRY_AFTER_CAP: Duration = Duration::from_mins(1);
/// The most tool calls that one answer may contain.
pub(crate) const MAX_TOOL_CALLS: usize = 128;

/// The timeouts of each attempt. A provider's own ones take their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From the request to the first chunk of any kind.
    pub first_token: Duration,
    /// Between two chunks.
    pub idle: Duration,
    /// From the request to the end of the answer.
    pub total: Duration,
}

impl Timeouts {
    /// Those of an attempt with this provider. After timeouts in a row, the first token may take twice as long as before, each
    /// time: a server that still read the prompt goes on where it was, or has to read it all again.
    #[must_use]
    pub fn of(self, provider: &ResolvedProvider, timeouts: u32) -> Self {
        let own = provider.timeouts.map_or(self, |own| Self {
            first_token: Duration::from_millis(own.first_token_ms),
            idle: Duration::from_millis(own.stall_ms),
            total: Duration::from_millis(own.answer_ms),
        });
        let first_token = own.first_token.saturating_mul(2_u32.saturating_pow(timeouts));
        Self { first_token, ..own }
    }
}

/// How often one provider is called before its fallback takes over or the call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// Attempts that may end in a retryable error.
    pub transient: u32,
    /// Attempts that may return an empty answer; as many may return a degenerate one.
    pub invalid: u32,
    pub on_timeout: OnTimeout,
    pub on_cut: OnCut,
    pub on_unavailable: OnUnavailable,
}

/// What follows a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTimeout {
    /// The fallback takes over; without one the call fails.
    FallBack,
    /// The fallback takes over if the attempt had no output. Otherwise the same provider is called
    /// again, until it has timed out this often in a row; then the fallback takes over, too. Without
    /// one the call fails.
    Retry { in_a_row: u32 },
}

/// What becomes of an answer that was still being written when its time was up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnCut {
    /// It counts as a timeout.
    Fail,
    /// Its text is the answer. Without any it counts as a timeout.
    KeepText,
    /// What came of it is the answer: text, calls, or reasoning alone. Without any it counts as a timeout.
    Keep,
}

/// What follows an attempt that did not reach llm-service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnUnavailable {
    /// It counts as a transient failure.
    Fail,
    /// It is repeated until it reaches llm-service, or until the caller cancels the call. Only the
    /// first of such attempts in a row is recorded.
    Wait,
}

impl Retries {
    /// For an agent's turn, which has the time of its session.
    pub const AGENT: Self = Self {
        transient: 5,
        invalid: 3,
        on_timeout: OnTimeout::Retry { in_a_row: 2 },
        on_cut: OnCut::Keep,
        on_unavailable: OnUnavailable::Wait,
    };

    /// For a summary, which somebody waits for and can do without.
    pub const SUMMARY: Self = Self {
        transient: 3,
        invalid: 3,
        on_timeout: OnTimeout::FallBack,
        on_cut: OnCut::Fail,
        on_unavailable: OnUnavailable::Fail,
    };
}
