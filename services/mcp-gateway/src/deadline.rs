//! The time that callers leave for their requests.

use std::time::Duration;

use tarsy_contracts::reply::Refusal;
use tarsy_domain::code::Code;

use crate::limits;

/// How much before the caller's deadline a request that takes long is answered, so that the reply
/// arrives in time.
pub(crate) const REPLY_MARGIN: Duration = Duration::from_millis(500);

/// The time that a caller still waits, at most [`limits::CALLER_WAIT`]; a refusal if it is zero.
pub(crate) fn time_left(timeout_ms: u64) -> Result<Duration, Refusal> {
    match timeout_ms {
        0 => Err(Refusal::new(Code::Timeout, "the caller of this request does not wait any more")),
        left => Ok(Duration::from_millis(left).min(limits::CALLER_WAIT)),
    }
}
