//! Messages inside an object of an error, as loggers write it: `"err": {"type": …, "message": …, "stack": …}`, and the forms
//! of it that are text.

use std::sync::LazyLock;

use regex::Regex;
use tarsy_evidence::{Entry, Node, Shape, documents};

use crate::alert::snake;
use crate::text::regex;

/// Keys of an error, as an object or a text.
const ERRORS: &[&str] = &[
    "err",
    "error",
    "errors",
    "exception",
    "exceptions",
    "cause",
    "caused_by",
    "exc_info",
    "failure",
    "_x",
];
/// What the keys in such an object end in, that hold its words.
const WORDS: &[&str] = &[
    "message",
    "msg",
    "value",
    "verbose",
    "stack",
    "stacktrace",
    "detail",
    "details",
    "text",
    "reason",
    "type",
    "class",
    "name",
    "kind",
    "description",
];
/// Keys of levels.
const LEVELS: &[&str] =
    &["level", "lvl", "loglevel", "log_level", "levelname", "severity", "severity_text", "_l"];
/// Errors in errors.
const DEEPEST: usize = 8;
/// Shorter texts are codes.
const SHORTEST: usize = 6;

/// The messages of errors in a document, each with its line.
pub(super) fn of_document(node: &Node) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    walk(node, false, DEEPEST, &mut found);
    found
}

/// The messages of errors in a line that is no document: of an object behind a time or a name, and of `err="…"`.
pub(super) fn of_line(line: &str) -> Vec<String> {
    static PAIR: LazyLock<Regex> =
        regex!(r#"(?i)\b(?:err|error|exception|cause)="(?P<text>(?:[^"\\]|\\.){6,})""#);
    if let Some(object) = line.find("{\"").and_then(|at| line.get(at..)) {
        return inside(object, DEEPEST);
    }
    let texts = PAIR.captures_iter(line).filter_map(|found| found.name("text"));
    texts.map(|text| text.as_str().replace("\\\"", "\"")).collect()
}

/// The messages of errors in a text that is a document.
fn inside(text: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    for node in documents(text.trim()) {
        walk(&node, false, depth, &mut found);
    }
    found.into_iter().map(|(_, text)| text).collect()
}

fn walk(node: &Node, is_error: bool, depth: usize, found: &mut Vec<(usize, String)>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match &node.shape {
        Shape::Scalar(text) if text.trim_start().starts_with('{') => {
            let mut inner = Vec::new();
            for one in documents(text.trim()) {
                walk(&one, is_error, depth, &mut inner);
            }
            found.extend(inner.into_iter().map(|(_, text)| (node.line, text)));
        }
        Shape::List(items) => items.iter().for_each(|item| walk(item, is_error, depth, found)),
        Shape::Map(entries) if !is_calm(entries) => {
            for entry in entries {
                add(entry, is_error, depth, found);
            }
        }
        Shape::Scalar(_) | Shape::Map(_) => {}
    }
}

fn add(entry: &Entry, is_error: bool, depth: usize, found: &mut Vec<(usize, String)>) {
    let key = snake(&entry.key);
    let parts = || key.rsplit_once('_').unwrap_or(("", &key));
    let is_flat = matches!(parts().0, "err" | "error" | "exception" | "exc");
    let has_words = (is_error || is_flat) && WORDS.contains(&parts().1);
    let is_own = ERRORS.contains(&key.as_str());
    match &entry.value.shape {
        Shape::Scalar(text) if (has_words || is_own) && !text.trim_start().starts_with('{') => {
            let first = text.lines().map(str::trim).find(|line| !line.is_empty());
            let message = first.filter(|line| line.len() >= SHORTEST);
            found.extend(message.map(|line| (entry.value.line, line.to_owned())));
        }
        _ => walk(&entry.value, is_error || is_own, depth, found),
    }
}

/// Whether an object is a line of a log with a level below a warning.
fn is_calm(entries: &[Entry]) -> bool {
    let level = entries.iter().find(|entry| LEVELS.contains(&snake(&entry.key).as_str()));
    let level = level.and_then(|entry| entry.value.text()).unwrap_or_default().to_lowercase();
    // Numbers are those of pino and bunyan.
    ["trace", "debug", "verbose", "info", "information", "notice", "10", "20", "30"]
        .contains(&level.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_an_error_is_read_in_the_forms_of_loggers() {
        let message = "connect refused by db-1";
        for line in [
            r#"{"level":50,"err":{"type":"E","message":"connect refused by db-1","stack":"E"}}"#,
            r#"{"level":"error","error":"connect refused by db-1"}"#,
            r#"{"level":"error","error.message":"connect refused by db-1"}"#,
            r#"{"exception":{"exception_message":"connect refused by db-1"}}"#,
            r#"{"err":"{\"message\":\"connect refused by db-1\"}"}"#,
            r#"{"log":"{\"err\":{\"message\":\"connect refused by db-1\"}}\n","stream":"stderr"}"#,
            r#"{"err":{"cause":{"message":"connect refused by db-1"}}}"#,
            r#"{"errors":[{"message":"connect refused by db-1"}]}"#,
            r#"2026-05-01T10:00:00Z web {"err":{"message":"connect refused by db-1"}}"#,
            r#"level=error msg="call failed" err="connect refused by db-1""#,
        ] {
            assert_eq!(of_line(line), [message], "{line}");
        }
    }

    #[test]
    fn other_members_and_calm_lines_have_none() {
        for line in [
            r#"{"level":"info","error":"connect refused by db-1"}"#,
            r#"{"level":30,"err":{"message":"connect refused by db-1"}}"#,
            r#"{"level":"error","msg":"connect refused by db-1"}"#,
            r#"{"message":"connect refused by db-1","url":"/errors"}"#,
            r#"{"err":null,"error":{},"errors":[]}"#,
        ] {
            assert!(of_line(line).is_empty(), "{line}");
        }
    }
}
