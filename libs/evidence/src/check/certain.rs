//! Whether a mark is certain: what a sentence may have computed, or may mean otherwise, is counted and not marked.
//!
//! A sentence with one number states a reading. One with several compares them, and what it says of one may be about another.

use super::Ground;
use super::alike;
use super::context::{Context, Judge};
use super::nouns::is_noun;
use super::number_claim::NumberClaim;
use super::scan::slack;
use crate::claim::{Claim, Content, clause_at, number_word};
use crate::lexer::{TokenKind, lex};
use crate::moment::Moment;
use crate::quantity::{Precision, Unit};

/// Words that stand for a number, or for what the sentence does not name.
const NUMBERS: &[&str] = &[
    "one",
    "both",
    "half",
    "third",
    "thirds",
    "quarter",
    "quarters",
    "twice",
    "double",
    "dozen",
    "couple",
    "few",
    "several",
    "other",
    "others",
    "another",
    "rest",
    "remaining",
];
/// Words for the states and events by which programs say what is wrong: `OOMKilled`, `FailedMount`.
const STATES: &[&str] = &[
    "kill",
    "fail",
    "error",
    "backoff",
    "notready",
    "pressure",
    "exceed",
    "evict",
    "terminat",
    "crash",
    "unhealthy",
    "timeout",
    "refused",
    "denied",
    "invalid",
    "expired",
    "unavailable",
    "unreachable",
    "unknown",
    "degraded",
    "exception",
    "pull",
];

impl Judge<'_> {
    pub(super) fn is_certain(&self, index: usize, claim: &Claim, ground: Ground) -> bool {
        let Some(statement) = self.document.statements.get(claim.statement) else { return true };
        let context = self.context(claim, statement);
        let sources = &self.evidence.sources;
        let cited = || sources.iter().filter(|one| statement.calls.contains(&one.number));
        match &claim.content {
            Content::Quotation(text) if ground == Ground::Absent => {
                !sources.iter().any(|one| alike::has_words(one.spelling(), text))
            }
            Content::Quotation(text) if ground == Ground::Elsewhere => {
                !cited().any(|one| alike::has_words(one.spelling(), text))
            }
            Content::Name(name) if ground == Ground::Absent => {
                is_identifier(&context, name)
                    && !sources.iter().any(|one| alike::has_name(one.spelling(), name))
            }
            Content::Name(name) if ground == Ground::Elsewhere => {
                !cited().any(|one| alike::has_name(one.spelling(), name))
            }
            Content::Citation { .. } | Content::Quotation(_) | Content::Name(_) => true,
            Content::Time(moment) => self.is_certain_time(&context, (claim, moment), ground),
            Content::Quantity(quantity) => {
                let all: Vec<usize> = (0..sources.len()).collect();
                let number = self.number((index, claim), *quantity, &context, &all);
                let text = statement.text.get(context.at..context.end).unwrap_or_default();
                let has_digits = text.contains(|c: char| c.is_ascii_digit());
                (has_digits || ground == Ground::Pair) && is_certain_number(&number, ground)
            }
        }
    }

    fn is_certain_time(
        &self,
        context: &Context<'_>,
        (claim, moment): (&Claim, &Moment),
        ground: Ground,
    ) -> bool {
        let slack = slack(claim.precision);
        let times = lex(&context.statement.text);
        let times = times.iter().filter(|token| matches!(token.kind, TokenKind::Moment(_)));
        match ground {
            Ground::Elsewhere => true,
            Ground::Absent => {
                !self.evidence.sources.iter().any(|one| one.values().give_time(moment, slack))
            }
            _ => times.count() == 1,
        }
    }
}

