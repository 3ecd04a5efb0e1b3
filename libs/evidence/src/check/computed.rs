//! Whether a number or a time that no result shows may have been computed from those that are there.
//!
//! Nothing here bears a claim out: of many numbers, two fit by chance. It says that the checker cannot judge.

mod words;

use jiff::SignedDuration;

use super::context::{Context, Judge};
use super::number_claim::{NumberClaim, statement_numbers};
use super::rows::{Row, thousandth};
use crate::lexer::lex;
use crate::moment::Moment;
use crate::quantity::{Fit, Quantity, Unit};
use crate::words::stems;
use words::{COMPARED, COMPUTED, COMPUTED_PHRASES, DIFFERENT, HOURS, POINTING, SHARES, ZONES};

/// Rows that are about the statement, of one result.
const MOST_RELATED: usize = 30;
/// How far behind a number stands what it is compared by, in words.
const NEAR: usize = 3;
/// Times of rows that are compared with each other.
const MOST_TIMES: usize = 24;
/// A row with at most so many numbers is one value of a list: `key: value`.
const FEW: usize = 3;

/// Whether the number may follow from others: the statement says that it was computed, its own numbers give it, or those beside
/// its words do.
pub(super) fn may_be(number: &NumberClaim<'_>) -> bool {
    is_computed(number) || follows_from_statement(number) || follows_from_rows(number)
}

/// Whether the statement says that its number was computed or compared. What a result itself calls a share or an average is read,
/// and not computed; nor are the ends of a change, and what the statement computes itself.
pub(super) fn is_computed(number: &NumberClaim<'_>) -> bool {
    let text = number.context.statement.text.to_lowercase();
    let clause = number.context.clause.to_lowercase();
    let before = text.get(..number.context.at).unwrap_or_default();
    let behind = text.get(number.context.end..).unwrap_or_default().trim_start();
    if is_end(before) || states_pair(number, &text) {
        return false;
    }
    // By another word than that one itself.
    let is_named = |word: &&str| {
        let (own, all) = (stems(word), own_words(number.context));
        related(number).any(|row| row.is_about(&own) && row.shared(all) > row.shared(&own))
    };
    let mut computed = words_of(&clause).filter(|word| COMPUTED.contains(word));
    is_share(number, &text)
        || is_in_bits(number)
        || words_of(&text).next().is_some_and(|word| matches!(word, "that" | "those" | "these"))
        || words_of(before).last() == Some("by")
        || is_of_all(before)
        || computed.any(|word| !is_named(&word))
        || words_of(behind).take(NEAR).any(|word| COMPARED.contains(&word))
        || HOURS.iter().any(|words| behind.starts_with(words))
        || COMPUTED_PHRASES.iter().any(|phrase| clause.contains(phrase))
}

/// Whether a number is the whole of a part (`98 % of the 4,100 errors`), or what is left out of one (`all but 21`).
fn is_of_all(before: &str) -> bool {
    ["of the", "of its", "of these", "of those", "all but"]
        .iter()
        .any(|words| before.trim_end().ends_with(words))
}

/// Whether a number is a factor, which no reading contradicts, or what a sentence says there is none of: a status, a signal.
pub(super) fn is_no_reading(context: &Context<'_>) -> bool {
    let text = context.statement.text.to_lowercase();
    let before = text.get(..context.at).unwrap_or_default();
    let behind = text.get(context.end..).unwrap_or_default().trim_start();
    let is_factor =
        behind.starts_with("times") && COMPUTED_PHRASES.iter().any(|one| behind.starts_with(one));
    is_factor
        || behind.starts_with("of them")
        || words_of(before).last().is_some_and(|word| matches!(word, "no" | "without"))
}

/// Whether a percentage is the part of something, where no result has a percentage beside two words of the statement.
fn is_share(number: &NumberClaim<'_>, text: &str) -> bool {
    const SEVERAL: usize = 2;
    let words = own_words(number.context);
    let names_a_whole = || words_of(text).any(|word| SHARES.contains(&word)) || text.contains('(');
    let mut rows = related(number).filter(|row| row.shared(words) >= SEVERAL);
    number.quantity.unit == percent()
        && names_a_whole()
        && !rows.any(|row| row.numbers.iter().any(|one| one.unit == percent()))
}

