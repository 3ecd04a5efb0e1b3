//! The text of an alert or of a result that addresses a model, for whoever decides about a call.

use crate::database::cells::Cells;
use crate::error::Error;

/// A line that addresses a model, masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectedLine {
    /// The call whose result has it; none if the alert has it.
    pub call: Option<i64>,
    /// At most 300 characters.
    pub text: String,
}

/// The first such line of a session, as a table of a statement; none unless a condition holds.
macro_rules! first_injected {
    ($session:literal, $condition:literal) => {
        concat!(
            "(
            select (e.metadata ->> 'call_number')::bigint as injected_call,
                left(e.metadata #>> '{findings,0,excerpt}', 300) as injected_text
            from timeline_events e
            where ",
            $condition,
            " and e.session_id = ",
            $session,
            " and e.event_type = 'injected_instructions'
            order by e.sequence_number limit 1
        )"
        )
    };
}

pub(crate) use first_injected;

/// Reads what [`first_injected`] selects.
pub(crate) fn read(cells: &Cells<'_>) -> Result<Option<InjectedLine>, Error> {
    let call = cells.get("injected_call")?;
    Ok(cells.maybe_text("injected_text")?.map(|text| InjectedLine { call, text }))
}
