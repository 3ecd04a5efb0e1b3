//! What a run has found so far.

use crate::output;
use crate::table::{self, Row};

/// The rows of the parts, and why parts have none.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Vec<(&'static str, Row)>,
    failures: Vec<String>,
}

impl Report {
    /// Adds what a part has measured. What is known of a failure is printed at once; its line stands below the table.
    pub(crate) fn add(&mut self, part: &'static str, measured: anyhow::Result<Vec<Row>>) {
        match measured {
            Ok(rows) if rows.is_empty() => self.failures.push(format!("{part} has no row")),
            Ok(rows) => self.rows.extend(rows.into_iter().map(|row| (part, row))),
            Err(error) => {
                let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
                output::step(&format!("{part} failed: {}", causes.join("\ncaused by: ")));
                self.failures.push(format!("{part} failed: {}", reason(&causes)));
            }
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.failures.is_empty()
    }

    /// The table, and below it a line for each part that failed.
    pub(crate) fn text(&self) -> String {
        let mut text = table::draw(&self.rows);
        for failure in &self.failures {
            text.extend(["\n", failure]);
        }
        text
    }
}

/// The causes in one line. A cause of several lines is a log, which was printed before.
fn reason(causes: &[String]) -> String {
    let first = causes.first().and_then(|cause| cause.lines().next());
    let others = causes.iter().skip(1).map(String::as_str).filter(|cause| !cause.contains('\n'));
    first.into_iter().chain(others).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use crate::table::Measure;

    use super::*;

    #[test]
    fn a_part_that_fails_takes_no_other_rows_away() {
        let mut report = Report::default();
        let row = |path: &str| Row::alone(path.to_owned(), Measure::Rate(1.0));
        report.add("first", Ok(vec![row("a path")]));
        let logs = anyhow::anyhow!("the logs end so:\nlong");
        report.add("second", Err(logs.context("waited 60s in vain until it ends; last seen: 2")));
        report.add("third", Ok(vec![row("another path")]));
        report.add("fourth", Ok(Vec::new()));
        let text = report.text();
        assert!(text.contains("a path") && text.contains("another path"), "{text}");
        let end =
            "\nsecond failed: waited 60s in vain until it ends; last seen: 2\nfourth has no row";
        assert!(text.ends_with(end), "{text}");
        assert!(!report.is_whole());
    }
}
