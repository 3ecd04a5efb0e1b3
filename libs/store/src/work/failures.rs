//! Why sessions failed, as rows have it.

use tarsy_contracts::failure::{Failure, FailureView};

use crate::database::cells::Cells;
use crate::error::Error;

/// The column `failure`, with what to do about it.
pub(crate) fn view(cells: &Cells<'_>) -> Result<Option<FailureView>, Error> {
    Ok(cells.maybe_decoded::<Failure>("failure")?.map(FailureView::from))
}
