//! What counts against a number that is there: it belongs to another object, another field, or another line.

use super::Ground;
use super::context::Look;
use super::number_claim::{NumberClaim, contradicted};
use super::scan::Match;
use super::source::Source;
use crate::claim::clause_at;
use crate::lexer::{TokenKind, lex};
use crate::quantity::{Fit, Precision, Quantity, Unit};
use crate::reading::Reading;
use crate::words::{share, stems};

/// Readings of a log that are compared with one of them.
const MOST_EVENTS: usize = 5_000;
/// Lines that are compared with a line that has another object's number.
const MOST_COMPARED: usize = 500;

impl NumberClaim<'_> {
    /// The reading of the same field for the object that the statement names, if none of them bears the claim out.
    pub(super) fn rival(&self, source: &Source, index: usize, reading: &Reading) -> Option<Look> {
        let mut first = None;
        for group in self.context.subject.in_source(index) {
            for own in source
                .members(group)
                .iter()
                .filter(|own| own.field.eq_ignore_ascii_case(&reading.field))
                .filter(|own| has_one_number(own))
            {
                if self.value_fits(own) || self.is_stated(own) {
                    return None;
                }
                first = first.or(Some(own));
            }
        }
        first.map(|own| contradicted(source, own, Ground::Object))
    }

    /// The reading of the statement's object whose field the words near the claim name, better than that of another object.
    pub(super) fn own_field(
        &self,
        source: &Source,
        index: usize,
        reading: &Reading,
    ) -> Option<Look> {
        let other = self.shared(source, reading).max(self.joined(source, reading));
        let mut first = None;
        for group in self.context.subject.in_source(index).take(MOST_COMPARED) {
            for own in source.members(group) {
                let is_measured = own.value.quantity.is_some_and(|found| {
                    found.unit != Unit::NONE && self.quantity.is_comparable(&found)
                });
                if !is_measured || self.shared(source, own) <= other {
                    continue;
                }
                if self.value_fits(own) {
                    return None;
                }
                first = first.or(Some(own));
            }
        }
        first.map(|own| contradicted(source, own, Ground::OwnField))
    }

    /// The reading of another field of the same object that the words near the claim name more exactly.
    pub(super) fn sibling(&self, source: &Source, group: usize, reading: &Reading) -> Option<Look> {
        let is_text = reading.value.quantity.is_none();
        let words = if is_text { stems(&reading.value.text) } else { Vec::new() };
        let within = self.context.local.iter().filter(|word| words.contains(word)).count();
        let own = self.shared(source, reading).max(self.joined(source, reading)).max(within);
        let mut best: Option<(usize, &Reading)> = None;
        for other in source.members(group) {
            let Some(quantity) = other.value.quantity else { continue };
            let shared = self.shared(source, other);
            // What has a unit is not measured by a field without one.
            let is_alike = self.quantity.is_comparable(&quantity)
                || reading.value.quantity.is_some_and(|found| found.unit == Unit::NONE)
                    && self.is_comparable(&quantity);
            let is_whole = self
                .context
                .whole
                .is_some_and(|whole| whole.fits(&quantity, Precision::AsWritten) > Fit::No);
            if shared <= own
                || is_whole && own == 0 && !self.value_fits(other)
                || !is_alike
                || other.field == reading.field
            {
                continue;
            }
            if self.value_fits(other) {
                return None;
            }
            let counts = self.may_contradict(source, other)
                && self.is_of_kind(source, other)
                && !self.is_stated(other);
            if counts && best.is_none_or(|best| shared > best.0) {
                best = Some((shared, other));
            }
        }
        best.map(|best| contradicted(source, best.1, Ground::Sibling))
    }

    /// The same field in another line, which has a word of the claim's clause that this line has not: events of a log.
    pub(super) fn line_rival(
        &self,
        source: &Source,
        one: &Match,
        reading: &Reading,
    ) -> Option<Look> {
        let field = source.field_stems(reading);
        let words = super::scan::words(&self.context.clause).into_iter().filter(|word| {
            !share(&stems(word), field) && !word.starts_with(|c: char| c.is_ascii_digit())
        });
        let words: Vec<String> = words.collect();
        let known: Vec<Vec<usize>> =
            words.iter().map(|word| self.judge.scan.lines(word, one.source)).collect();
        if known.iter().any(|lines| lines.contains(&one.line)) {
            return None;
        }
        let same = source.readings.iter().take(MOST_EVENTS).filter(|other| {
            other.field == reading.field
                && other.object.is_empty()
                && other.line != one.line
                && has_one_number(other)
        });
        let mut first = None;
        for other in same.take(MOST_COMPARED) {
            if !known.iter().any(|lines| lines.binary_search(&other.line).is_ok()) {
                continue;
            }
            if self.value_fits(other) {
                return None;
            }
            first = first.or(Some(other));
        }
        first.map(|other| contradicted(source, other, Ground::Line))
    }

    /// Whether the words of the claim name this row, and not those of the subject: `51,822 hours` and `Power_On_Hours`.
    pub(super) fn names_row(&self, source: &Source, index: usize, reading: &Reading) -> bool {
        let context = self.context;
        let text = context.statement.text.get(context.at..context.end).unwrap_or_default();
        let mut written = stems(text);
        written.extend(context.local.iter().cloned());
        let own = stems(&reading.object.to_string());
        let subject: Vec<String> = context
            .subject
            .in_source(index)
            .take(MOST_COMPARED)
            .filter_map(|group| source.groups.get(group))
            .flat_map(|group| stems(&group.object.to_string()))
            .collect();
        own.iter().any(|word| written.contains(word) && !subject.contains(word))
    }

    /// Whether the line is like one that names the statement's object, with another name and another number.
    pub(super) fn is_line_of_other(&self, source: &Source, one: &Match) -> bool {
        let line = source.line(one.line).to_lowercase();
        let names = self.names();
        if names.is_empty()
            || line.len() > 1_000
            || names.iter().any(|name| line.contains(name.as_str()))
        {
            return false;
        }
        names.iter().any(|name| {
            let own = self.judge.scan.lines(name, one.source);
            own.iter().take(MOST_COMPARED).any(|number| {
                let own = source.line(*number).to_lowercase();
                is_alike(&line, &own, name) || self.has_other_number(&line, &own)
            })
        })
    }

    /// Whether the line of the statement's object has another number behind the same word: `mtu 9000`.
    fn has_other_number(&self, line: &str, own: &str) -> bool {
        let fits = |found: &Quantity| self.quantity.fits(found, self.claim.precision) > Fit::No;
        let here = words_before(line, &fits);
        let there = words_before(own, &|found| !fits(found));
        let same = words_before(own, &fits);
        here.iter().any(|word| {
            self.context.local.contains(&(*word).to_owned())
                && there.contains(word)
                && !same.contains(word)
        })
    }

    /// The names in the clause; without one there, those of the clauses that have no number of their own.
    pub(super) fn names(&self) -> Vec<String> {
        let text = self.context.statement.text.to_lowercase();
        let own = clause_at(&text, self.context.at);
        let claims = self
            .judge
            .document
            .claims
            .iter()
            .filter(|claim| claim.statement == self.claim.statement);
        let written = claims.filter_map(|claim| match &claim.content {
            crate::claim::Content::Name(name) => Some(name.to_lowercase()),
            _ => None,
        });
        let mut all: Vec<String> =
            self.context.subject.names.iter().cloned().chain(written).collect();
        // `/var` is a part of `/var/log/nginx`, unless it stands for itself, too.
        let known = all.clone();
        let is_part = |name: &String| {
            let longer =
                known.iter().filter(|one| one.len() > name.len() && one.contains(name.as_str()));
            let rest = longer.fold(text.clone(), |text, one| text.replace(one.as_str(), ""));
            rest.len() < text.len() && !rest.contains(name.as_str())
        };
        all.retain(|name| !is_part(name));
        let near = all.iter().filter(|name| {
            text.get(own.clone()).is_some_and(|clause| clause.contains(name.as_str()))
        });
        let near: Vec<String> = near.cloned().collect();
        if !near.is_empty() {
            return near;
        }
        let is_free = |name: &String| {
            let clause = text.find(name.as_str()).map(|at| clause_at(&text, at));
            let rest = clause.and_then(|clause| text.get(clause)).unwrap_or_default();
            let rest = rest.replace(name.as_str(), "");
            !lex(&rest).iter().any(|token| matches!(token.kind, TokenKind::Quantity(_)))
        };
        all.into_iter().filter(is_free).collect()
    }
}

