//! Values of one object that mean a fault wherever they stand: a disk that is busy all the time, a container without memory left.

use crate::facts::{Facts, Measure};
use crate::signal::Signal;
use crate::verdict::Category::{Disk, OutOfMemory};
use crate::verdict::Target;

/// Percent of the time from which on a disk has no more to give.
const BUSY: f64 = 95.0;
/// Milliseconds from which on an operation waits.
const WAITS: f64 = 50.0;
/// Percent of its limit from which on a container has no memory left.
const USED: f64 = 97.0;

pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for measure in &facts.measures {
        let Some(name) = measure.object.last().filter(|name| !name.is_empty()) else { continue };
        let field = measure.field.to_lowercase();
        if field == "%util" && measure.value >= BUSY && waits(facts, measure) {
            let cause = format!(
                "the disk `{name}` is busy all the time, and what is read and written waits for it"
            );
            let quotes = vec![facts.quote(measure.result, measure.line, &measure.text)];
            let target = Target::new("disk", name, "");
            found.push(Signal::of_values((Disk, 86.0), cause, target, quotes));
        } else if is_share_of_memory(&field) && measure.value >= USED {
            let cause = format!("the container `{name}` has nearly all memory of its limit in use");
            let quotes = vec![facts.quote(measure.result, measure.line, &measure.text)];
            let target = Target::new("container", name, "");
            found.push(Signal::of_values((OutOfMemory, 84.0), cause, target, quotes));
        }
    }
}

/// Whether an operation of the same disk waits.
fn waits(facts: &Facts, busy: &Measure) -> bool {
    facts.measures.iter().any(|one| {
        let is_wait = one.field.ends_with("await");
        is_wait && one.result == busy.result && one.object == busy.object && one.value >= WAITS
    })
}

/// What `docker stats` calls it, as a table and as JSON. Of a machine it may mean its caches.
fn is_share_of_memory(field: &str) -> bool {
    matches!(field, "memperc" | "mem %" | "mem_perc")
}
