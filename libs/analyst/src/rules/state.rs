//! States that status commands and the interfaces of programs show as values with names: tables, lists, objects of JSON.

mod condition;
mod groups;
mod known;

use super::database::{ARCHIVED, NOT_ARCHIVED};
use crate::assertion::is_other_machine;
use crate::facts::{Cell, Facts, Row};
use crate::signal::Signal;
use crate::verdict::Target;

use condition::State;
use known::KNOWN;

/// Columns that name the machine of a row.
const MACHINES: &[&str] = &["host", "hostname", "host_name", "instance", "machine", "node"];

/// What rows show, one by one and together.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for row in facts.rows.iter().filter(|row| is_meant(facts, row)) {
        for state in KNOWN {
            found.extend(signal(facts, row, state));
        }
    }
    groups::find(facts, found);
}

/// Whether a row is not of another machine than the alert names.
fn is_meant(facts: &Facts, row: &Row) -> bool {
    let is_machine = |cell: &&Cell| MACHINES.contains(&cell.name.as_str());
    let machines: Vec<&str> =
        row.cells.iter().filter(is_machine).map(|cell| cell.text.as_str()).collect();
    !is_other_machine(&facts.focus, &machines)
}

fn signal(facts: &Facts, row: &Row, state: &State) -> Option<Signal> {
    let cells = state.when.iter().map(|(name, is)| row.get(name).filter(|cell| is.fits(row, cell)));
    let cells: Vec<&Cell> = cells.collect::<Option<_>>()?;
    let quotes = cells.iter().map(|cell| facts.quote_cell(row, cell)).collect();
    let target = target(row, state.object);
    let kind = (state.category, state.weight);
    let mut signal = Signal::of_values(kind, state.cause, target, quotes);
    signal.side = (state.cause == NOT_ARCHIVED).then_some(ARCHIVED);
    Some(signal)
}

/// The object that a row names, else what the call asked for.
fn target(row: &Row, (kind, names): (&str, &[&str])) -> Target {
    let cell = names.iter().find_map(|name| row.get(name));
    let name = cell.map(|cell| cell.text.trim_matches('/'));
    match name.filter(|name| !name.is_empty()) {
        Some(name) => Target::new(kind, name, ""),
        None => row.subject.clone(),
    }
}
