//! What libtest prints as JSON, an event a line.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;

use super::job::Test;

/// A line of libtest; fields of other events are left out.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Test(TestLine),
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct TestLine {
    event: String,
    name: String,
    /// Seconds.
    #[serde(default)]
    exec_time: f64,
    #[serde(default)]
    stdout: String,
}

/// The tests of a program, while their events arrive.
#[derive(Debug, Default)]
pub(super) struct Events {
    running: BTreeSet<String>,
    ended: Vec<Test>,
    /// The last lines that are no event.
    printed: String,
}

/// More of a program's own output is not kept: the end of it is what says why it ended.
const PRINTED: usize = 64 * 1024;

impl Events {
    /// Reads a line. A program may have written something else before the event on the same line.
    pub(super) fn read(&mut self, line: &str) {
        let start = line.find("{ \"type\"").or_else(|| line.find("{\"type\""));
        let event = start.and_then(|start| line.get(start..));
        match event.and_then(|event| serde_json::from_str(event).ok()) {
            Some(Line::Test(test)) => self.test(test),
            Some(Line::Other) => {}
            None => self.print(line),
        }
    }

    /// Keeps a line that is no event.
    pub(super) fn print(&mut self, line: &str) {
        self.printed.push_str(line);
        self.printed.push('\n');
        if self.printed.len() > 2 * PRINTED {
            let cut = self.printed.ceil_char_boundary(self.printed.len() - PRINTED);
            self.printed.drain(..cut);
        }
    }

    fn test(&mut self, test: TestLine) {
        let passed = match test.event.as_str() {
            "started" => {
                self.running.insert(test.name);
                return;
            }
            "ok" => true,
            "failed" => false,
            _ => return,
        };
        self.running.remove(&test.name);
        // A time that is no number is no time.
        let time = Duration::try_from_secs_f64(test.exec_time).unwrap_or_default();
        self.ended.push(Test { name: test.name, passed, time, output: test.stdout });
    }

    /// The tests that began and did not end.
    pub(super) fn running(&self) -> impl Iterator<Item = &str> {
        self.running.iter().map(String::as_str)
    }

    /// The tests that ended, and what else was printed.
    pub(super) fn into_parts(self) -> (Vec<Test>, String) {
        (self.ended, self.printed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Events {
        let mut events = Events::default();
        for line in lines {
            events.read(line);
        }
        events
    }

    #[test]
    fn a_test_has_its_seconds_and_a_failed_one_its_output() {
        let events = read(&[
            r#"{ "type": "suite", "event": "started", "test_count": 2 }"#,
            r#"{ "type": "test", "event": "started", "name": "one" }"#,
            r#"{ "type": "test", "name": "one", "event": "ok", "exec_time": 1.5 }"#,
            r#"{ "type": "test", "event": "started", "name": "two" }"#,
            r#"{ "type": "test", "name": "two", "event": "failed", "exec_time": 0.25, "stdout": "it is 3\n" }"#,
            r#"{ "type": "suite", "event": "failed", "passed": 1, "failed": 1 }"#,
        ]);
        assert_eq!(events.running().count(), 0);
        let (tests, printed) = events.into_parts();
        let ended: Vec<_> = tests
            .iter()
            .map(|one| (one.name.as_str(), one.passed, one.time.as_millis(), one.output.as_str()))
            .collect();
        assert_eq!(ended, [("one", true, 1500, ""), ("two", false, 250, "it is 3\n")]);
        assert_eq!(printed, "");
    }

    #[test]
    fn what_began_and_did_not_end_is_named() {
        let events = read(&[r#"{ "type": "test", "event": "started", "name": "endless" }"#]);
        assert_eq!(events.running().collect::<Vec<_>>(), ["endless"]);
    }

    #[test]
    fn an_event_counts_behind_other_text_and_other_text_is_kept() {
        let events = read(&[
            "thread 'main' panicked",
            r#"half a line{ "type": "test", "name": "one", "event": "ok", "exec_time": 0.1 }"#,
        ]);
        let (tests, printed) = events.into_parts();
        assert_eq!(tests.len(), 1);
        assert_eq!(printed, "thread 'main' panicked\n");
    }

    #[test]
    fn of_endless_output_the_end_is_kept() {
        let mut events = Events::default();
        for _ in 0..100_000 {
            events.print("ä line of output");
        }
        events.print("the reason");
        let (_, printed) = events.into_parts();
        assert!(printed.len() <= 2 * PRINTED && printed.ends_with("the reason\n"));
    }
}
