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
use crate::verdict::{Quote, is_statement};
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
    let significant = ranked.iter().flat_map(|one| one.signal.quotes.iter().take(6));
    let mut parts = Parts::default();
    let all: Vec<&str> = output.lines().collect();
    significant.for_each(|quote| parts.add(quote, &all));
    let head = format!("{} lines were read. {LABEL}", all.len());
    let mut lines = vec![head, String::new()];
    if parts.is_empty() {
        lines.push("Nothing in it points to a fault. It begins with:".to_owned());
        let first = all.iter().filter(|line| has_value(line)).take(12);
        parts.listed.extend(first.map(|line| item(&facts::excerpt(line, ""))));
    }
    let tokens = max_tokens.filter(|tokens| *tokens > 0).unwrap_or(DEFAULT_TOKENS);
    let mut left = (tokens as usize * TOKEN_BYTES).saturating_sub(FRAME);
    let mut fits = |line: &String| {
        let rest = left.checked_sub(line.len() + 1);
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    for (heading, rows) in parts.tables {
        let rows: Vec<String> =
            std::iter::once(heading).chain(rows).map(str::to_owned).take_while(&mut fits).collect();
        if rows.len() > 1 {
            lines.push("```text".to_owned());
            lines.extend(rows);
            // The table ends at a line without a row, for whoever reads it again.
            lines.extend([String::new(), "```".to_owned()]);
        }
    }
    lines.extend(parts.listed.into_iter().take_while(fits));
    lines.join("\n") + "\n"
}

/// The significant lines of an output: rows below the headings of their tables, without which nobody knows what they are of,
/// and others.
#[derive(Default)]
struct Parts<'o> {
    tables: Vec<(&'o str, Vec<&'o str>)>,
    listed: Vec<String>,
}

impl<'o> Parts<'o> {
    fn add(&mut self, quote: &Quote, all: &[&'o str]) {
        let row = quote.line.checked_sub(1).and_then(|at| all.get(at)).copied();
        let (Some(row), Some(heading)) = (row, facts::heading_above(all, quote.line)) else {
            let line = item(&quote.text);
            if !self.listed.contains(&line) {
                self.listed.push(line);
            }
            return;
        };
        match self.tables.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, rows)) if rows.contains(&row) => {}
            Some((_, rows)) => rows.push(row),
            None => self.tables.push((heading, vec![row])),
        }
    }

    fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.listed.is_empty()
    }
}

fn item(text: &str) -> String {
    format!("- {}", code(text))
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

    #[test]
    fn rows_of_a_table_stay_below_its_heading_and_keep_their_namespace() {
        let heading = "NAMESPACE   NAME      READY   STATUS             RESTARTS   AGE";
        let broken = "billing     cart-1    0/1     CrashLoopBackOff   31         2h";
        let whole = "shop        web-1     1/1     Running            0          2h\n".repeat(40);
        let text = of_tool(&format!("{heading}\n{whole}{broken}\n"), None);
        assert!(text.contains(&format!("{heading}\n{broken}\n\n```")), "{text}");
        let call = CallRecord {
            number: 1,
            tool: "pods_list".to_owned(),
            arguments: Value::Null,
            text,
            failed: false,
        };
        let again = Transcript { calls: vec![call], ..Transcript::default() };
        let facts = facts::read(&again, &Focus::read("alert"));
        let read: Vec<_> = facts.of_kind("pod").map(|pod| pod.namespace.as_str()).collect();
        assert_eq!(read, ["billing"]);
    }
}
