//! Sentences and clauses.

use std::ops::Range;

use crate::quantity::{Precision, Quantity, Unit};

/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g.", "i.e.", "approx.", "ca.", "vs.", "no.", "etc.", "cf.", "incl.", "max.", "min.",
    "resp.", "fig.", "st.",
];
/// What separates clauses.
const BREAKS: &[&str] = &[
    ", ",
    "; ",
    " and ",
    " while ",
    " but ",
    " whereas ",
    " – ",
    " — ",
    ": ",
    " (",
    ") ",
    ".\n",
    ", while ",
    " with ",
    " versus ",
    " although ",
    " though ",
    " because ",
    " where ",
    " despite ",
];

/// The longest sentence that is read as one, in bytes; the time for a claim grows with it.
const LONGEST_SENTENCE: usize = 1_500;

/// How far before a number the words stand that say how exact it is, in bytes.
const LONGEST_HEDGE: usize = 60;

/// Words that make the number behind them no claim.
const NUMBERED: &[&str] = &[
    "line", "lines", "step", "steps", "stage", "agent", "option", "section", "phase", "version",
    "priority", "figure", "last", "past", "previous", "next", "first", "top", "every", "rfc",
    "sev", "level", "within", "cve", "layer", "chapter",
];
/// Products whose name is followed by a version.
const VERSIONED: &[&str] = &[
    "postgresql",
    "postgres",
    "kubernetes",
    "linux",
    "debian",
    "ubuntu",
    "python",
    "java",
    "redis",
    "mysql",
    "nginx",
    "go",
    "rust",
    "tls",
    "tlsv",
    "openssl",
    "http",
    "ipv",
    "jdk",
    "rhel",
    "centos",
    "kernel",
];

/// The sentences of `text`, which `masked` repeats with spaces for code and quotations.
pub(super) fn sentences(masked: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut from = 0;
    for (at, byte) in masked.bytes().enumerate() {
        if !matches!(byte, b'.' | b'!' | b'?') {
            continue;
        }
        let behind = masked.get(at + 1..).unwrap_or_default();
        let closing = behind.len() - behind.trim_start_matches(['*', '_', ')', '"', '”']).len();
        let next = behind.get(closing..).unwrap_or_default();
        let spaced = next.starts_with(char::is_whitespace);
        let follower = next.trim_start().chars().next();
        // Masked code is spaces, so that a sentence may begin with nothing.
        let begins = follower.is_none_or(|c| {
            c.is_uppercase() || matches!(c, '[' | '*' | '`' | '“' | '"') || c.is_ascii_digit()
        }) || next.len() - next.trim_start().len() > 2;
        let word = masked
            .get(from..=at)
            .and_then(|head| head.split_whitespace().next_back())
            .unwrap_or_default();
        let abbreviated =
            ABBREVIATIONS.contains(&word.trim_start_matches('(').to_lowercase().as_str());
        if spaced && begins && !abbreviated {
            sentences.push(from..at + 1 + closing);
            from = at + 1 + closing;
        }
    }
    if masked.get(from..).is_some_and(|rest| !rest.trim().is_empty()) {
        sentences.push(from..masked.len());
    }
    sentences
}

/// The part of a text that says what it is about, for what stands around it.
pub(super) fn opening(text: &str) -> &str {
    text.get(..boundary(text, LONGEST_SENTENCE / 2)).unwrap_or_default()
}

/// Cuts what is longer than any sentence: data, or a text without full stops.
pub(super) fn bounded(text: &str, sentences: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut bounded = Vec::with_capacity(sentences.len());
    for mut rest in sentences {
        while rest.len() > LONGEST_SENTENCE {
            let head = text.get(rest.clone()).unwrap_or_default();
            let most = boundary(head, LONGEST_SENTENCE);
            let cut = head.get(..most).and_then(|head| head.rfind(' ')).filter(|at| *at > 0);
            let end = rest.start + cut.unwrap_or(most);
            bounded.push(rest.start..end);
            rest.start = end;
        }
        bounded.push(rest);
    }
    bounded
}

/// The first place of a character at or behind `at`, or the end.
fn boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// The clause of a sentence that a position is in.
pub(crate) fn clause_at(sentence: &str, at: usize) -> Range<usize> {
    let mut range = 0..sentence.len();
    for mark in BREAKS {
        for (found, _) in sentence.match_indices(mark) {
            let (end, start) = (found, found + mark.len());
            if start <= at {
                range.start = range.start.max(start);
            } else if end >= at {
                range.end = range.end.min(end.max(at));
            }
        }
    }
    range
}

/// Whether a number is something that a result may show.
pub(super) fn is_counted(quantity: &Quantity, before: &str, after: &str, next: &str) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let last = last.trim_matches(['*', '(', ',']);
    let bare = quantity.unit == Unit::NONE;
    let is_year = bare
        && quantity.step >= 1.0
        && (1990.0..2100.0).contains(&quantity.number)
        && matches!(last, "in" | "since" | "of" | "");
    let is_ordinal = before.trim().is_empty() && after.starts_with([')', '.']) && bare;
    let is_version = bare && VERSIONED.contains(&last);
    let is_named = NUMBERED.contains(&last)
        || before.ends_with(['#', '@', '^'])
        || last.ends_with("p99") && next.is_empty();
    !(is_year || is_ordinal || is_version || is_named || last == "not")
}

/// How exact the number behind these words is meant to be.
pub(super) fn precision(before: &str) -> Precision {
    let from = before.len().saturating_sub(LONGEST_HEDGE);
    let tail = before.get(boundary(before, from)..).unwrap_or_default().trim_end().to_lowercase();
    let tail = tail.trim_end_matches(['*', '(', '`']).trim_end();
    let ends = |known: &[&str]| known.iter().any(|word| tail.ends_with(word));
    if tail.ends_with("times over") {
        return Precision::AsWritten;
    }
    if ends(&[
        "about",
        "around",
        "roughly",
        "~",
        "approximately",
        "nearly",
        "almost",
        "circa",
        "close to",
        "ca.",
        "≈",
        "some",
        "approx.",
    ]) {
        Precision::About
    } else if ends(&[
        "more than",
        "over",
        "above",
        "at least",
        ">",
        "exceeds",
        "exceeding",
        "≥",
        "exceeded",
        "greater than",
    ]) {
        Precision::AtLeast
    } else if ends(&[
        "less than",
        "under",
        "below",
        "at most",
        "up to",
        "<",
        "fewer than",
        "≤",
        "just under",
    ]) {
        Precision::AtMost
    } else {
        Precision::AsWritten
    }
}
