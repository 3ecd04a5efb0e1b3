//! What people read of a run.

use std::fmt::Write as _;
use std::time::Duration;

use super::job::{Outcome, Output, Test};

/// So many of the slowest tests are named.
const SLOWEST: usize = 10;
/// A test that takes longer is named, too, unless it is an exception.
const LONG: Duration = Duration::from_mins(1);
/// Has the table of the exceptions.
const CONTRIBUTING: &str = include_str!("../../../CONTRIBUTING.md");

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
        let tests = self.slowest_first();
        for (name, time) in tests.iter().take(SLOWEST) {
            let exception = if is_exception(name) { " (may take longer)" } else { "" };
            let _ = writeln!(text, "{:>6.1} s  {name}{exception}", time.as_secs_f64());
        }
        for (name, _) in tests.iter().take_while(|(_, time)| *time > LONG) {
            if !is_exception(name) {
                let _ = writeln!(
                    text,
                    "longer than {} s, and no exception of CONTRIBUTING.md: {name}",
                    LONG.as_secs()
                );
            }
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

    /// All tests with their programs.
    fn slowest_first(&self) -> Vec<(String, Duration)> {
        let tests = self.outcomes.iter().flat_map(|outcome| {
            let name = |test: &Test| format!("{} · {}", outcome.job.name, test.name);
            outcome.tests.iter().map(move |test| (name(test), test.time))
        });
        let mut tests: Vec<(String, Duration)> = tests.collect();
        tests.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        tests
    }
}

fn is_exception(name: &str) -> bool {
    exceptions(CONTRIBUTING).any(|exception| exception == name)
}

/// The first cells of the table that have a program and a test.
fn exceptions(page: &str) -> impl Iterator<Item = &str> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    cells.map(|(name, _)| name).filter(|name| name.contains(" · "))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::job::Job;
    use super::*;

    fn outcome(tests: &[(&str, u64)]) -> Outcome {
        let test = |(name, seconds): &(&str, u64)| Test {
            name: (*name).to_owned(),
            passed: true,
            time: Duration::from_secs(*seconds),
            output: String::new(),
        };
        Outcome {
            job: Job::named("tests it"),
            time: Duration::ZERO,
            processor: Duration::ZERO,
            tests: tests.iter().map(test).collect(),
            failure: None,
            printed: String::new(),
        }
    }

    #[test]
    fn a_test_that_takes_longer_than_a_minute_is_named_and_fails_nothing() {
        let mut summary = Summary::default();
        summary.add(outcome(&[("short", 59), ("long", 61)]));
        let text = summary.text(Duration::from_secs(61), 0.5);
        let long = "longer than 60 s, and no exception of CONTRIBUTING.md: tests it · long\n";
        assert!(text.contains(long) && !summary.failed(), "{text}");
        assert_eq!(text.matches("no exception").count(), 1, "{text}");
    }

    #[test]
    fn at_most_three_tests_are_exceptions_and_are_there() {
        let names: Vec<&str> = exceptions(CONTRIBUTING).collect();
        assert!((1..=3).contains(&names.len()), "{names:?}");
        for name in names {
            let module = name.split_once(" · ").and_then(|(_, test)| test.split_once("::"));
            let (module, test) = module.unwrap_or_default();
            let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
                .join(format!("../tests/tests/it/{module}.rs"));
            let source = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(source.contains(&format!("fn {test}(")), "{name}");
            assert!(is_exception(name));
        }
    }
}
