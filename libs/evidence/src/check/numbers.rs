//! Numbers: found with their object and field, derived, or contradicted by a reading.

use super::context::Look;
use super::number_claim::{MOST_NAMED, NumberClaim, contradicted};
use super::scan::Match;
use super::source::Source;
use super::{Ground, Place, computed, count, derive, durations, label};
use crate::lexer::lex;
use crate::quantity::{Fit, Precision, Quantity, Unit};
use crate::reading::Reading;
use crate::words::{overlap, share, stems};

/// Significant digits from which a number is not met by chance.
const DISTINCTIVE: usize = 3;
/// Numbers of a line that are compared with those of a statement.
const MOST_WRITTEN: usize = 64;
/// How much of a line is read, in bytes.
const LONGEST_LINE: usize = 2_000;

/// Looks for the number, what it can be derived from, and what contradicts it.
pub(super) fn look(number: &NumberClaim<'_>) -> Look {
    number.look()
}

/// Why a number that is there does not bear the claim out.
enum Bearing {
    Yes,
    /// It belongs to another object or field; the reading of the right one, if it is known.
    Other(Option<Look>),
    /// It has nothing to do with the claim.
    Unrelated,
}

impl NumberClaim<'_> {
    fn look(&self) -> Look {
        for look in [label::part_of_pair(self), label::look(self)] {
            if look != Look::Nothing {
                return look;
            }
        }
        let matches: &[Match] = self.judge.scan.matches.get(self.index).map_or(&[], Vec::as_slice);
        let mut others: Option<Look> = None;
        let mut owned = Vec::new();
        let (mut is_taken, mut is_seen) = (false, false);
        for one in matches.iter().filter(|one| self.sources.contains(&one.source)) {
            let Some(source) = self.judge.source(one.source) else { continue };
            let bearing = match one.reading {
                Some(reading) => {
                    owned.push((one.source, one.line));
                    self.typed(source, one, reading)
                }
                None if owned.contains(&(one.source, one.line)) => continue,
                None if one.fit == Fit::Weak && self.has_other_unit(source, one.line) => continue,
                None => self.raw(source, one),
            };
            match bearing {
                Bearing::Yes => return Look::Found(Place { call: source.number, line: one.line }),
                Bearing::Other(look) => {
                    is_taken = true;
                    others = others.or(look);
                }
                Bearing::Unrelated => is_seen |= one.fit == Fit::Exact && self.is_written_out(),
            }
        }
        let whole = label::whole_of_part(self);
        if whole != Look::Nothing {
            return whole;
        }
        let derived = derive::look(self);
        if derived != Look::Nothing {
            return derived;
        }
        let spanned = durations::look(self);
        if spanned != Look::Nothing {
            return spanned;
        }
        if is_taken {
            return others.unwrap_or_else(|| self.contradiction());
        }
        let contradicted = self.contradiction();
        if contradicted != Look::Nothing && self.names_its_field() {
            return contradicted;
        }
        match count::look(self) {
            Look::Nothing => match label::asked(self, contradicted) {
                Look::Nothing if is_seen => Look::Unclear,
                look => look,
            },
            counted => counted,
        }
    }

    /// Whether it has two digits; one stands in every result.
    fn is_written_out(&self) -> bool {
        const TWO_DIGITS: f64 = 10.0;
        self.quantity.number >= TWO_DIGITS || self.quantity.step < 1.0
    }

    /// Whether the word behind the number is a field of the subject, or `times`: it measures, and counts no rows.
    fn names_its_field(&self) -> bool {
        let behind = self.context.statement.text.get(self.context.end..).unwrap_or_default();
        let noun = behind.split_whitespace().next().unwrap_or_default();
        let noun_stems = stems(noun);
        let subject = &self.context.subject;
        let fields = |index: &usize| {
            let source = self.judge.source(*index);
            let groups = subject.in_source(*index).collect::<Vec<_>>();
            source.is_some_and(|source| {
                groups.iter().any(|group| {
                    let mut members = source.members(*group).iter();
                    members.any(|reading| share(&noun_stems, source.field_stems(reading)))
                })
            })
        };
        let groups = |index: &usize| subject.in_source(*index).take(2).count();
        let is_part = self.context.whole.is_some() && !subject.is_empty();
        is_part && self.sources.iter().all(|index| groups(index) < 2)
            || noun.starts_with("times")
            || subject.is_empty()
            || self.sources.iter().any(fields)
    }

    /// Whether a reading of the line has the number in another unit, which its field names.
    fn has_other_unit(&self, source: &Source, line: usize) -> bool {
        source.on_line(line).any(|reading| {
            let bare = |found: Quantity| Quantity { unit: Unit::NONE, ..found };
            reading.value.quantity.is_some_and(|found| {
                found.unit != Unit::NONE
                    && self.quantity.fits(&bare(found), self.claim.precision) > Fit::No
            })
        })
    }

    fn typed(&self, source: &Source, one: &Match, index: usize) -> Bearing {
        let Some(reading) = source.readings.get(index) else { return Bearing::Unrelated };
        if names_itself(reading) || one.fit == Fit::Exact && is_id(reading) {
            return Bearing::Yes;
        }
        let group = source.group_at(index);
        if one.fit == Fit::Exact
            && let Some(other) = self.at_another_time(source, reading)
        {
            return Bearing::Other(Some(other));
        }
        if self.is_of_another_number(source, one.line) || self.is_beside_its_word(source, one.line)
        {
            return Bearing::Other(None);
        }
        let subject = &self.context.subject;
        let is_own = subject.contains(one.source, group) || self.is_of_subject(reading);
        // A clause without a name may be about another object than the next one.
        let has_name = !self.names().is_empty();
        if !is_own
            && has_name
            && !self.context.is_whole
            && !self.names_row(source, one.source, reading)
            && let Some(rival) = self.rival(source, one.source, reading)
        {
            return Bearing::Other(Some(rival));
        }
        if !is_own
            && has_name
            && !self.context.is_whole
            && let Some(own) = self.own_field(source, one.source, reading)
        {
            return Bearing::Other(Some(own));
        }
        if let Some(sibling) = self.sibling(source, group, reading) {
            return Bearing::Other(Some(sibling));
        }
        if reading.object.is_empty() {
            if let Some(rival) = self.line_rival(source, one, reading) {
                return Bearing::Other(Some(rival));
            }
            if self.is_line_of_other(source, one) {
                return Bearing::Other(None);
            }
        }
        self.by_words(source, one, reading, is_own)
    }

    /// Whether the words around the claim fit the field of a reading, or its object.
    fn by_words(&self, source: &Source, one: &Match, reading: &Reading, is_own: bool) -> Bearing {
        let subject = &self.context.subject;
        let group = source.group_at(one.reading.unwrap_or_default());
        let words = source.field_stems(reading);
        if one.fit == Fit::Dropped
            && !share(&self.context.wide, words)
            && !self.names_row(source, one.source, reading)
        {
            return Bearing::Unrelated;
        }
        let is_unnamed = words.is_empty() && !self.names_a_field(source, group);
        let is_converted =
            reading.value.quantity.is_some_and(|found| self.quantity.is_conversion_of(&found));
        let is_joined = self.joined(source, reading) > 0;
        if is_unnamed
            || is_joined
            || is_converted
            || self.is_distinctive(one.fit)
            || overlap(&self.context.wide, words)
        {
            return Bearing::Yes;
        }
        let around = stems(&reading.object.to_string());
        let is_exact = one.fit == Fit::Exact && self.quantity.digits() > 1;
        let has_no_name = subject.is_empty() || self.names().is_empty();
        let is_near = is_own && (is_exact || !self.names_a_field(source, group))
            || has_no_name && overlap(&self.context.wide, &around)
            || one.fit > Fit::Dropped
                && (self.row_is_related(source, one.line)
                    || self.names_row(source, one.source, reading));
        let is_log = reading.value.quantity.is_none() || reading.object.is_empty();
        if is_near || is_log && self.line_is_related(source, one) {
            Bearing::Yes
        } else {
            Bearing::Unrelated
        }
    }

    /// Whether the object is one that the statement's object has made: `web-59c7-aaaaa` of `web`.
    fn is_of_subject(&self, reading: &Reading) -> bool {
        let is_made_by = |part: &str, name: &String| {
            let own = part.rsplit('/').next().unwrap_or(part).to_lowercase();
            own.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('-'))
        };
        let names = &self.context.subject.names;
        reading.object.parts().any(|part| names.iter().any(|name| is_made_by(part, name)))
    }

    /// Whether so much is written that it is not there by chance.
    fn is_distinctive(&self, fit: Fit) -> bool {
        let digits = self.quantity.digits();
        let exact = fit == Fit::Exact || self.claim.precision == Precision::AsWritten;
        // A unit that is only supposed is met by chance more easily.
        let enough = DISTINCTIVE + usize::from(fit < Fit::Exact && self.is_of_bytes());
        exact && digits >= enough
            || fit == Fit::Exact
                && self.quantity.unit != Unit::NONE
                && (digits >= 2 || self.quantity.unit.as_str() != "%")
    }

    fn is_of_bytes(&self) -> bool {
        self.quantity.unit.base_unit().as_str() == "B"
    }

    /// Whether the words near the claim name some field of the group.
    fn names_a_field(&self, source: &Source, group: usize) -> bool {
        source
            .members(group)
            .iter()
            .any(|reading| share(&self.context.local, source.field_stems(reading)))
    }

    /// A number in a line that is no reading.
    fn raw(&self, source: &Source, one: &Match) -> Bearing {
        if self.is_line_of_other(source, one)
            || self.is_of_another_number(source, one.line)
            || self.is_beside_its_word(source, one.line)
        {
            return Bearing::Other(None);
        }
        if self.is_distinctive(one.fit)
            || one.fit > Fit::Dropped && self.line_is_related(source, one)
        {
            Bearing::Yes
        } else {
            Bearing::Unrelated
        }
    }

    /// Whether a line has several words of the statement, or another long number of it.
    fn row_is_related(&self, source: &Source, line: usize) -> bool {
        const ENOUGH: usize = 2;
        let line = beginning(source.line(line));
        let words = stems(line);
        let shared = self.context.statement_stems.iter().filter(|word| words.contains(word));
        shared.take(ENOUGH).count() == ENOUGH || self.has_another_number(line)
    }

    /// Whether a line has another number of the statement, with so many digits that it is not there by chance.
    fn has_another_number(&self, line: &str) -> bool {
        let is_long = |one: &Quantity| one.number >= 100.0 && one.step >= 1.0;
        let others = super::number_claim::statement_numbers(self);
        let mut long = others.iter().filter(|one| is_long(one)).peekable();
        long.peek().is_some() && {
            let found: Vec<Quantity> = lex(line)
                .iter()
                .filter_map(crate::lexer::Token::quantity)
                .take(MOST_WRITTEN)
                .collect();
            long.any(|one| {
                found.iter().any(|other| one.fits(other, Precision::AsWritten) == Fit::Exact)
            })
        }
    }

    fn line_is_related(&self, source: &Source, one: &Match) -> bool {
        let line = beginning(source.line(one.line));
        if self.has_another_number(line) {
            return true;
        }
        // Numbers alone stand below what they are called.
        let above = beginning(source.line(one.line.saturating_sub(1)));
        let has_letters = line.contains(|c: char| c.is_alphabetic());
        if !has_letters && overlap(&self.context.statement_stems, &stems(above)) {
            return true;
        }
        let lower = line.to_lowercase();
        self.context.subject.names.iter().any(|name| lower.contains(name.as_str()))
            || overlap(&self.context.wide, &stems(line))
            || share(&self.context.local, &source.request_stems)
    }

    /// The reading that the words of the claim name, with another value.
    fn contradiction(&self) -> Look {
        // What was computed is no other value of a reading.
        if computed::is_computed(self) || computed::follows_from_statement(self) {
            return Look::Nothing;
        }
        let subject = &self.context.subject;
        for &index in self.sources {
            let Some(source) = self.judge.source(index) else { continue };
            let comparable = |reading: &&Reading| {
                !names_itself(reading)
                    && reading.value.quantity.is_some_and(|quantity| self.is_comparable(&quantity))
                    && self.is_of_kind(source, reading)
            };
            if subject.is_empty() {
                if let Some(only) = self.only_named(source).filter(|_| !self.is_part_of_something())
                {
                    return contradicted(source, only, Ground::OnlyField);
                }
                continue;
            }
            let own = subject.in_source(index).flat_map(|group| source.members(group));
            let own = own.filter(comparable).filter(|one| self.may_contradict(source, one));
            let comparables: Vec<&Reading> = own.collect();
            let left = comparables.iter().filter(|one| !self.is_stated(one));
            let best = left.max_by_key(|reading| self.shared(source, reading));
            match (best, comparables.as_slice()) {
                (Some(best), _) if self.shared(source, best) > 0 => {
                    return contradicted(source, best, Ground::Field);
                }
                // An object with one value can be contradicted by nothing else.
                (Some(_), [only]) => return contradicted(source, only, Ground::OnlyValue),
                _ => {}
            }
        }
        Look::Nothing
    }

    /// Whether it is a percentage `of` something, which has no field of its own.
    fn is_part_of_something(&self) -> bool {
        let behind = self.context.statement.text.get(self.context.end..).unwrap_or_default();
        self.quantity.unit.as_str() == "%" && behind.trim_start().starts_with("of ")
    }

    /// The one reading of a result that has two of the words near the claim, if no object is named.
    fn only_named<'s>(&self, source: &'s Source) -> Option<&'s Reading> {
        let readings = source.readings.iter().take(MOST_NAMED);
        let named = readings.filter(|reading| {
            let comparable = reading.value.quantity.is_some_and(|found| self.is_comparable(&found));
            comparable && self.shared(source, reading) > 1 && self.is_of_kind(source, reading)
        });
        let named: Vec<&Reading> = named.take(2).collect();
        if let [only] = named.as_slice() { Some(*only) } else { None }
    }
}

/// Whether a reading is a long number that something goes by.
fn is_id(reading: &Reading) -> bool {
    const SHORTEST: usize = 5;
    reading.value.text.len() >= SHORTEST
        && reading.value.text.bytes().all(|byte| byte.is_ascii_digit())
        && reading.field.to_lowercase().ends_with("id")
}

/// Whether a reading is the name of its own object: the process 8812 has the pid 8812.
fn names_itself(reading: &Reading) -> bool {
    reading.object.parts().any(|part| *part == *reading.value.text)
}

/// The beginning of a line.
fn beginning(line: &str) -> &str {
    line.get(..line.len().min(LONGEST_LINE))
        .unwrap_or_else(|| line.split(' ').next().unwrap_or_default())
}