/// Whether a reading is a number, or a text with one; a text without one, or with many, is no other value of it.
fn has_one_number(reading: &Reading) -> bool {
    reading.value.quantity.is_some()
        || lex(&reading.value.text).iter().filter(|token| token.quantity().is_some()).count() == 1
}

/// The words before the numbers of a line that fit: `mtu` of `mtu 1500`.
fn words_before<'l>(line: &'l str, fits: &dyn Fn(&Quantity) -> bool) -> Vec<&'l str> {
    let tokens = lex(line);
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    pairs
        .filter(|(word, number)| {
            let is_fitting = matches!(&number.kind, TokenKind::Quantity(found) if fits(found));
            word.kind == TokenKind::Word && word.end() + 1 == number.start && is_fitting
        })
        .map(|pair| pair.0.text)
        .collect()
}

/// Whether two lines differ only in numbers, and in the name where the other has `name`.
fn is_alike(line: &str, own: &str, name: &str) -> bool {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (line, own) = (words(line), words(own));
    line.len() == own.len()
        && line.len() > 1
        && line.iter().zip(&own).all(|(one, other)| {
            let numbers = one.contains(|c: char| c.is_ascii_digit())
                && other.contains(|c: char| c.is_ascii_digit());
            one == other || numbers || other.contains(name)
        })
}
