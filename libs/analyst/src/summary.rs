//! Summaries: of an analysis for executives, of a tool's output for an investigator.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::alert::Focus;
use crate::report::LABEL;
use crate::rules;
use crate::sections::{Kind, bodies, split};

use crate::text::{code, plain, regex};
use crate::transcript::{CallRecord, Transcript};
use crate::verdict::is_statement;
use crate::{facts, rank};

/// Bytes of a token, about.
const TOKEN_BYTES: usize = 4;
/// Tokens of a summary whose limit is left to the analyst.
const DEFAULT_TOKENS: u32 = 1_000;
/// Bytes that are kept free for the frame of a summary.
const FRAME: usize = 120;
/// The longest sentence of an executive summary, in characters.
const LONGEST_SENTENCE: usize = 400;

static LOUD: LazyLock<Regex> = regex!(
    r"(?i)root cause|caused by|because|due to|conclu|recommend|fail|error|crash|exhaust|full|oom|timeout|impact|restart"
);
static WRAPPING: LazyLock<Regex> =
    regex!(r"(?i)executive summary|\byou are\b|summari[sz]|\bsentences\b|^write\b");

/// Two to four plain sentences from the analysis in the request.
pub(crate) fn executive(request: &str) -> String {
    let sections = split(request);
    let tagged = bodies(&sections, Kind::Background);
    let analysis = if tagged.is_empty() { request } else { &tagged };
    let mut chosen = own(analysis);
    if chosen.is_empty() {
        chosen = key_sentences(analysis);
    }
    if chosen.is_empty() {
        chosen.push("The analysis has no statement that could be summarized.".to_owned());
    }
    chosen.truncate(3);
    chosen.push(LABEL.to_owned());
    chosen.join(" ")
}

/// What became of the alert's statement, the cause and the first step of the analyst's own report.
fn own(analysis: &str) -> Vec<String> {
    let after = |heading: &str| {
        let at = analysis.find(heading)?;
        let rest = analysis.get(at + heading.len()..)?;
        rest.lines().find(|line| !line.trim().is_empty())
    };
    let cause =
        after("## Most likely cause").map(|cause| format!("Most likely cause: {}", plain(cause)));
    let Some(finding) = cause.or_else(|| after("## No cause found").map(plain)) else {
        return Vec::new();
    };
    let statement = analysis.lines().find(|line| is_statement(line)).map(plain);
    let mut found: Vec<String> = statement.into_iter().chain([finding]).collect();
    if let Some(step) = after("### Next steps") {
        found.push(format!("Next step: {}", plain(step.trim_start_matches(['1', '.', ' ', '-']))));
    }
    found
}

fn key_sentences(analysis: &str) -> Vec<String> {
    static END: LazyLock<Regex> = regex!(r"[.!?]\s+");
    let mut sentences: Vec<String> = Vec::new();
    for line in analysis.lines().map(plain) {
        let mut begin = 0;
        for found in END.find_iter(&line) {
            sentences.push(line.get(begin..found.start() + 1).unwrap_or_default().to_owned());
            begin = found.end();
        }
        sentences.push(line.get(begin..).unwrap_or_default().to_owned());
    }
    sentences.retain(|one| one.chars().count() > 25 && !WRAPPING.is_match(one));
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    let weight = |at: usize| {
        sentences.get(at).map_or(0, |one| LOUD.find_iter(one).count()) + usize::from(at == 0)
    };
    order.sort_by_key(|at| (std::cmp::Reverse(weight(*at)), *at));
    order.truncate(3);
    order.sort_unstable();
    order
        .into_iter()
        .filter_map(|at| sentences.get(at))
        .map(|one| {
            let short: String = one.chars().take(LONGEST_SENTENCE).collect();
            if short.ends_with(['.', '!', '?']) { short } else { format!("{short}.") }
        })
        .collect()
}

/// Whether a line has a value: the brackets of JSON and the names before them have none.
fn has_value(line: &str) -> bool {
    let line = line.trim();
    line.contains(char::is_alphanumeric) && !line.ends_with(['{', '['])
}

/// The significant lines of a tool's output, word for word, within the limit.
pub(crate) fn of_tool(request: &str, max_tokens: Option<u32>) -> String {
    let output = largest_block(request);
    let before = request.find(output.get(..output.floor_char_boundary(200)).unwrap_or(output));
    let before = before.and_then(|at| request.get(..at)).unwrap_or_default();
    let transcript = Transcript {
        calls: vec![CallRecord {
            number: 1,
            tool: String::new(),
            arguments: Value::Null,
            text: output.to_owned(),
            failed: false,
        }],
        ..Transcript::default()
    };
    let focus = Focus::read(before);
    let facts = facts::read(&transcript, &focus);
    let ranked = rank::rank(rules::find(&facts), &focus, &facts);
    let mut lines =
        vec![format!("{} lines were read. {LABEL}", output.lines().count()), String::new()];
    let mut quotes: Vec<String> = ranked
        .iter()
        .flat_map(|one| one.signal.quotes.iter().take(6))
        .map(|quote| format!("- {}", code(&quote.text)))
        .collect();
    if quotes.is_empty() {
        lines.push("Nothing in it points to a fault. It begins with:".to_owned());
        let first = output.lines().filter(|line| has_value(line)).take(12);
        quotes = first.map(|line| format!("- {}", code(&facts::excerpt(line, "")))).collect();
    }
    let mut seen = std::collections::HashSet::new();
    lines.extend(quotes.into_iter().filter(|line| seen.insert(line.clone())));
    let tokens = max_tokens.filter(|tokens| *tokens > 0).unwrap_or(DEFAULT_TOKENS);
    let mut left = (tokens as usize * TOKEN_BYTES).saturating_sub(FRAME);
    let mut kept = Vec::new();
    for line in lines {
        let Some(rest) = left.checked_sub(line.len() + 1) else { break };
        left = rest;
        kept.push(line);
    }
    kept.join("\n") + "\n"
}

/// The tool's output in a request: the largest tagged or fenced block, else all of it.
fn largest_block(request: &str) -> &str {
    let tagged =
        ["tool_output", "tool_result", "output", "result", "data"].iter().filter_map(|name| {
            let open = request.find(&format!("<{name}"))?;
            let begin = open + request.get(open..)?.find('>')? + 1;
            let end = request.rfind(&format!("</{name}>"))?;
            request.get(begin..end).map(|text| text.trim_matches('\n'))
        });
    let fenced = || {
        let begin = request.find("```")?;
        let begin = begin + request.get(begin..)?.find('\n')? + 1;
        let end = request.rfind("\n```")?;
        request.get(begin..end)
    };
    let largest = tagged.chain(fenced()).max_by_key(|text| text.len()).unwrap_or_default();
    if largest.len() > request.len() / 3 || request.contains("<tool_output>") {
        largest
    } else {
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_without_findings_begins_with_lines_that_have_values() {
        let result = "{\n  \"path\": \"/var/log/dpkg.log\",\n  \"lines\": [\n    \"status installed\"\n  ]\n}";
        let text = of_tool(result, None);
        let quotes: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(quotes.len(), 2, "{text}");
        assert!(quotes[0].contains("/var/log/dpkg.log"), "{text}");
        assert!(quotes[1].contains("status installed"), "{text}");
    }
}
