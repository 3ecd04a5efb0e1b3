//! Texts of any size, with bounded memory: a window moves over the text, and sees enough before and behind what it gives
//! out that a secret across its edges is found whole.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::{memchr, memmem, memrchr};

use crate::error::Error;
use crate::kubernetes::Look;
use crate::masker::{Masked, Masker};
use crate::part::{Covered, Part};

/// How many bytes are looked at together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// What was given out already, and still decides what follows: more than any object of Kubernetes has.
    pub(crate) behind: usize,
    /// What is given out next.
    pub(crate) window: usize,
    /// What is given out later.
    pub(crate) ahead: usize,
}

/// A text up to this long is masked at once.
pub(crate) const WHOLE: usize = 12 << 20;

impl Default for Sizes {
    fn default() -> Self {
        Self { behind: 2 << 20, window: 8 << 20, ahead: 2 << 20 }
    }
}

/// How often an edge is moved that a secret lies across.
const MAX_TRIES: usize = 8;
/// How far from where it is wanted an edge may be.
const MAX_SHIFT: usize = 64 << 10;

/// Masks a text that comes in chunks; how it is cut into them makes no difference.
#[derive(Debug)]
pub struct Stream<'m> {
    masker: &'m Masker,
    sizes: Sizes,
    text: String,
    /// How much of the text was given out already.
    given: usize,
    in_list: bool,
    is_whole: bool,
    counts: BTreeMap<&'static str, usize>,
}

impl<'m> Stream<'m> {
    pub(crate) fn new(masker: &'m Masker, sizes: Sizes) -> Self {
        Self {
            masker,
            sizes,
            text: String::new(),
            given: 0,
            in_list: false,
            is_whole: true,
            counts: BTreeMap::new(),
        }
    }

    /// Takes the next chunk, and gives out what is masked by now.
    pub fn push(&mut self, chunk: &str) -> Result<String, Error> {
        let (mut masked, mut rest) = (String::new(), chunk);
        while !rest.is_empty() {
            let pending = self.text.len() - self.given;
            let capacity = (self.sizes.window + self.sizes.ahead).saturating_sub(pending);
            let (fits, more) = rest.split_at(rest.floor_char_boundary(capacity));
            self.text.push_str(fits);
            rest = more;
            if !rest.is_empty() {
                masked.push_str(&self.advance()?);
            }
        }
        Ok(masked)
    }

    /// Gives out the rest, and what was found in all.
    pub fn finish(mut self) -> Result<Masked<'static>, Error> {
        let look = Look { is_whole: self.is_whole, in_list: self.in_list };
        let mut part = Part::between(&self.text, self.given, self.text.len(), look);
        self.masker.mask_part(&mut part)?;
        let masked = part.text.get(part.start..part.end).unwrap_or_default().to_owned();
        let counts = std::mem::take(&mut part.counts);
        self.add(counts);
        Ok(Masked { text: Cow::Owned(masked), counts: self.counts })
    }

    /// Gives out a window, and moves on.
    fn advance(&mut self) -> Result<String, Error> {
        let wanted = self.text.floor_char_boundary(self.given + self.sizes.window);
        let mut end = edge_before(&self.text, self.given, wanted);
        for _ in 0..MAX_TRIES {
            let look = Look { is_whole: false, in_list: self.in_list };
            let mut part = Part::between(&self.text, self.given, end, look);
            let refused = self.masker.mask_part(&mut part).err();
            let covered = part.covered.take();
            match (refused, covered) {
                (None, _) => {
                    let masked = part.text.get(part.start..part.end).unwrap_or_default().to_owned();
                    let counts = std::mem::take(&mut part.counts);
                    self.add(counts);
                    self.move_on(end);
                    return Ok(masked);
                }
                (Some(_), Some(Covered(place))) => {
                    let earlier = end.saturating_sub(1);
                    end = place
                        .unwrap_or_else(|| edge_before(&self.text, self.given, earlier))
                        .min(earlier);
                    end = self.text.floor_char_boundary(end);
                }
                (Some(error), None) => return Err(error),
            }
            if end <= self.given {
                break;
            }
        }
        Err(Error::Endless { bytes: self.text.len() })
    }

    fn add(&mut self, counts: BTreeMap<&'static str, usize>) {
        for (rule, count) in counts {
            *self.counts.entry(rule).or_insert(0) += count;
        }
    }

    /// Forgets what is too far behind.
    fn move_on(&mut self, end: usize) {
        let start = edge_after(&self.text, end.saturating_sub(self.sizes.behind), end);
        let forgotten = self.text.get(..start).unwrap_or_default().as_bytes();
        self.in_list |= memmem::find(forgotten, b"SecretList").is_some();
        self.text.drain(..start);
        self.given = end - start;
        self.is_whole = false;
    }
}

/// Between objects of a list in one line.
const BETWEEN: &[u8] = b"},{\"";

/// Where a window may end: behind the last line, or the last object of a list, before a place.
fn edge_before(text: &str, from: usize, place: usize) -> usize {
    let low = place.saturating_sub(MAX_SHIFT).max(from);
    let near = text.as_bytes().get(low..place).unwrap_or_default();
    let line = memrchr(b'\n', near).map(|at| at + 1);
    let object = || memmem::rfind(near, BETWEEN).map(|at| at + 2);
    let edge = line.or_else(object).map_or(place, |at| low + at);
    text.floor_char_boundary(if edge > from { edge } else { place })
}

/// Where what is remembered may begin: at a line, or an object of a list, so that no reader begins inside a string.
fn edge_after(text: &str, place: usize, until: usize) -> usize {
    if place == 0 {
        return 0;
    }
    let near = text.as_bytes().get(place..until.min(place + MAX_SHIFT)).unwrap_or_default();
    let line = memchr(b'\n', near).map(|at| at + 1);
    let object = memmem::find(near, BETWEEN).map(|at| at + 2);
    let edge = match (line, object) {
        (Some(line), Some(object)) => line.min(object),
        (line, object) => line.or(object).unwrap_or(0),
    };
    text.floor_char_boundary(place + edge)
}

#[cfg(test)]
mod tests;
