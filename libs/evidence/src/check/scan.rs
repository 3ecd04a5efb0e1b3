//! One pass over all results for everything that a text claims.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;

use super::evidence::Evidence;
use super::search::plain;
use super::source::Source;
use crate::claim::{Claim, Content, Document};
use crate::lexer::{TokenKind, lex};
use crate::moment::Moment;
use crate::quantity::{Fit, Precision, Quantity, Unit};
use crate::words::stems;
use jiff::SignedDuration;

/// Occurrences that are kept of one needle in one result.
const MOST_OCCURRENCES: usize = 5_000;
/// Places that are kept for one claim in one result.
const MOST_MATCHES: usize = 200;
/// Needles of one text; a bound on the automaton.
const MOST_NEEDLES: usize = 8_000;
/// The shortest word that is looked for, in bytes.
const SHORTEST_WORD: usize = 2;

/// A number or a time that fits a claim.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    pub(super) source: usize,
    pub(super) line: usize,
    /// The reading, if it is typed.
    pub(super) reading: Option<usize>,
    pub(super) fit: Fit,
}

/// Where a needle stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    pub(super) line: usize,
    /// Whether no letter or digit stands directly before it and behind it.
    pub(super) is_whole: bool,
    /// In the searchable text.
    pub(super) at: usize,
}

pub(super) struct Scan {
    /// From a needle to its occurrences in each source.
    found: HashMap<String, Vec<Vec<Occurrence>>>,
    /// For each claim.
    pub(super) matches: Vec<Vec<Match>>,
}

impl Scan {
    pub(super) fn new(evidence: &Evidence, document: &Document) -> Self {
        let mut matches = vec![Vec::new(); document.claims.len()];
        let wanted = Wanted::new(&document.claims);
        for (index, source) in evidence.sources.iter().enumerate() {
            wanted.search_readings(index, source, &document.claims, &mut matches);
            wanted.search_lines(index, source, &document.claims, &mut matches);
        }
        Self { found: search_needles(evidence, document), matches }
    }

    pub(super) fn occurrences(&self, needle: &str, source: usize) -> &[Occurrence] {
        let needle = needle.to_lowercase();
        self.found.get(&needle).and_then(|sources| sources.get(source)).map_or(&[], Vec::as_slice)
    }

    /// Whether a result has a needle as a whole word.
    pub(super) fn has_whole(&self, needle: &str, source: usize) -> bool {
        self.occurrences(needle, source).iter().any(|one| one.is_whole)
    }

    /// The lines that a word, or a name as a whole, stands in.
    pub(super) fn lines(&self, needle: &str, source: usize) -> Vec<usize> {
        let mut lines: Vec<usize> =
            self.occurrences(needle, source).iter().map(|one| one.line).collect();
        lines.dedup();
        lines
    }
}

/// The parts of a quotation that must be found: what `…` separates.
pub(super) fn fragments(quotation: &str) -> Vec<String> {
    let text = plain(&quotation.replace("[...]", "…").replace("[…]", "…").replace("...", "…"));
    let parts =
        text.split('…').map(|part| part.trim_matches([' ', '.', ',', '"', '|']).to_lowercase());
    parts.filter(|part| part.len() > 1).collect()
}

/// A name as it is written, and as other programs write it: `TIME_WAIT`, `TIME-WAIT`, `timewait`.
pub(super) fn spellings(name: &str) -> Vec<String> {
    let own = plain(name).to_lowercase();
    let is_word = own.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'));
    let mut all = vec![own.clone()];
    if is_word && own.contains(['_', '-']) {
        all.extend([own.replace('_', "-"), own.replace('-', "_"), own.replace(['_', '-'], "")]);
        all.dedup();
    }
    all
}

