//! The statement that makes up most of a database's load, where it can bring about what a metric shows.

use std::sync::LazyLock;

use regex::Regex;

use super::meaning::Work;
use crate::facts::{Facts, Statement, excerpt};
use crate::signal::Signal;
use crate::text::{code, regex};
use crate::verdict::Category;

/// The share of the load from which on one statement is most of it.
const MOST: f64 = 0.5;
/// What a statement adds to the weight of a cause.
const MORE: f64 = 8.0;

/// Adds the statement to a cause, if there is one.
pub(super) fn add(facts: &Facts, signal: &mut Signal, work: Work) {
    let Some(one) = heaviest(facts).filter(|one| fits(one, work)) else { return };
    let what = match work {
        Work::Computes => "a query uses most of it",
        Work::Writes => "most of the load is of the statement",
        Work::Waits => "most of them run the statement",
        Work::None => return,
    };
    signal.cause = format!("{}; {what}: {}", signal.cause, code(&excerpt(&one.text, "")));
    signal.weight += MORE;
    if signal.category == Category::Starvation {
        signal.category = Category::Database;
    }
    signal.quotes.push(facts.quote(one.result, one.line, &one.text));
}

/// The statement with most of the load of its result.
fn heaviest(facts: &Facts) -> Option<&Statement> {
    let largest = facts.statements.iter().max_by(|one, other| one.load.total_cmp(&other.load))?;
    let beside = facts.statements.iter().filter(|one| one.result == largest.result);
    let all: f64 = beside.map(|one| one.load).sum();
    Some(largest).filter(|one| one.load > 0.0 && one.load >= MOST * all)
}

fn fits(one: &Statement, work: Work) -> bool {
    static WRITES: LazyLock<Regex> = regex!(
        r"(?i)\b(?:insert|update|delete|merge|copy|replace into|load data|create table|alter table|vacuum|truncate)\b"
    );
    let wait = one.wait.to_ascii_lowercase();
    match work {
        Work::None => false,
        Work::Computes => wait.is_empty() || wait.starts_with("cpu"),
        Work::Writes => WRITES.is_match(&one.text),
        Work::Waits => wait.is_empty() || wait.contains("lock"),
    }
}
