//! Calls that change something, of agents of type `action`: what is said of them before, and how their effect is judged.

mod alert;
mod expectation;
mod offer;
mod outcome;
mod plan;

pub(crate) use crate::engine::action::alert::{statement, states};
pub(crate) use crate::engine::action::expectation::{Held, Reading, compare};
pub(crate) use crate::engine::action::offer::with_field;
pub(crate) use crate::engine::action::outcome::{Purpose, Seen, judge};
pub(crate) use crate::engine::action::plan::{FIELD, read};