/// Whether it counts bits, and no result does.
fn is_in_bits(number: &NumberClaim<'_>) -> bool {
    let is_bits = |unit: Unit| matches!(unit.as_str(), "kbps" | "Mbps" | "Gbps");
    let mut all = related(number).flat_map(|row| row.numbers.iter());
    is_bits(number.quantity.unit) && !all.any(|one| is_bits(one.unit))
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '/' | '(' | ')' | '—' | '–'));
    words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).filter(|it| !it.is_empty())
}

/// Whether a number is where a change begins or ends.
fn is_end(before: &str) -> bool {
    const APPROXIMATE: &[&str] =
        &["about", "roughly", "only", "almost", "nearly", "around", "just"];
    let words = words_of(before).filter(|word| !APPROXIMATE.contains(word));
    words.last().is_some_and(|word| matches!(word, "from" | "to"))
}

/// Whether the statement has the two numbers of a percentage: `388 of 5000`.
fn states_pair(number: &NumberClaim<'_>, text: &str) -> bool {
    let own = number.context.at;
    let tokens = lex(text);
    let numbers: Vec<_> = tokens.iter().filter(|token| token.quantity().is_some()).collect();
    let between = |one: usize, other: usize| text.get(one..other).unwrap_or_default().trim();
    let mut pairs = numbers.iter().zip(numbers.iter().skip(1));
    number.quantity.unit == percent()
        && pairs.any(|(one, other)| {
            one.start != own
                && other.start != own
                && matches!(between(one.end(), other.start), "of" | "of the" | "of about")
        })
}

/// The rows of all results that are about the statement.
fn related<'n>(number: &'n NumberClaim<'_>) -> impl Iterator<Item = &'n Row> {
    let words = own_words(number.context);
    let sources = number.sources.iter().filter_map(|index| number.judge.source(*index));
    sources.flat_map(move |source| {
        source.rows().iter().filter(move |row| row.is_about(words)).take(MOST_RELATED)
    })
}

/// Whether two other numbers of the statement give it in any way, or one does in another unit.
pub(super) fn follows_from_statement(number: &NumberClaim<'_>) -> bool {
    let mut stated = statement_numbers(number);
    let thousandths = |one: &Quantity| (one.unit.as_str() == "m").then(|| thousandth(one));
    let small: Vec<Quantity> = stated.iter().filter_map(thousandths).collect();
    stated.extend(small);
    if words_of(&number.context.statement.text).any(|word| word == "one") {
        stated.push(Quantity { number: 1.0, step: 1.0, unit: Unit::NONE });
    }
    let (sum, unit) = sum(&stated);
    stated.iter().any(|one| in_bits(number, one) || is_rest(number, one))
        || stated.len() > 1 && is(number, sum, unit)
        || any_pair(&stated, |one, other| is_combined(number, one, other))
}

fn follows_from_rows(number: &NumberClaim<'_>) -> bool {
    let text = number.context.statement.text.to_lowercase();
    // The whole of a part may be a sum.
    let differs = words_of(&text).any(|word| DIFFERENT.contains(&word) || word.starts_with("un"));
    let is_whole = words_of(text.get(..number.context.at).unwrap_or_default()).last() == Some("of");
    let is_summed = is_written_out(number) && (differs || is_whole);
    let stated = statement_numbers(number);
    let adds = |one: &Quantity, other: &Quantity| {
        is_summed && (is_sum(number, one, other) || is_difference(number, one, other))
    };
    let about: Vec<&Row> = related(number).collect();
    let short = about.iter().filter(|row| row.numbers.len() <= FEW);
    let short = short.flat_map(|row| row.numbers.iter().copied()).take(MOST_RELATED);
    let in_row = |row: &&Row| {
        row.derived.iter().any(|one| is_same(number, one))
            || row.numbers.iter().any(|one| in_bits(number, one) || is_rest(number, one))
            || any_pair(&row.numbers, |one, other| is_part(number, one, other) || adds(one, other))
            || row.numbers.iter().any(|one| stated.iter().any(|other| adds(one, other)))
    };
    about.iter().any(in_row) || any_pair(&short.collect::<Vec<_>>(), adds) || is_span(number)
}

