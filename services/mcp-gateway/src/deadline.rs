//! The deadlines of requests.

use std::time::Duration;

use tarsy_contracts::reply::Refusal;
use tarsy_domain::clock::Clock;
use tarsy_domain::code::Code;

use crate::limits;

/// How much before the caller's deadline a request that takes long is answered, so that the reply
/// arrives in time.
pub(crate) const REPLY_MARGIN: Duration = Duration::from_millis(500);

/// The time until a deadline in milliseconds of Unix time, at most [`limits::CALLER_WAIT`]; a refusal if
/// the deadline has passed.
pub(crate) fn time_left(clock: &dyn Clock, deadline_ms: i64) -> Result<Duration, Refusal> {
    let left = deadline_ms.saturating_sub(clock.now().as_millisecond());
    match u64::try_from(left) {
        Ok(left @ 1..) => Ok(Duration::from_millis(left).min(limits::CALLER_WAIT)),
        _ => Err(Refusal::new(Code::Timeout, "the request arrived after its deadline")),
    }
}
