//! What was read before, so that no text is read again and again.

use std::cell::Cell;
use std::ops::Range;

use memchr::memmem;

/// How often a value that is no secret is read again for the keys in it, as a multiple of its length.
const MAX_READS: usize = 4;

/// A value that is no secret, and what was read of it for the keys inside.
#[derive(Debug, Default)]
pub(super) struct Rejected {
    range: Range<usize>,
    bytes_read: usize,
}

impl Rejected {
    pub(super) fn add(&mut self, value: &Range<usize>) {
        if value.start >= self.range.end {
            *self = Self { range: value.clone(), bytes_read: 0 };
        }
        self.range.end = self.range.end.max(value.end);
        self.bytes_read += value.len();
    }

    /// Whether the value around a place was read too often: each key in it would read the rest of it once more.
    pub(super) fn is_exhausted(&self, at: usize) -> bool {
        at < self.range.end && self.bytes_read > MAX_READS * self.range.len()
    }
}

/// What is known of the text around the last literal of a rule, so that nothing is followed twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Followed {
    pub(super) before: Range<usize>,
    pub(super) behind: Range<usize>,
    /// How far a rule for tokens of any length was followed without finding one.
    pub(super) vain: usize,
}

/// A string that was looked for: where, how far, and its inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quoted {
    pub(super) at: usize,
    pub(super) limit: usize,
    pub(super) inside: Option<(usize, usize)>,
}

/// Where a text stands next, as far as it was looked for: from places of one order, each byte is searched once.
#[derive(Debug, Default)]
pub(super) struct Next(Cell<Option<(usize, usize)>>);

impl Next {
    /// Where the text stands first from a place on.
    pub(super) fn find(&self, bytes: &[u8], from: usize, text: &[u8]) -> Option<usize> {
        self.find_with(from, |from| {
            let rest = bytes.get(from..).unwrap_or_default();
            memmem::find(rest, text).map(|at| from + at)
        })
    }

    /// The same for what a function finds first from a place on.
    pub(super) fn find_with(
        &self,
        from: usize,
        find: impl FnOnce(usize) -> Option<usize>,
    ) -> Option<usize> {
        let known = self.0.get().filter(|(start, next)| (*start..=*next).contains(&from));
        let (_, next) = known.unwrap_or_else(|| {
            let found = (from, find(from).unwrap_or(usize::MAX));
            self.0.set(Some(found));
            found
        });
        Some(next).filter(|next| *next < usize::MAX)
    }
}

/// A run of bytes of one sort that was followed before.
#[derive(Debug, Default)]
pub(super) struct Run(Cell<(usize, usize)>);

impl Run {
    /// Where the run of bytes ends that begins at a place, at most `limit` of them.
    pub(super) fn end(
        &self,
        bytes: &[u8],
        from: usize,
        limit: usize,
        belongs: impl Fn(u8) -> bool,
    ) -> usize {
        let until = bytes.len().min(from.saturating_add(limit));
        let (start, end) = self.0.get();
        let (start, known) =
            if (start..=end).contains(&from) { (start, end) } else { (from, from) };
        if known >= until {
            return until;
        }
        let rest = bytes.get(known..until).unwrap_or_default();
        let end = known + rest.iter().take_while(|byte| belongs(**byte)).count();
        self.0.set((start, end));
        end
    }
}

#[cfg(test)]
mod tests {
    use super::{Next, Run};

    #[test]
    fn a_run_ends_at_the_same_place_from_wherever_it_is_followed() {
        let (text, run) = (b"aaaa-aa", Run::default());
        for (from, limit, end) in
            [(0, 2, 2), (1, 9, 4), (3, 9, 4), (4, 9, 4), (2, 1, 3), (5, 9, 7), (0, 9, 4)]
        {
            assert_eq!(run.end(text, from, limit, |byte| byte == b'a'), end, "{from} {limit}");
        }
    }

    #[test]
    fn a_text_is_found_from_any_place_in_any_order() {
        let (text, next) = (b"a]]b]]c", Next::default());
        for (from, place) in [
            (0, Some(1)),
            (1, Some(1)),
            (2, Some(4)),
            (4, Some(4)),
            (5, None),
            (6, None),
            (0, Some(1)),
        ] {
            assert_eq!(next.find(text, from, b"]]"), place, "{from}");
        }
    }
}