fn search_needles(
    evidence: &Evidence,
    document: &Document,
) -> HashMap<String, Vec<Vec<Occurrence>>> {
    let mut needles: Vec<String> = Vec::new();
    for claim in &document.claims {
        match &claim.content {
            Content::Name(name) => needles.extend(spellings(name)),
            Content::Quotation(text) => needles.extend(fragments(text)),
            Content::Quantity(_) | Content::Time(_) => needles.extend(words_of(document, claim)),
            Content::Citation { .. } => {}
        }
    }
    needles.sort_unstable();
    needles.dedup();
    needles.truncate(MOST_NEEDLES);
    let mut found: HashMap<String, Vec<Vec<Occurrence>>> = HashMap::new();
    let Ok(automaton) = AhoCorasick::builder().ascii_case_insensitive(true).build(&needles) else {
        return found;
    };
    for (index, source) in evidence.sources.iter().enumerate() {
        for hit in automaton.find_overlapping_iter(&source.search.text) {
            let Some(needle) = needles.get(hit.pattern().as_usize()) else { continue };
            let sources = found
                .entry(needle.clone())
                .or_insert_with(|| vec![Vec::new(); evidence.sources.len()]);
            if let Some(list) = sources.get_mut(index).filter(|list| list.len() < MOST_OCCURRENCES)
            {
                let (before, behind) = around(&source.search.text, hit.start(), hit.end());
                let line = source.search.line_at(hit.start());
                list.push(Occurrence { line, is_whole: !before && !behind, at: hit.start() });
            }
        }
    }
    found
}

/// Whether a letter or digit stands directly before, and behind.
fn around(text: &str, start: usize, end: usize) -> (bool, bool) {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let before = text.get(..start).and_then(|head| head.chars().next_back());
    let behind = text.get(end..).and_then(|tail| tail.chars().next());
    let first = text.get(start..).and_then(|hit| hit.chars().next());
    // `NotReady` inside `NodeNotReady`
    let hump = before.is_some_and(char::is_lowercase) && first.is_some_and(char::is_uppercase);
    (letter(before) && !hump, letter(behind))
}

/// The words that a count may count lines by.
fn words_of(document: &Document, claim: &Claim) -> Vec<String> {
    let statement =
        document.statements.get(claim.statement).map_or("", |statement| statement.text.as_str());
    words(statement)
}

/// Words and names of a text, in small letters.
pub(super) fn words(text: &str) -> Vec<String> {
    let singular = |word: &str| {
        let rest = word.strip_suffix('s').filter(|rest| rest.len() > 3 && !rest.ends_with('s'));
        rest.map(str::to_owned)
    };
    let mut words = Vec::new();
    for token in lex(text) {
        let word = token.text.to_lowercase();
        match token.kind {
            TokenKind::Word if word.len() >= SHORTEST_WORD && !stems(&word).is_empty() => {
                words.extend(singular(&word));
                words.push(word);
            }
            // Codes, as 502.
            TokenKind::Quantity(_) if word.len() > SHORTEST_WORD => words.push(word),
            _ => {}
        }
    }
    words
}

/// The numbers and times that are looked for.
struct Wanted {
    /// From a unit and a magnitude to claims.
    numbers: HashMap<(Unit, i32), Vec<usize>>,
    times: Vec<(usize, Moment, SignedDuration)>,
}

/// Four buckets for each power of two.
fn magnitude(number: f64) -> i32 {
    if number < 1e-12 {
        return i32::MIN;
    }
    #[expect(clippy::cast_possible_truncation, reason = "logarithms of numbers are small")]
    let bucket = (number.log2() * 4.0).floor() as i32;
    bucket
}

/// How far a time after `about` may be off.
pub(super) fn slack(precision: Precision) -> SignedDuration {
    match precision {
        Precision::About => SignedDuration::from_mins(5),
        _ => SignedDuration::ZERO,
    }
}

