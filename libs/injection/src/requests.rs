//! Requests to call one of the tools that the model has, by its name.

use aho_corasick::{AhoCorasick, MatchKind};

use crate::finding::{Kind, MAX_FINDINGS};
use crate::words::Words;

/// Words that, before a tool's name, request a call of it.
const VERBS: [&str; 8] = ["call", "invoke", "use", "run", "execute", "trigger", "perform", "via"];
/// Words that may stand between the verb and the name.
const FILLERS: [&str; 6] = ["the", "tool", "function", "named", "called", "mcp"];
/// Words that make a noun of the verb after them, as in `mcp call host.tail_log`, the name of a span.
const NOUNS: [&str; 4] = ["mcp", "tool", "function", "rpc"];
/// Words that, near before such a noun, request the call after all, as in "make an MCP call".
const ASKS: [&str; 8] = ["make", "issue", "do", "request", "start", "send", "please", "must"];
/// How far before the noun they are looked for, in words.
const NEAR: usize = 3;
/// The longest name that is looked for, in bytes.
const MAX_NAME: usize = 200;

/// Where a text requests a call of one of the tools, as bytes of the words' text.
pub(crate) fn places<'a>(
    words: &'a Words,
    tools: &[&str],
) -> impl Iterator<Item = (Kind, usize)> + use<'a> {
    // A name of one word (`query`, `exec`) also stands in texts for people.
    let names = tools.iter().filter(|name| name.len() <= MAX_NAME);
    let names: Vec<String> = names.map(|name| Words::new(name).text).collect();
    let names = names.iter().filter_map(|name| name.get(1..)).filter(|name| name.contains(' '));
    let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(names).ok();
    let matches = finder.into_iter().flat_map(|finder| {
        let ends = finder.find_iter(&words.text).map(|found| (found.start(), found.end()));
        ends.collect::<Vec<_>>()
    });
    matches
        .filter(|(begin, end)| is_whole(&words.text, *begin, *end))
        .filter(|(begin, end)| {
            is_requested(words.text.get(..*begin).unwrap_or_default())
                && !is_reported(words.text.get(*end..).unwrap_or_default())
        })
        .map(|(begin, _)| (Kind::ToolRequest, begin))
        .take(MAX_FINDINGS)
}

fn is_whole(text: &str, begin: usize, end: usize) -> bool {
    let before = text.get(..begin).and_then(|text| text.chars().next_back());
    let after = text.get(end..).and_then(|text| text.chars().next());
    [before, after].into_iter().flatten().all(|sign| !sign.is_alphanumeric())
}

/// Whether the words before a name end in a request.
fn is_requested(before: &str) -> bool {
    let mut words = before.rsplit([' ', '\n', '|']).filter(|word| !word.is_empty());
    let mut near = words.by_ref().skip_while(|word| FILLERS.contains(word));
    let requested = near.next().is_some_and(|word| VERBS.contains(&word));
    // "failed to call the tool" reports; "you need to call" requests.
    let reported = ["to", "could", "cannot", "not", "will", "would", "can", "t"];
    requested
        && match near.next() {
            Some(word) if NOUNS.contains(&word) => {
                near.take(NEAR).any(|word| VERBS.contains(&word) || ASKS.contains(&word))
            }
            Some(word) => !reported.contains(&word),
            None => true,
        }
}

/// Whether the words after a name report what became of a call.
fn is_reported(after: &str) -> bool {
    let outcomes = [
        "failed",
        "fails",
        "returned",
        "took",
        "completed",
        "succeeded",
        "timed",
        "was",
        "is",
        "error",
    ];
    let mut words = after.split([' ', '\n', '|']).filter(|word| !word.is_empty());
    words.next().is_some_and(|word| outcomes.contains(&word))
}
