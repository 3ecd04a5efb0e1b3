//! A part of a text while it is masked.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::Error;
use crate::kubernetes::Look;
use crate::spans::{Applied, Edit};

/// A part of a text on its way to be masked; what is to be given out lies between two edges.
pub(crate) struct Part<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) look: Look,
    pub(crate) counts: BTreeMap<&'static str, usize>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether places are still those of the text as it came.
    is_unchanged: bool,
    /// Where the edge must move, if a secret lies across it.
    pub(crate) covered: Option<Covered>,
    /// Whether the mask of a secret that began before the part is shown: only its first letters were given out then.
    pub(crate) shows_what_began_before: bool,
}

/// Where a secret begins that lies across an edge: in the text as it came, or not known.
pub(crate) struct Covered(pub(crate) Option<usize>);

impl<'a> Part<'a> {
    /// All of a text.
    pub(crate) fn whole(text: &'a str) -> Self {
        Self::between(text, 0, text.len(), Look { is_whole: true, in_list: false })
    }

    pub(crate) fn between(text: &'a str, start: usize, end: usize, look: Look) -> Self {
        Self {
            text: Cow::Borrowed(text),
            look,
            counts: BTreeMap::new(),
            start,
            end,
            is_unchanged: true,
            covered: None,
            shows_what_began_before: false,
        }
    }

    /// Takes over a text from which something was taken out.
    pub(crate) fn apply(&mut self, next: Applied) -> Result<(), Error> {
        let shown = self.shows_what_began_before;
        // What began before the part was given out then: its mask too.
        let began_before = |edit: &Edit| if shown { edit.to.start } else { edit.to.end };
        self.start = next.moved(self.start).unwrap_or_else(began_before);
        match next.moved(self.end) {
            Ok(end) => self.end = end,
            Err(edit) => {
                self.covered = Some(Covered(self.is_unchanged.then_some(edit.from.start)));
                return Err(Error::Endless { bytes: self.text.len() });
            }
        }
        next.count(&(self.start..self.end), &mut self.counts);
        self.text = Cow::Owned(next.text);
        self.is_unchanged = false;
        Ok(())
    }
}
