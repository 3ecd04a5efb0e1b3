//! The answer to a request that exceeds a limit.

use std::time::Duration;

use tarsy_domain::code::Code;
use tarsy_web::Problem;

use crate::metrics;

/// Refuses a request that exceeds a limit of `system.limits`, and counts it.
pub(crate) fn refused(limit: &'static str, detail: String, retry_after: Duration) -> Problem {
    metrics::limited(limit);
    Problem::new(Code::RateLimited, detail).retry_after(retry_after)
}
