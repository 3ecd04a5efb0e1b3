//! Tests that the tables of attacks name: each exists, and each attack has one.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Context as _;

use crate::retired;

/// Where tests are named beside promises.
const DOCUMENTS: [&str; 2] = ["SECURITY.md", "tests/threats.md"];
/// The table in which every row names one.
const TABLE: &str = "tests/threats.md";
/// The fewest words of the name of a test, which is a sentence.
const WORDS: usize = 4;
/// Keys of the configuration with as many.
const KEYS: [&str; 1] = ["search_with_tool_text"];

/// How many tests are named, and which do not exist, or which attack has none.
pub(crate) fn problems(root: &Path) -> anyhow::Result<(usize, Vec<String>)> {
    let (functions, texts) = tests(root)?;
    let (mut named, mut problems) = (0, Vec::new());
    for document in DOCUMENTS {
        let text = std::fs::read_to_string(root.join(document)).context(document)?;
        for (at, line) in text.lines().enumerate() {
            let place = format!("{document}:{}", at + 1);
            if document == TABLE && lacks_test(line) {
                problems.push(format!("{place}: this attack has no test"));
            }
            for Named { name, is_browser } in names(line) {
                named += 1;
                let exists =
                    if is_browser { texts.contains(name) } else { functions.contains(name) };
                if !exists {
                    problems.push(format!("{place}: there is no test {name}"));
                }
            }
        }
    }
    Ok((named, problems))
}

/// A test, as a document names it.
#[derive(Debug, PartialEq, Eq)]
struct Named<'a> {
    name: &'a str,
    /// Whether it is one of the dashboard, which has a text in place of a name.
    is_browser: bool,
}

/// The tests that a line names in its spans of code.
fn names(line: &str) -> Vec<Named<'_>> {
    let parts: Vec<&str> = line.split('`').collect();
    let spans = parts.iter().enumerate().filter(|(at, _)| at % 2 == 1);
    let named = spans.filter_map(|(at, name)| {
        let is_browser = parts.get(at + 1).is_some_and(|after| after.starts_with(" (vitest)"));
        (is_browser || is_name(name)).then_some(Named { name, is_browser })
    });
    named.collect()
}

fn is_name(text: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    text.split('_').count() >= WORDS && text.bytes().all(is_sign) && !KEYS.contains(&text)
}

/// Whether a line is a row of a table whose last cell names no test, and does not refer to the row before it.
fn lacks_test(line: &str) -> bool {
    let cells: Vec<&str> = line.trim().trim_matches('|').split(" | ").collect();
    let is_row = line.starts_with("| ") && cells.len() == 3;
    let last = cells.last().map(|cell| cell.trim()).unwrap_or_default();
    is_row && last != "test" && last != "the same" && names(last).is_empty()
}

/// The names of all functions of Rust and Python, and the texts of the dashboard's tests.
fn tests(root: &Path) -> anyhow::Result<(HashSet<String>, HashSet<String>)> {
    let (mut functions, mut texts) = (HashSet::new(), HashSet::new());
    for path in retired::files(root)? {
        let text = std::fs::read_to_string(&path)?;
        match path.extension().and_then(|kind| kind.to_str()) {
            Some("ts" | "tsx") => {
                let quoted = text.split(['\'', '"', '`']).map(str::to_owned);
                texts.extend(quoted);
            }
            _ => functions.extend(text.lines().filter_map(function)),
        }
    }
    Ok((functions, texts))
}

/// The name of the function that a line begins.
fn function(line: &str) -> Option<String> {
    let (_, after) = line.split_once("fn ").or_else(|| line.split_once("def "))?;
    after.split_once('(').map(|(name, _)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_named_by_sentences_and_those_of_the_dashboard_by_texts() {
        let line = "| a | `policy.mode` and `search_with_tool_text` | `a_test_of_it`, `reads it` (vitest) |";
        let expected = [
            Named { name: "a_test_of_it", is_browser: false },
            Named { name: "reads it", is_browser: true },
        ];
        assert_eq!(names(line), expected);
        assert!(!lacks_test(line));
    }

    #[test]
    fn an_attack_without_a_test_is_found() {
        assert!(lacks_test("| read it | a list | |"));
        assert!(lacks_test("| read it | a list | `policy.mode` |"));
        for line in [
            "| attack | defence | test |",
            "|---|---|---|",
            "| read it | a list | the same |",
            "text",
        ] {
            assert!(!lacks_test(line), "{line}");
        }
    }

    #[test]
    fn functions_of_rust_and_python_are_found() {
        assert_eq!(function("    async fn a_test_of_it() {").as_deref(), Some("a_test_of_it"));
        assert_eq!(function("def test_it(server):").as_deref(), Some("test_it"));
        assert_eq!(function("let a = 5;"), None);
    }
}
