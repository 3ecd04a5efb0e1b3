//! Log files: which of those that a list names are read.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, json};

use super::candidate::Candidate;
use super::policy::words;
use super::realize::fill_rest;
use super::schema::required;
use super::topics::significant;
use crate::alert::{Focus, kind_of_key};
use crate::facts::Facts;
use crate::text::regex;
use crate::transcript::{Tool, ToolCall};

/// Log files that are read; a list may have hundreds.
const MOST_LOGS: usize = 8;
/// What a log is worth whose name shares a word with the alert, and any other one.
const NEAR: f64 = 88.0;
const OTHER: f64 = 60.0;
/// How much less the next one is worth: lists have the file first that was written last.
const STEP: f64 = 1.5;

/// A call of each tool that reads a log file for each of the files that results name.
pub(super) fn candidates(tools: &[&Tool], focus: &Focus, facts: &Facts) -> Vec<Candidate> {
    let readers = tools.iter().filter_map(|tool| Some((*tool, path_of(tool)?)));
    let paths = paths(focus, facts);
    let call = |tool: &Tool, parameter: &str, at: usize, path: &Path| {
        let arguments = Map::from_iter([(parameter.to_owned(), json!(path.text))]);
        #[expect(clippy::cast_precision_loss, reason = "at most eight")]
        let value = if path.is_near { NEAR } else { OTHER } - at as f64 * STEP;
        let purpose = format!("the log {}", path.text);
        let call =
            ToolCall { tool: tool.name.clone(), arguments: fill_rest(tool, arguments)?, purpose };
        Some(Candidate { value, call })
    };
    readers
        .flat_map(|(tool, parameter)| {
            paths.iter().enumerate().filter_map(move |(at, path)| call(tool, parameter, at, path))
        })
        .collect()
}

/// The logs whose names share a word with the alert.
pub(super) fn near(focus: &Focus, facts: &Facts) -> Vec<String> {
    let paths = paths(focus, facts).into_iter().filter(|path| path.is_near);
    paths.map(|path| path.text).collect()
}

/// The required parameter for the path of a tool that reads one log.
fn path_of(tool: &Tool) -> Option<&str> {
    let is_log = |word: &String| matches!(word.as_str(), "log" | "logs" | "logfile");
    let reads = words(tool.short_name()).iter().any(is_log);
    let is_path = |name: &&str| matches!(kind_of_key(name), Some("path"));
    required(tool).into_iter().find(is_path).filter(|_| reads)
}

struct Path {
    text: String,
    is_near: bool,
}

/// The log files that results name: those that share a word with the alert first, each group in the order of the results.
fn paths(focus: &Focus, facts: &Facts) -> Vec<Path> {
    static PATH: LazyLock<Regex> =
        regex!(r"/var/log/[A-Za-z0-9_./@+-]*[A-Za-z0-9_]|/[A-Za-z0-9_./@+-]+\.log\b");
    let called = focus.called_services().map(|one| one.name.as_str());
    let words: Vec<&str> = std::iter::once(focus.words()).chain(called).collect();
    let about: Vec<String> = significant(&words.join("\n")).iter().map(|word| stem(word)).collect();
    let mut found: Vec<Path> = Vec::new();
    for line in facts.results.iter().flat_map(|result| &result.lines) {
        for path in PATH.find_iter(line).map(|path| path.as_str()) {
            if found.iter().any(|one| one.text == path) || is_packed(path) {
                continue;
            }
            let of_path = significant(path.trim_start_matches("/var/log/"));
            let is_near = of_path.iter().any(|word| word != "log" && about.contains(&stem(word)));
            found.push(Path { text: path.to_owned(), is_near });
        }
    }
    found.sort_by_key(|path| !path.is_near);
    found.truncate(MOST_LOGS);
    found
}

/// A word without the ending of its plural.
fn stem(word: &str) -> String {
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

fn is_packed(path: &str) -> bool {
    [".gz", ".xz", ".zst", ".bz2"].iter().any(|end| path.ends_with(end))
}
