//! The search for literals: one automaton, which goes over several parts of a text at once, because each of its steps waits
//! for the one before.

use std::ops::Range;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::dfa::DFA;

use crate::error::Error;

/// How long a part is.
const PART: usize = 16 * 1024;
/// How many parts are gone over at once.
const PARTS: usize = 4;

/// Finds literals, in letters of either case.
#[derive(Debug)]
pub(super) struct Automaton {
    automaton: DFA,
    /// How long the longest literal is: so many bytes decide in what state a part begins.
    longest: usize,
}

/// A place where at least one literal ends, and the state that says which.
struct Hit {
    end: usize,
    state: StateID,
}

impl Automaton {
    pub(super) fn new<'l>(literals: impl Iterator<Item = &'l str> + Clone) -> Result<Self, Error> {
        let longest = literals.clone().map(str::len).max().unwrap_or(0);
        let automaton = DFA::builder()
            .ascii_case_insensitive(true)
            .build(literals)
            .map_err(|error| Error::Search(Box::new(error)))?;
        Ok(Self { automaton, longest })
    }

    /// Reports the number of every literal, with the place where it ends, in the order of the text; none in a mask.
    pub(super) fn find(
        &self,
        bytes: &[u8],
        masks: &[Range<usize>],
        mut report: impl FnMut(usize, usize),
    ) {
        let mut found: [Vec<Hit>; PARTS] = Default::default();
        for gap in gaps(bytes.len(), masks) {
            self.find_in(bytes, gap, &mut found, &mut report);
        }
    }

    /// The same in a part of the text that no literal begins before.
    fn find_in(
        &self,
        bytes: &[u8],
        gap: Range<usize>,
        found: &mut [Vec<Hit>; PARTS],
        report: &mut impl FnMut(usize, usize),
    ) {
        let bytes = bytes.get(..gap.end).unwrap_or_default();
        let mut from = gap.start;
        while from < gap.end {
            let length = PART.min((gap.end - from) / PARTS);
            if length < self.longest {
                let to = gap.end.min(from + PART);
                self.single(bytes, gap.start, from..to, report);
                from = to;
                continue;
            }
            self.several(bytes, gap.start, from, length, found);
            for hit in found.iter_mut().flat_map(|hits| hits.drain(..)) {
                self.report(&hit, report);
            }
            from += PARTS * length;
        }
    }

    /// Goes over one part.
    fn single(
        &self,
        bytes: &[u8],
        floor: usize,
        part: Range<usize>,
        report: &mut impl FnMut(usize, usize),
    ) {
        let (start, mut state) = (part.start, self.state_at(bytes, floor, part.start));
        for (at, byte) in bytes.get(part).unwrap_or_default().iter().enumerate() {
            if self.step(&mut state, *byte) {
                self.report(&Hit { end: start + at + 1, state }, report);
            }
        }
    }

    fn report(&self, hit: &Hit, report: &mut impl FnMut(usize, usize)) {
        for index in 0..self.automaton.match_len(hit.state) {
            report(self.automaton.match_pattern(hit.state, index).as_usize(), hit.end);
        }
    }

    /// Goes over neighbouring parts of one length, one byte of each in turn.
    fn several(
        &self,
        bytes: &[u8],
        floor: usize,
        from: usize,
        length: usize,
        found: &mut [Vec<Hit>; PARTS],
    ) {
        let starts = [from, from + length, from + 2 * length, from + 3 * length];
        let [mut a, mut b, mut c, mut d] = starts.map(|start| self.state_at(bytes, floor, start));
        let [first, second, third, fourth] =
            starts.map(|start| bytes.get(start..start + length).unwrap_or_default());
        let [hits_a, hits_b, hits_c, hits_d] = found;
        let [start_a, start_b, start_c, start_d] = starts;
        let bytes = first.iter().zip(second).zip(third).zip(fourth);
        for (at, (((byte_a, byte_b), byte_c), byte_d)) in bytes.enumerate() {
            if self.step(&mut a, *byte_a) {
                hits_a.push(Hit { end: start_a + at + 1, state: a });
            }
            if self.step(&mut b, *byte_b) {
                hits_b.push(Hit { end: start_b + at + 1, state: b });
            }
            if self.step(&mut c, *byte_c) {
                hits_c.push(Hit { end: start_c + at + 1, state: c });
            }
            if self.step(&mut d, *byte_d) {
                hits_d.push(Hit { end: start_d + at + 1, state: d });
            }
        }
    }

    /// The state behind the bytes before a place, from `floor` on.
    fn state_at(&self, bytes: &[u8], floor: usize, at: usize) -> StateID {
        let from = at.saturating_sub(self.longest).max(floor);
        let before = bytes.get(from..at).unwrap_or_default();
        // The automaton was built for this sort of start.
        let start = self.automaton.start_state(Anchored::No).unwrap_or_default();
        let next = |state, byte: &u8| self.automaton.next_state(Anchored::No, state, *byte);
        before.iter().fold(start, next)
    }

    /// Goes on by one byte; says whether a literal ends with it.
    #[inline]
    fn step(&self, state: &mut StateID, byte: u8) -> bool {
        *state = self.automaton.next_state(Anchored::No, *state, byte);
        self.automaton.is_special(*state) && self.automaton.is_match(*state)
    }
}

/// What is between masks.
pub(super) fn gaps(length: usize, masks: &[Range<usize>]) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::once(0).chain(masks.iter().map(|mask| mask.end));
    let ends = masks.iter().map(|mask| mask.start).chain(std::iter::once(length));
    starts.zip(ends).map(|(start, end)| start..end).filter(|gap| !gap.is_empty())
}
