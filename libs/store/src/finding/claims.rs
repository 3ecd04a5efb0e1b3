//! Checks of what models wrote against the results of tool calls.

pub(crate) mod check;
pub(crate) mod evidence;
pub(crate) mod failed_tools;
mod list;
pub(crate) mod roll_up;

use tarsy_contracts::claim::ClaimCounts;
use tarsy_domain::claim::DegradedReason;

use crate::database::cells::Cells;
use crate::error::Error;

/// The claims of a session; none if nothing was checked.
pub(crate) fn counts(session: &Cells<'_>) -> Result<Option<ClaimCounts>, Error> {
    let total: Option<i32> = session.get("claims")?;
    let verified: Option<i32> = session.get("verified_claims")?;
    Ok(total.zip(verified).map(|(total, verified)| ClaimCounts { total, verified }))
}

/// Why the findings of a session need a second look.
pub(crate) fn degraded_reasons(session: &Cells<'_>) -> Result<Vec<DegradedReason>, Error> {
    session.words("degraded_reasons")
}
