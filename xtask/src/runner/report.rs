//! What people read of a run.

use std::fmt::Write as _;
use std::time::Duration;

use super::job::{Outcome, Output, Test};

/// So many of the slowest tests are named.
const SLOWEST: usize = 10;

/// The line of an ended job; below it, what its failed tests printed. A program without tests has no line.
pub(super) fn line(outcome: &Outcome) -> String {
    if outcome.passed() && outcome.tests.is_empty() && outcome.job.output == Output::Events {
        return String::new();
    }
    let state = if outcome.passed() { "ok    " } else { "FAILED" };
    let tests = match outcome.job.output {
        Output::Events => format!("{:>5} tests", outcome.tests.len()),
        Output::Text => " ".repeat(11),
    };
    let mut text = format!(
        "{state} {:>6.1} s {:>6.1} s of a core {tests}  {}",
        outcome.time.as_secs_f64(),
        outcome.processor.as_secs_f64(),
        outcome.job.name
    );
    if outcome.job.output == Output::Text {
        let last = outcome.printed.lines().rev().find(|line| !line.trim().is_empty());
        let _ = write!(text, ": {}", last.unwrap_or_default().trim());
    }
    text.push('\n');
    if let Some(failure) = &outcome.failure {
        text.push_str(&details(outcome, failure));
    }
    text
}

/// What a failed job printed: all of each failed test, its reason last.
fn details(outcome: &Outcome, failure: &str) -> String {
    let mut text = String::new();
    let failed = outcome.tests.iter().filter(|test| !test.passed);
    for test in failed.clone() {
        let _ = writeln!(
            text,
            "\n──── {} · {}\n{}",
            outcome.job.name,
            test.name,
            test.output.trim_end()
        );
    }
    if failed.count() == 0 {
        let _ = writeln!(text, "\n──── {}\n{}", outcome.job.name, outcome.printed.trim_end());
    }
    let _ = writeln!(text, "──── {}: {failure}\n", outcome.job.name);
    text
}

/// What all jobs that ended came to.
#[derive(Debug, Default)]
pub(super) struct Summary {
    outcomes: Vec<Outcome>,
}

impl Summary {
    pub(super) fn add(&mut self, outcome: Outcome) {
        self.outcomes.push(outcome);
    }

    /// How many jobs have ended.
    pub(super) fn jobs(&self) -> usize {
        self.outcomes.len()
    }

    pub(super) fn failed(&self) -> bool {
        !self.outcomes.iter().all(Outcome::passed)
    }

    /// The slowest tests, what failed, and the counts as the last line. `idle` is the part of the processors that nothing
    /// used, 0 to 1.
    pub(super) fn text(&self, time: Duration, idle: f64) -> String {
        let mut text = String::from("\nthe slowest tests:\n");
        for (job, test) in self.slowest() {
            let _ = writeln!(text, "{:>6.1} s  {job} · {}", test.time.as_secs_f64(), test.name);
        }
        let programs: Duration = self.outcomes.iter().map(|outcome| outcome.time).sum();
        let processor: Duration = self.outcomes.iter().map(|outcome| outcome.processor).sum();
        let _ = writeln!(
            text,
            "{} programs took {:.1} minutes of a program's time and {:.1} minutes of a core in {:.1} minutes; {:.0} % of the processors were idle\n",
            self.outcomes.len(),
            programs.as_secs_f64() / 60.0,
            processor.as_secs_f64() / 60.0,
            time.as_secs_f64() / 60.0,
            idle * 100.0,
        );
        let mut failed = 0;
        for outcome in self.outcomes.iter().filter(|outcome| !outcome.passed()) {
            let tests: Vec<&str> = outcome
                .tests
                .iter()
                .filter(|test| !test.passed)
                .map(|test| test.name.as_str())
                .collect();
            // A program that fails without a failed test counts as one.
            failed += tests.len().max(1);
            let _ = writeln!(text, "FAILED {}: {}", outcome.job.name, tests.join(", "));
        }
        let passed = self
            .outcomes
            .iter()
            .flat_map(|outcome| &outcome.tests)
            .filter(|test| test.passed)
            .count();
        let _ = writeln!(text, "{passed} passed, {failed} failed");
        text
    }

    fn slowest(&self) -> Vec<(&str, &Test)> {
        let mut all: Vec<(&str, &Test)> = self
            .outcomes
            .iter()
            .flat_map(|outcome| outcome.tests.iter().map(|test| (outcome.job.name.as_str(), test)))
            .collect();
        all.sort_by_key(|(_, test)| std::cmp::Reverse(test.time));
        all.truncate(SLOWEST);
        all
    }
}
