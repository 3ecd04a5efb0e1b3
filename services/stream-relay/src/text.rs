//! The text of one timeline event that still streams, put together from chunks and snapshots.

use std::collections::VecDeque;

/// The longest text that is followed; a longer one is only shown once it is complete.
const MAX_TEXT: usize = 2 * 1024 * 1024;
const MAX_STASH: usize = 64;

/// What a chunk did to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It told nothing new.
    Nothing,
    /// The text grew.
    Grown,
    /// Something between the text and the chunk is missing.
    Hole,
    /// The text is longer than what is followed.
    TooLong,
}

#[derive(Debug, Default)]
pub(crate) struct Text {
    content: String,
    /// Chunks that came after a hole.
    stash: VecDeque<(usize, String)>,
    /// How often the owner was asked and did not know this text while it had a hole.
    pub(crate) misses: u8,
}

impl Text {
    pub(crate) fn content(&self) -> &str {
        &self.content
    }

    pub(crate) fn has_hole(&self) -> bool {
        !self.stash.is_empty()
    }

    /// Adds a chunk that starts at this byte.
    pub(crate) fn add(&mut self, offset: usize, delta: &str) -> Step {
        let step = self.append(offset, delta);
        match step {
            Step::Hole => {
                if self.stash.len() >= MAX_STASH {
                    self.stash.pop_front();
                }
                self.stash.push_back((offset, delta.to_owned()));
            }
            Step::Grown => return self.append_stashed(),
            Step::Nothing | Step::TooLong => {}
        }
        step
    }

    /// Takes the owner's word for all of the text so far.
    pub(crate) fn replace(&mut self, content: String) -> Step {
        self.misses = 0;
        if content.len() < self.content.len() {
            return Step::Nothing;
        }
        let grown = content.len() > self.content.len();
        self.content = content;
        match self.append_stashed() {
            Step::Grown if !grown => Step::Nothing,
            step => step,
        }
    }

    /// Adds the stashed chunks that fit by now.
    fn append_stashed(&mut self) -> Step {
        loop {
            let have = self.content.len();
            let fitting = self.stash.iter().position(|(offset, _)| *offset <= have);
            let Some((offset, delta)) = fitting.and_then(|at| self.stash.remove(at)) else { break };
            if self.append(offset, &delta) == Step::TooLong {
                return Step::TooLong;
            }
        }
        if self.content.len() > MAX_TEXT { Step::TooLong } else { Step::Grown }
    }

    fn append(&mut self, offset: usize, delta: &str) -> Step {
        let have = self.content.len();
        let Some(known) = have.checked_sub(offset) else { return Step::Hole };
        if delta.len() <= known {
            return Step::Nothing;
        }
        // An offset within a character cannot be ours: the owner is asked instead.
        let Some(added) = delta.get(known..) else { return Step::Hole };
        if have + added.len() > MAX_TEXT {
            return Step::TooLong;
        }
        self.content.push_str(added);
        Step::Grown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_that_overlap_or_repeat_leave_no_double_text() {
        let mut text = Text::default();
        assert_eq!(text.add(0, "hällo"), Step::Grown);
        assert_eq!(text.add(0, "hä"), Step::Nothing);
        assert_eq!(text.add(3, "llo wörld"), Step::Grown);
        assert_eq!(text.content(), "hällo wörld");
    }

    #[test]
    fn a_hole_waits_for_the_owner_and_loses_nothing() {
        let mut text = Text::default();
        text.add(0, "a");
        assert_eq!(text.add(5, "f"), Step::Hole);
        assert_eq!(text.add(6, "g"), Step::Hole);
        assert!(text.has_hole());
        assert_eq!(text.replace("abcde".to_owned()), Step::Grown);
        assert_eq!(text.content(), "abcdefg");
        assert!(!text.has_hole());
    }

    #[test]
    fn an_older_snapshot_takes_nothing_back() {
        let mut text = Text::default();
        text.add(0, "abc");
        assert_eq!(text.replace("ab".to_owned()), Step::Nothing);
        assert_eq!(text.replace("abc".to_owned()), Step::Nothing);
        assert_eq!(text.content(), "abc");
    }

    #[test]
    fn an_offset_within_a_character_is_a_hole() {
        let mut text = Text::default();
        text.add(0, "ab");
        assert_eq!(text.add(1, "éé"), Step::Hole);
    }

    #[test]
    fn a_text_without_end_is_given_up() {
        let mut text = Text::default();
        assert_eq!(text.add(0, &"x".repeat(MAX_TEXT)), Step::Grown);
        assert_eq!(text.add(MAX_TEXT, "x"), Step::TooLong);
    }
}
