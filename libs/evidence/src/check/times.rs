//! Points in time: written in a result, or counted back from an age.

use jiff::SignedDuration;

use super::Ground;
use super::context::{Context, Judge, Look};
use super::durations::moments;
use super::number_claim::NumberClaim;
use super::scan::{Match, slack};
use super::source::Source;
use crate::claim::Claim;
use crate::moment::Moment;
use crate::quantity::Unit;
use crate::reading::{Reading, time_of};
use crate::words::{share, stems};

/// Lines around a time that may speak of what the statement says.
const NEAR: usize = 3;
/// Lines with a word that are looked at.
const MOST_LINES: usize = 500;
/// Readings that are searched for ages.
const MOST_AGES: usize = 20_000;

pub(super) fn look(
    judge: &Judge<'_>,
    claim: (usize, &Claim),
    context: &Context<'_>,
    moment: Moment,
    sources: &[usize],
) -> Look {
    let matches: &[Match] = judge.scan.matches.get(claim.0).map_or(&[], Vec::as_slice);
    let mut other = Look::Nothing;
    let mut owned = Vec::new();
    for one in matches.iter().filter(|one| sources.contains(&one.source)) {
        let Some(source) = judge.source(one.source) else { continue };
        if one.reading.is_some() {
            owned.push((one.source, one.line));
        } else if owned.contains(&(one.source, one.line)) {
            continue;
        }
        match rival(source, one, context, &moment) {
            Some(look) => other = look,
            None if is_of_other_line(judge, source, one, context) => {}
            None => return Look::Found(NumberClaim::place(source, one.line)),
        }
    }
    for &index in sources {
        let Some(source) = judge.source(index) else { continue };
        // The time of the look itself.
        let asked =
            source.answered_at.is_some_and(|now| moment.fits(&now, slack(claim.1.precision)));
        if asked && other == Look::Nothing {
            return Look::Found(NumberClaim::place(source, 1));
        }
        if let Some(line) = from_age(source, &moment, slack(claim.1.precision)) {
            return Look::Found(NumberClaim::place(source, line));
        }
    }
    other
}

/// The same field of the object that the statement names, with another time.
fn rival(source: &Source, one: &Match, context: &Context<'_>, moment: &Moment) -> Option<Look> {
    let index = one.reading?;
    let reading = source.readings.get(index)?;
    let group = source.group_at(index);
    let mut first: Option<&Reading> = None;
    if context.subject.contains(one.source, group) {
        return sibling(source, group, reading, context, moment);
    }
    for group in context.subject.in_source(one.source) {
        for own in source.members(group).iter().filter(|own| own.field == reading.field) {
            if own.value.moment.is_some_and(|found| moment.fits(&found, SignedDuration::ZERO)) {
                return None;
            }
            first = first.or(Some(own));
        }
    }
    first.map(|own| contradicted(source, own, Ground::Object))
}

/// Another time of the same object that the words near the claim name.
fn sibling(
    source: &Source,
    group: usize,
    reading: &Reading,
    context: &Context<'_>,
    moment: &Moment,
) -> Option<Look> {
    let shared = |reading: &Reading| {
        let words = source.field_stems(reading);
        context.local.iter().filter(|word| words.contains(word)).count()
    };
    let own = shared(reading);
    let mut timed = source
        .members(group)
        .iter()
        .filter(|other| other.value.moment.is_some() && shared(other) > own);
    let fitting = |other: &Reading| {
        other.value.moment.is_some_and(|found| moment.fits(&found, SignedDuration::ZERO))
    };
    let first = timed.next()?;
    (!fitting(first) && !timed.any(fitting)).then(|| contradicted(source, first, Ground::Sibling))
}

fn contradicted(source: &Source, reading: &Reading, ground: Ground) -> Look {
    let instead = format!("{} of {}: {}", reading.field, reading.object, reading.value.text);
    Look::Contradicted(NumberClaim::place(source, reading.line), instead, ground)
}

/// Whether the line has nothing of what the statement says, while lines with another time do.
fn is_of_other_line(
    judge: &Judge<'_>,
    source: &Source,
    one: &Match,
    context: &Context<'_>,
) -> bool {
    let text = &context.statement.text;
    let several = moments(text).count() > 1;
    let strong: Vec<String> = super::scan::words(text)
        .into_iter()
        .filter(|word| {
            context.subject.names.contains(word)
                || word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_digit())
                || word.len() > 3 && share(&context.local, &stems(word))
        })
        .collect();
    let typed = one.reading.and_then(|index| source.readings.get(index));
    let is_column =
        |reading: &Reading| reading.value.moment.is_some() && !reading.object.is_empty();
    if several || typed.is_some_and(is_column) {
        return false;
    }
    if share(&context.local, &stems(source.line(one.line))) {
        return false;
    }
    let mut elsewhere = false;
    for word in &strong {
        let lines = judge.scan.lines(word, one.source);
        let timed = |line: &&usize| time_of(source.line(**line)).is_some();
        // A line with a time of its own is another event.
        let belongs =
            |line: &&usize| **line == one.line || line.abs_diff(one.line) <= NEAR && !timed(line);
        let lines = || lines.iter().take(MOST_LINES);
        if lines().any(|line| belongs(&line)) {
            return false;
        }
        elsewhere |= lines().any(|line| timed(&line));
    }
    elsewhere
}

/// The line of an age that reaches back to the moment, from when the call answered.
fn from_age(source: &Source, moment: &Moment, slack: SignedDuration) -> Option<usize> {
    let now = source.answered_at?;
    source.readings.iter().take(MOST_AGES).find_map(|reading| {
        let age = reading.value.quantity.filter(|age| {
            age.unit != Unit::NONE
                && age.is_comparable(&crate::quantity::Quantity::seconds(1.0, 1.0))
        })?;
        let field = reading.field.to_lowercase();
        if !(field.contains("age")
            || field.contains("seen")
            || field.contains("since")
            || field.contains("ago")
            || field.contains("uptime"))
        {
            return None;
        }
        let span = SignedDuration::try_from_secs_f64(age.base()).ok()?;
        // An age counts whole units: `5m` is up to a minute more.
        let unit =
            SignedDuration::try_from_secs_f64(age.base() / age.number.max(1.0) * age.step).ok()?;
        // Days say nothing about the time of day.
        let is_exact = moment.time.is_none() || unit <= SignedDuration::from_hours(1);
        let fits = moment.fits(&now.minus(span)?, slack.saturating_add(unit));
        (is_exact && fits).then_some(reading.line)
    })
}