fn is_certain_number(number: &NumberClaim<'_>, ground: Ground) -> bool {
    let text = &number.context.statement.text;
    let clause = clause_at(text, number.context.at);
    let alone = || is_alone(number, 0..text.len());
    match ground {
        Ground::Citation
        | Ground::Pair
        | Ground::Object
        | Ground::OwnField
        | Ground::Moment
        | Ground::Value
        | Ground::Link => true,
        Ground::Field | Ground::OnlyValue => !number.is_label() && is_alone(number, clause),
        Ground::Sibling | Ground::OnlyField | Ground::Line => alone(),
        Ground::Taken => alone() && is_plain(number) && is_of_another_word(number),
        Ground::Absent => {
            let states = is_plain(number) && alone();
            number.claim.precision == Precision::AsWritten
                && !is_shown(number)
                && (states || !is_given(number, |_| true))
        }
        Ground::Elsewhere => {
            let calls = &number.context.statement.calls;
            is_plain(number) && !is_given(number, |call| calls.contains(&call))
        }
    }
}

/// Whether it is written as it was read, and long enough not to be a count.
fn is_plain(number: &NumberClaim<'_>) -> bool {
    const TWO_DIGITS: f64 = 10.0;
    let quantity = &number.quantity;
    let is_long = quantity.number >= TWO_DIGITS || quantity.step < 1.0;
    number.claim.precision == Precision::AsWritten && (is_long || quantity.unit != Unit::NONE)
}

/// Whether some result shows it in another way.
fn is_shown(number: &NumberClaim<'_>) -> bool {
    let mut sources = number.judge.evidence.sources.iter();
    sources.any(|source| source.values().show(&number.quantity, number.claim.precision))
}

/// Whether some of these results give it.
fn is_given(number: &NumberClaim<'_>, is_meant: impl Fn(u32) -> bool) -> bool {
    let sources = number.judge.evidence.sources.iter();
    let (quantity, precision) = (&number.quantity, number.claim.precision);
    sources.filter(|source| is_meant(source.number)).any(|source| {
        source.values().show(quantity, precision) || source.values().give(quantity, precision)
    })
}

/// Whether the words of the sentence name what stands beside the number where it was found.
fn is_of_another_word(number: &NumberClaim<'_>) -> bool {
    let found = number.judge.scan.matches.get(number.index);
    found.is_some_and(|found| {
        found.iter().all(|one| {
            number.judge.source(one.source).is_some_and(|source| {
                number.is_of_another_number(source, one.line)
                    || number.is_beside_its_word(source, one.line)
            })
        })
    })
}

/// Whether no other number stands in a part of the sentence, in digits or in words, and nothing that the sentence does not name.
fn is_alone(number: &NumberClaim<'_>, part: std::ops::Range<usize>) -> bool {
    let context = number.context;
    let statement = context.statement;
    let is_citation = |claim: &&Claim| matches!(claim.content, Content::Citation { .. });
    let citations: Vec<_> = number
        .claims_of_statement()
        .map(|(_, claim)| claim)
        .filter(is_citation)
        .map(|claim| {
            let start = statement.start;
            claim.range.start.saturating_sub(start)..claim.range.end.saturating_sub(start)
        })
        .collect();
    let text = statement.text.get(part.clone()).unwrap_or_default();
    let (mut end, mut before) = (0, "");
    lex(text).iter().all(|token| {
        let at = part.start + token.start;
        let is_own = (context.at..context.end).contains(&at);
        let is_inside = token.start < end || citations.iter().any(|one| one.contains(&at));
        let word = std::mem::replace(&mut before, token.text);
        end = end.max(token.end());
        match token.kind {
            TokenKind::Quantity(found) => {
                let is_bare = found.unit == Unit::NONE && found.step >= 1.0;
                is_own || is_inside || is_bare && is_noun(word)
            }
            TokenKind::Moment(_) => true,
            TokenKind::Word => {
                let lower = token.text.to_lowercase();
                number_word(&lower).is_none() && !NUMBERS.contains(&lower.as_str())
            }
        }
    })
}

/// Whether a name is more than the name of a product: it has a mark or a digit, stands as code, or says what is wrong.
fn is_identifier(context: &Context<'_>, name: &str) -> bool {
    let lower = name.to_lowercase();
    let text = &context.statement.text;
    let is_code = text.get(..context.at).is_some_and(|before| before.ends_with(['`', '"']));
    is_code
        || !name.chars().all(char::is_alphabetic)
        || STATES.iter().any(|state| lower.contains(state))
}