/// Adds a claim to all buckets that numbers which fit it may fall into.
fn want(quantity: &Quantity, index: usize, numbers: &mut HashMap<(Unit, i32), Vec<usize>>) {
    for unit in Unit::all() {
        for (low, high) in quantity.reach(unit) {
            let lowest = magnitude(low.max(high / 4_096.0));
            let zero = (low <= 0.0).then_some(i32::MIN);
            for bucket in (lowest..=magnitude(high)).chain(zero) {
                let list = numbers.entry((unit, bucket)).or_default();
                if list.last() != Some(&index) {
                    list.push(index);
                }
            }
        }
    }
}

impl Wanted {
    fn new(claims: &[Claim]) -> Self {
        let mut numbers: HashMap<(Unit, i32), Vec<usize>> = HashMap::new();
        let mut times = Vec::new();
        for (index, claim) in claims.iter().enumerate() {
            match &claim.content {
                Content::Time(moment) => times.push((index, *moment, slack(claim.precision))),
                Content::Quantity(quantity) => want(quantity, index, &mut numbers),
                _ => {}
            }
        }
        Self { numbers, times }
    }

    fn search_readings(
        &self,
        source: usize,
        text: &Source,
        claims: &[Claim],
        matches: &mut [Vec<Match>],
    ) {
        for (reading, found) in text.readings.iter().enumerate() {
            let place = Match { source, line: found.line, reading: Some(reading), fit: Fit::Exact };
            if let Some(quantity) = found.value.quantity {
                self.number(&quantity, place, claims, matches);
            } else {
                let tokens = lex(&found.value.text).into_iter().take(64);
                tokens.filter_map(|token| token.quantity()).for_each(|quantity| {
                    self.number(&quantity, place, claims, matches);
                });
            }
            if let Some(moment) = found.value.moment.or(found.time) {
                self.time(&moment, place, matches);
            }
        }
    }

    fn search_lines(
        &self,
        source: usize,
        text: &Source,
        claims: &[Claim],
        matches: &mut [Vec<Match>],
    ) {
        for (index, line) in text.text.lines().enumerate() {
            let place = Match { source, line: index + 1, reading: None, fit: Fit::Exact };
            // The ends of lines of a text inside a document separate, too.
            let hidden = if line.contains("[call ") || line.contains("\\n") {
                line.replace("[call ", "[call_").replace("\\n", "  ")
            } else {
                String::new()
            };
            for token in lex(if hidden.is_empty() { line } else { &hidden }) {
                match token.kind {
                    TokenKind::Quantity(quantity) => self.number(&quantity, place, claims, matches),
                    TokenKind::Moment(moment) => self.time(&moment, place, matches),
                    TokenKind::Word => {}
                }
            }
        }
    }

    fn number(
        &self,
        quantity: &Quantity,
        place: Match,
        claims: &[Claim],
        matches: &mut [Vec<Match>],
    ) {
        let Some(wanted) = self.numbers.get(&(quantity.unit, magnitude(quantity.number))) else {
            return;
        };
        for &index in wanted {
            let Some(Claim { content: Content::Quantity(claimed), precision, .. }) =
                claims.get(index)
            else {
                continue;
            };
            let fit = claimed.fits(quantity, *precision);
            if fit > Fit::No {
                push(matches, index, Match { fit, ..place });
            }
        }
    }

    fn time(&self, moment: &Moment, place: Match, matches: &mut [Vec<Match>]) {
        for (index, claimed, slack) in &self.times {
            if claimed.fits(moment, *slack) {
                push(matches, *index, place);
            }
        }
    }
}

fn push(matches: &mut [Vec<Match>], index: usize, one: Match) {
    let Some(list) = matches.get_mut(index) else { return };
    let own = list.iter().rev().take_while(|other| {
        other.source == one.source && other.reading.is_some() == one.reading.is_some()
    });
    let repeated = list.last().is_some_and(|last| {
        last.source == one.source
            && last.line == one.line
            && last.reading == one.reading
            && last.fit >= one.fit
    });
    if !repeated && own.take(MOST_MATCHES).count() < MOST_MATCHES {
        list.push(one);
    }
}