/// Whether it is how long ago a time beside the statement's words was, or the time between two of them.
fn is_span(number: &NumberClaim<'_>) -> bool {
    if !is_duration(&number.quantity) {
        return false;
    }
    let sources = number.sources.iter().filter_map(|index| number.judge.source(*index));
    let now = sources.filter_map(|source| source.answered_at);
    let words = own_words(number.context);
    let rows = related(number).filter(|row| row.shared(words) > 1);
    let times: Vec<Moment> =
        rows.flat_map(|row| row.moments.iter().copied()).take(MOST_TIMES).collect();
    let all: Vec<Moment> = times.iter().copied().chain(now).collect();
    times.iter().any(|from| {
        all.iter()
            .filter_map(|to| from.until(to))
            .any(|span| is(number, span.as_secs_f64().abs(), Unit::SECONDS))
    })
}

/// The words that rows are chosen by: of the statement, and of what stands around it where it points there.
fn own_words<'c>(context: &'c Context<'_>) -> &'c [String] {
    let lower = context.statement.text.to_lowercase();
    let mut written = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let points = written.next().is_some_and(|first| POINTING.contains(&first));
    if points { &context.wide } else { &context.statement_stems }
}

fn any_pair(all: &[Quantity], fits: impl Fn(&Quantity, &Quantity) -> bool) -> bool {
    all.iter().enumerate().any(|(at, one)| all.iter().skip(at + 1).any(|other| fits(one, other)))
}

fn percent() -> Unit {
    Unit::parse("%").unwrap_or(Unit::NONE)
}

/// Whether the claim is this value, rounded as it is written.
fn is(number: &NumberClaim<'_>, value: f64, unit: Unit) -> bool {
    let computed = Quantity { number: value, step: number.quantity.step * 1e-3, unit };
    value > 0.0 && number.quantity.fits(&computed, number.claim.precision) > Fit::Dropped
}

/// Whether it has two digits; one is met by chance.
fn is_written_out(number: &NumberClaim<'_>) -> bool {
    const TWO_DIGITS: f64 = 10.0;
    number.quantity.number >= TWO_DIGITS || number.quantity.step < 1.0
}

/// The same number, as in a duration of several units.
fn is_same(number: &NumberClaim<'_>, one: &Quantity) -> bool {
    number.quantity.fits(one, number.claim.precision) == Fit::Exact
}

/// Bits of bytes.
fn in_bits(number: &NumberClaim<'_>, one: &Quantity) -> bool {
    /// Kilobits of a byte, where a kilobyte has 1000 and where it has 1024.
    const KILOBITS: [f64; 2] = [8e-3, 8.192e-3];
    let unit = Unit::parse("kbps").unwrap_or(Unit::NONE);
    let is_bytes = one.unit.base_unit().as_str() == "B";
    is_bytes && KILOBITS.into_iter().any(|size| is(number, one.base() * size, unit))
}

/// What a percentage leaves.
fn is_rest(number: &NumberClaim<'_>, one: &Quantity) -> bool {
    const WHOLE: f64 = 100.0;
    one.unit == percent() && one.number < WHOLE && is(number, WHOLE - one.number, percent())
}

/// Two numbers in the unit that both have, or one of them: their values, and that unit.
fn alike(one: &Quantity, other: &Quantity) -> Option<(f64, f64, Unit)> {
    let is_bare = |quantity: &Quantity| quantity.unit == Unit::NONE;
    if one.number <= 0.0 || other.number <= 0.0 {
        None
    } else if one.unit == other.unit {
        Some((one.number, other.number, one.unit))
    } else if one.is_comparable(other) || is_bare(one) || is_bare(other) {
        let unit = if is_bare(one) { other.unit } else { one.unit };
        Some((one.base(), other.base(), unit.base_unit()))
    } else {
        None
    }
}

