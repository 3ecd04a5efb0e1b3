//! What a check works on: the claim's nearby, and where it looks.

use super::evidence::Evidence;
use super::scan::Scan;
use super::source::Source;
use super::subject::Subject;
use super::{Ground, Place};
use crate::claim::{Claim, Content, Document, Statement, clause_at};
use crate::lexer::{TokenKind, lex};
use crate::quantity::Quantity;
use crate::words::stems;

/// What a look at some of the results gives.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Look {
    Found(Place),
    Contradicted(Place, String, Ground),
    /// The number stands there, but whether it is what the statement means cannot be read.
    Unclear,
    Nothing,
}

/// What stands around a claim.
pub(super) struct Context<'d> {
    pub(super) statement: &'d Statement,
    /// Where the claim begins and ends in the statement.
    pub(super) at: usize,
    pub(super) end: usize,
    /// The words that stand nearest.
    pub(super) local: Vec<String>,
    /// The clause that it stands in.
    pub(super) clause: String,
    /// Whether it is the whole of a part before it: the second number of `38G of 40G`.
    pub(super) is_whole: bool,
    /// The whole behind it, if it is the part.
    pub(super) whole: Option<Quantity>,
    /// The words of the statement and of what stands around it.
    pub(super) wide: Vec<String>,
    /// The words of the statement alone.
    pub(super) statement_stems: Vec<String>,
    pub(super) subject: Subject,
}

/// How far behind a part its whole may stand, in bytes.
const MOST_BETWEEN: usize = 40;

/// Words before a number that say something of its parts.
const WHOLES: &[&str] = &[
    "none of the",
    "none of its",
    "all",
    "all of the",
    "all its",
    "each of the",
    "one of the",
    "some of the",
    "most of the",
    "half of the",
    "both",
];

/// Words for what a sentence does not name.
const OTHERS: &[&str] = &["other", "others", "rest", "remaining", "another", "elsewhere"];

pub(super) struct Judge<'e> {
    pub(super) evidence: &'e Evidence,
    pub(super) document: &'e Document,
    pub(super) scan: &'e Scan,
}

impl Judge<'_> {
    pub(super) fn context<'d>(&self, claim: &Claim, statement: &'d Statement) -> Context<'d> {
        let at = claim.range.start.saturating_sub(statement.start);
        let end = claim.range.end.saturating_sub(statement.start).min(statement.text.len());
        let name = match &claim.content {
            Content::Name(name) => Some(name.as_str()),
            _ => None,
        };
        let subject = self.subject(statement, at, name);
        let whole = whole_of(&statement.text, end);
        let near = local(statement, at, whole.map_or(end, |whole| whole.1));
        let words = near.as_deref().unwrap_or_default();
        let clause = statement.text.get(clause_at(&statement.text, at)).unwrap_or_default();
        let mut wide = stems(&format!("{} {} {words}", statement.text, statement.nearby));
        if statement.text.contains('°') {
            wide.extend(stems("temperature"));
        }
        Context {
            statement,
            at,
            end,
            local: stems(words),
            clause: clause.to_owned(),
            is_whole: near.is_none(),
            whole: whole.map(|whole| whole.0),
            wide,
            statement_stems: stems(&statement.text),
            subject,
        }
    }

    /// The subject of the clause where each clause has its own, else of the sentence, else of what stands before.
    fn subject(&self, statement: &Statement, at: usize, except: Option<&str>) -> Subject {
        let sentence = self.evidence.subject(&statement.text, except);
        let clause = clause_at(&statement.text, at);
        let own = || {
            let text = statement.text.get(clause.clone()).unwrap_or_default();
            (text, self.evidence.subject(text, except))
        };
        if except.is_some() {
            // A clause with its own name and its own number says nothing of the sentence's object.
            let (text, own) = own();
            let is_counted =
                || lex(text).iter().any(|token| matches!(token.kind, TokenKind::Quantity(_)));
            if own.is_empty() && clause.len() < statement.text.trim().len() && is_counted() {
                return Subject::default();
            }
        }
        // The others are not what the sentence names.
        let text = statement.text.get(clause.clone()).unwrap_or_default();
        let is_of_others = text.split_whitespace().any(|word| OTHERS.contains(&word));
        if is_of_others && clause.len() < statement.text.trim().len() && own().1.is_empty() {
            return Subject::default();
        }
        if sentence.is_empty() {
            let near = statement.nearby.lines().rev();
            let known = near
                .map(|line| self.evidence.subject(line, except))
                .find(|subject| !subject.is_empty());
            return known.unwrap_or_default();
        }
        if sentence.names.len() < 2
            || statement.text.contains("respectively")
            || !statement.columns.is_empty()
        {
            return sentence;
        }
        let own = own().1;
        let is_alone = sentence.names.iter().all(|name| self.has_number(statement, name));
        if !own.is_empty()
            && own.names.len() < sentence.names.len()
            && (is_alone || except.is_some())
        {
            own
        } else {
            sentence
        }
    }

    /// Whether the clause of a name has a number of its own.
    fn has_number(&self, statement: &Statement, name: &str) -> bool {
        let lower = statement.text.to_lowercase();
        let Some(at) = whole_name(&lower, name) else { return false };
        let clause = statement.text.get(clause_at(&statement.text, at)).unwrap_or_default();
        let clause_names = self.evidence.subject(clause, None).names;
        let number = lex(clause).iter().any(|token| !matches!(token.kind, TokenKind::Word));
        number && clause_names.len() == 1
    }

    pub(super) fn source(&self, index: usize) -> Option<&Source> {
        self.evidence.sources.get(index)
    }
}

