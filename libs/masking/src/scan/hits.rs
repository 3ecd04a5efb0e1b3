//! The search for literals: a table of first bytes says where one may begin, which no place waits for another to say, and an
//! automaton follows those few places.

use std::ops::Range;

use aho_corasick::automaton::Automaton as _;
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, StartKind};

use super::begins::{Begins, PART, Places};
use super::literals::Literal;
use crate::error::Error;

/// Finds literals, in letters of either case.
#[derive(Debug)]
pub(super) struct Automaton {
    begins: Begins,
    automaton: DFA,
}

/// A literal in a text. They are reported by their ends, the longest of those that end together first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    pub(super) end: usize,
    pub(super) start: usize,
    /// The number of the literal.
    pub(super) number: usize,
}

impl Automaton {
    /// Finds literals by their texts; what each says of the bytes around it leaves out places where it cannot stand.
    pub(super) fn new(texts: &[&str], literals: &[Literal]) -> Result<Self, Error> {
        let automaton = DFA::builder()
            .ascii_case_insensitive(true)
            .start_kind(StartKind::Anchored)
            .build(texts)
            .map_err(|error| Error::Search(Box::new(error)))?;
        let mut begins = Begins::default();
        for (text, literal) in texts.iter().zip(literals) {
            begins.add(text.as_bytes(), literal);
        }
        Ok(Self { begins, automaton })
    }

    /// Reports every literal that may be where it stands, in the order of their ends; none in a mask.
    pub(super) fn find(
        &self,
        bytes: &[u8],
        masks: &[Range<usize>],
        may_be: impl Fn(&Hit) -> bool,
        mut report: impl FnMut(Hit),
    ) {
        let (mut places, mut hits) = (Places::default(), Vec::new());
        for gap in gaps(bytes.len(), masks) {
            let bytes = bytes.get(..gap.end).unwrap_or_default();
            let mut from = gap.start;
            while from < gap.end {
                let to = gap.end.min(from + PART);
                self.begins.find(bytes, from..to, &mut places);
                for place in places.iter() {
                    self.follow(bytes, place, &may_be, &mut hits);
                }
                hits.sort_unstable();
                // What begins in the next part ends behind this one.
                let known = hits.partition_point(|hit| hit.end <= to || to == gap.end);
                hits.drain(..known).for_each(&mut report);
                from = to;
            }
        }
    }

    /// Adds the literals that begin at a place.
    fn follow(
        &self,
        bytes: &[u8],
        start: usize,
        may_be: impl Fn(&Hit) -> bool,
        hits: &mut Vec<Hit>,
    ) {
        // The automaton was built for this sort of start.
        let mut state = self.automaton.start_state(Anchored::Yes).unwrap_or_default();
        for (at, byte) in bytes.iter().enumerate().skip(start) {
            state = self.automaton.next_state(Anchored::Yes, state, *byte);
            if !self.automaton.is_special(state) {
                continue;
            }
            if self.automaton.is_dead(state) {
                return;
            }
            for index in 0..self.automaton.match_len(state) {
                let number = self.automaton.match_pattern(state, index).as_usize();
                // The state knows those that end here and began later, too.
                let whole = self.automaton.pattern_len(self.automaton.match_pattern(state, index));
                let hit = Hit { end: at + 1, start, number };
                if whole == at + 1 - start && may_be(&hit) {
                    hits.push(hit);
                }
            }
        }
    }
}

/// What is between masks.
pub(super) fn gaps(length: usize, masks: &[Range<usize>]) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::once(0).chain(masks.iter().map(|mask| mask.end));
    let ends = masks.iter().map(|mask| mask.start).chain(std::iter::once(length));
    starts.zip(ends).map(|(start, end)| start..end).filter(|gap| !gap.is_empty())
}