/// All of them together, if they have one unit, or none.
fn sum(all: &[Quantity]) -> (f64, Unit) {
    let unit = all.first().map_or(Unit::NONE, |one| one.unit);
    let alike = all.iter().filter(|one| one.unit == unit);
    (alike.map(|one| one.number).sum(), unit)
}

fn is_sum(number: &NumberClaim<'_>, one: &Quantity, other: &Quantity) -> bool {
    alike(one, other).is_some_and(|(a, b, unit)| is(number, a + b, unit))
}

fn is_difference(number: &NumberClaim<'_>, one: &Quantity, other: &Quantity) -> bool {
    alike(one, other).is_some_and(|(a, b, unit)| is(number, (a - b).abs(), unit))
}

/// A percentage of the other.
fn is_part(number: &NumberClaim<'_>, one: &Quantity, other: &Quantity) -> bool {
    let part = |share: &Quantity, whole: &Quantity| {
        share.unit == percent()
            && !matches!(whole.unit.as_str(), "" | "%")
            && is(number, whole.number * share.number / 100.0, whole.unit)
    };
    part(one, other) || part(other, one)
}

/// Any of the four operations, or a share.
fn is_combined(number: &NumberClaim<'_>, one: &Quantity, other: &Quantity) -> bool {
    let (a, b) = (one.base(), other.base());
    if a <= 0.0 || b <= 0.0 {
        return false;
    }
    let (low, high) = (a.min(b), a.max(b));
    let divides = [low / high, high / low, a * b].into_iter().any(|it| is(number, it, Unit::NONE));
    let shares = [low / high, 1.0 - low / high, low / (low + high), high / low - 1.0];
    let shares = shares.into_iter().any(|share| is(number, share * 100.0, percent()));
    let adds = is_sum(number, one, other) || is_difference(number, one, other);
    adds || divides || shares || is_part(number, one, other)
}

/// Whether a time is one of a result in another zone, which the text names, or an age counted back.
pub(super) fn time_may_be(judge: &Judge<'_>, context: &Context<'_>, moment: &Moment) -> bool {
    let statement = context.statement;
    let around = format!("{} {}", statement.text, statement.nearby).to_lowercase();
    let mut written = around.split(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '-'));
    let names_zone = written.any(|word| {
        let is_zone =
            |zone: &&str| *zone == word || zone.ends_with(['+', '-']) && word.starts_with(*zone);
        ZONES.iter().any(is_zone)
    }) || around.contains("local time");
    let words = own_words(context);
    judge.evidence.sources.iter().any(|source| {
        let rows = || source.rows().iter();
        names_zone && rows().any(|row| row.moments.iter().any(|one| is_in_zone(moment, one)))
            || rows().filter(|row| row.is_about(words)).take(MOST_RELATED).any(|row| {
                let ages = row.numbers.iter().chain(&row.derived).filter(|one| is_duration(one));
                let mut now = [source.answered_at, source.latest].into_iter().flatten();
                let ages: Vec<&Quantity> = ages.collect();
                now.any(|now| ages.iter().any(|age| is_before(moment, &now, age)))
            })
    })
}

/// Whether two times differ by whole hours.
fn is_in_zone(moment: &Moment, found: &Moment) -> bool {
    const MINUTE: SignedDuration = SignedDuration::from_secs(60);
    moment.time.zip(found.time).is_some_and(|(own, other)| {
        own.minute() == other.minute()
            && (moment.step >= MINUTE || found.step >= MINUTE || own.second() == other.second())
    })
}

fn is_duration(one: &Quantity) -> bool {
    one.unit != Unit::NONE && one.is_comparable(&Quantity::seconds(1.0, 1.0))
}

/// Whether a time lies so far back.
fn is_before(moment: &Moment, now: &Moment, age: &Quantity) -> bool {
    const SLACK: SignedDuration = SignedDuration::from_secs(60);
    let span = SignedDuration::try_from_secs_f64(age.base()).ok();
    let then = span.and_then(|span| now.minus(span));
    moment.time.is_some() && then.is_some_and(|then| moment.fits(&then, SLACK))
}
