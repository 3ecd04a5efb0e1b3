//! What goes wrong in a round, and when.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use rand::Rng as _;
use rand::rngs::StdRng;
use serde_json::Value;

use crate::chaos::fault::{Extent, Fault, Faults};
use crate::chaos::life::{Life, comes, is_end, number};
use crate::chaos::script::DISPATCHED;
use crate::viewer::Viewer;

/// The longest pause between an event and a fault, in milliseconds.
const LONGEST_PAUSE: u64 = 250;

/// When a fault comes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Point {
    /// While the alerts are submitted.
    Intake,
    /// When so many agents were dispatched, or have found something.
    Delegation(usize),
    /// So many events after the alert was submitted.
    Session(usize),
    /// So many events after the question was asked.
    Chat(usize),
}

/// What is done at a point.
#[derive(Debug)]
pub(super) enum Act {
    Fault(Fault),
    /// SIGKILL of the orchestrator that has the session, whichever that is by then.
    KillOwner,
}

/// A fault and when it comes.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) point: Point,
    pub(super) pause: Duration,
    pub(super) act: Act,
}

impl fmt::Display for Planned {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { point, pause, act } = self;
        match act {
            Act::Fault(fault) => write!(out, "{point:?} + {pause:?}: {fault}"),
            Act::KillOwner => write!(out, "{point:?} + {pause:?}: kill the owner"),
        }
    }
}

/// Chooses what goes wrong in the next round, in the order of a session's life. In each round the owner is killed while its agents
/// delegate; of one fault a round that is about every second one.
pub(super) fn choose(
    random: &mut StdRng,
    faults: &Faults,
    life: Life,
    extent: Extent,
) -> Vec<Planned> {
    let second = extent == Extent::All && random.random_ratio(1, 3);
    let at = random.random_range(0..life.session + life.chat - 2);
    let first = match at.checked_sub(life.session - 1) {
        _ if random.random_ratio(1, 8) => Point::Intake,
        None => Point::Session(at + 1),
        Some(at) => Point::Chat(at + 1),
    };
    let mut points = vec![first];
    if second && !matches!(first, Point::Chat(_)) {
        points.push(Point::Chat(random.random_range(1..life.chat)));
    }
    let steps = 2 * DISPATCHED.iter().sum::<usize>();
    let delegation = Point::Delegation(random.random_range(1..=steps));
    match extent {
        Extent::All => points.insert(usize::from(matches!(first, Point::Intake)), delegation),
        Extent::Short if random.random() => points = vec![delegation],
        Extent::Short => {}
    }
    let plan = points.into_iter().map(|point| Planned {
        point,
        pause: Duration::from_millis(random.random_range(0..=LONGEST_PAUSE)),
        act: match point {
            Point::Delegation(_) => Act::KillOwner,
            _ => Act::Fault(faults.choose(random)),
        },
    });
    plan.collect()
}

impl Point {
    /// Waits until a session has come to this point, or to the end of this part of it. A session that comes to no end is found
    /// out by those who follow it.
    pub(super) async fn is_reached(self, viewer: &Viewer) {
        match self {
            Self::Intake => {}
            Self::Delegation(steps) => {
                let is_so = |seen: &[Value]| delegated(seen) >= steps || seen.iter().any(is_end);
                drop(comes(viewer, &format!("{steps} steps of delegation"), is_so).await);
            }
            Self::Session(events) => {
                let is_so = |seen: &[Value]| published(seen) >= events || seen.iter().any(is_end);
                drop(comes(viewer, &format!("{events} events"), is_so).await);
            }
            Self::Chat(events) => {
                drop(comes(viewer, "the end", |seen| seen.iter().any(is_end)).await);
                // The answer may be there already, when an earlier fault lasted long.
                let end = viewer.seen().iter().find(|event| is_end(event)).map_or(0, number);
                let is_answered = |event: &Value| {
                    let over = event["type"] == "stage.status" && event["status"] != "started";
                    over && number(event) > end
                };
                let is_so = |seen: &[Value]| {
                    published(seen) >= end + events || seen.iter().any(is_answered)
                };
                drop(comes(viewer, &format!("{events} events of the question"), is_so).await);
            }
        }
    }
}

/// How many persistent events there are.
fn published(seen: &[Value]) -> usize {
    seen.iter().filter(|event| event["db_event_id"].is_i64()).count()
}

/// How many agents were dispatched, and how many of these have found something, together.
fn delegated(seen: &[Value]) -> usize {
    let dispatched: BTreeSet<&str> = seen
        .iter()
        .filter_map(|event| event["metadata"]["dispatched_execution_id"].as_str())
        .collect();
    let found = seen.iter().filter(|event| event["event_type"] == "final_analysis");
    let found: BTreeSet<&str> = found
        .filter_map(|event| event["execution_id"].as_str())
        .filter(|id| dispatched.contains(id))
        .collect();
    dispatched.len() + found.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_agent_that_was_dispatched_is_a_step_and_what_it_found_another_one() {
        let dispatch = |id: &str| json!({"metadata": {"dispatched_execution_id": id}});
        let found = |id: &str| json!({"event_type": "final_analysis", "execution_id": id});
        assert_eq!(delegated(&[dispatch("a"), dispatch("b"), found("lead")]), 2);
        // Events may come twice, after a connection was lost.
        assert_eq!(delegated(&[dispatch("a"), dispatch("a"), found("a"), found("a")]), 2);
    }
}