/// Where a name stands by itself: `/` is not the beginning of `/var`.
fn whole_name(text: &str, name: &str) -> Option<usize> {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(name).map(|found| found.0).find(|at| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        let behind = text.get(at + name.len()..).and_then(|tail| tail.chars().next());
        !letter(before) && !letter(behind)
    })
}

/// The number that the one before `end` is a part of, and where it ends: `2 of 5`, `20G of its 20G`.
fn whole_of(text: &str, end: usize) -> Option<(Quantity, usize)> {
    let behind = text.get(end..)?;
    let near = behind.char_indices().map(|(at, _)| at).find(|at| *at >= MOST_BETWEEN);
    let token = lex(behind.get(..near.unwrap_or(behind.len()))?)
        .into_iter()
        .find(|token| token.kind != TokenKind::Word)?;
    let TokenKind::Quantity(quantity) = token.kind else { return None };
    let between = behind.get(..token.start)?.trim_matches([' ', '`', '*']);
    is_part(between).then_some((quantity, end + token.end()))
}

/// Whether a number in front of these words is a part of the one behind them.
fn is_part(between: &str) -> bool {
    matches!(
        between,
        "of" | "out of" | "/" | "of the" | "of its" | "from" | "of a" | "of all" | "of at most"
    )
}

/// Nothing for the whole of a part. Else the words between the numbers on both sides of a claim, in its clause; in a table, the heading of its column.
fn local(statement: &Statement, at: usize, end: usize) -> Option<String> {
    let text = statement.text.as_str();
    if !statement.columns.is_empty() {
        let bars = text.get(..at).unwrap_or_default().matches('|').count();
        let column = bars - usize::from(text.starts_with('|'));
        return Some(statement.columns.get(column).cloned().unwrap_or_default());
    }
    let clause = clause_at(text, at);
    let before = text.get(clause.start..at).unwrap_or_default().to_lowercase();
    let ends_with = |words: &&str| {
        let head = before.trim_end().strip_suffix(words);
        head.is_some_and(|head| !head.ends_with(char::is_alphabetic))
    };
    if WHOLES.iter().any(ends_with) {
        return None;
    }
    let (mut from, mut to) = (clause.start, clause.end.max(end));
    for token in lex(text.get(clause.clone()).unwrap_or_default()) {
        let (start, stop) = (clause.start + token.start, clause.start + token.end());
        if token.kind == TokenKind::Word {
            continue;
        }
        if stop <= at {
            if is_part(text.get(stop..at).unwrap_or_default().trim_matches([' ', '`', '*'])) {
                // `38G of 40G`: what is said of the part is not said of the whole.
                return None;
            }
            from = from.max(stop);
        } else if start >= end {
            to = to.min(start);
        }
    }
    // The unit of the claim names no field.
    let around = [text.get(from..at), text.get(end..to)];
    Some(around.map(Option::unwrap_or_default).join(" "))
}
