//! Where literals may begin, by three bytes of a text.

use std::array;
use std::ops::Range;

use super::literals::Literal;

/// How long a part is.
pub(super) const PART: usize = 16 * 1024;
/// How many bits of a byte count. Letters differ in them; a digit is one with a letter, which the automaton sees.
const BITS: usize = 6;
const MASK: usize = (1 << BITS) - 1;
/// How many pairs of bytes differ.
const PAIRS: usize = 1 << (2 * BITS);

/// For two bytes, which third may follow where a literal begins.
#[derive(Debug)]
pub(super) struct Begins {
    thirds: Box<[u64; PAIRS]>,
}

/// Places in a part of a text.
pub(super) struct Places {
    from: usize,
    behind: Box<[u16; PART]>,
    count: usize,
}

impl Default for Begins {
    fn default() -> Self {
        Self { thirds: Box::new(array::from_fn(|_| 0)) }
    }
}

impl Default for Places {
    fn default() -> Self {
        Self { from: 0, behind: Box::new(array::from_fn(|_| 0)), count: 0 }
    }
}

impl Places {
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        let known = self.behind.get(..self.count).unwrap_or_default();
        known.iter().map(|behind| self.from + usize::from(*behind))
    }
}

impl Begins {
    /// Adds a literal.
    pub(super) fn add(&mut self, text: &[u8], literal: &Literal) {
        for first in literal.bytes_at(text, 0) {
            for second in literal.bytes_at(text, 1) {
                let pair = class(first) << BITS | class(second);
                let Some(thirds) = self.thirds.get_mut(pair) else { continue };
                for third in literal.bytes_at(text, 2) {
                    *thirds |= 1 << class(third);
                }
            }
        }
    }

    /// Where in a part, at most [`PART`] bytes, literals may begin.
    pub(super) fn find(&self, bytes: &[u8], part: Range<usize>, places: &mut Places) {
        let near = bytes.get(part.start..bytes.len().min(part.end + 2)).unwrap_or_default();
        let mut pair = near.iter().take(2).fold(0, |pair, byte| pair << BITS | class(*byte));
        let (mut place, mut count) = (0_u16, 0);
        for byte in near.get(2..).unwrap_or_default() {
            let class = class(*byte);
            // Without a branch: where there is none, the next overwrites it.
            if let Some(free) = places.behind.get_mut(count % PART) {
                *free = place;
            }
            let thirds = self.thirds.get(pair % PAIRS).copied().unwrap_or_default();
            count += usize::from((thirds >> class) & 1 == 1);
            pair = pair << BITS | class;
            place = place.wrapping_add(1);
        }
        // The last two bytes of the text have no third one.
        for _ in usize::from(place)..part.len() {
            if let Some(free) = places.behind.get_mut(count % PART) {
                *free = place;
            }
            count += 1;
            place = place.wrapping_add(1);
        }
        (places.from, places.count) = (part.start, count);
    }
}

fn class(byte: u8) -> usize {
    usize::from(byte) & MASK
}
