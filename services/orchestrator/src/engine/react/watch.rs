//! Finds the parts of a `react` message, and where it ends, while it is being written.

use serde_json::Value;

use super::marks::{
    Certainty, Found, Mark, action_before, head, inline_answer, inputs, is_about_the_answer,
    tool_name,
};

/// Reads each line once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    /// Where the first line begins that is not whole yet.
    at: usize,
    /// There was a line that is not empty.
    begun: bool,
    /// In a code fence of the answer.
    fenced: bool,
    /// In their order.
    marks: Vec<Found>,
    /// Where what counts ends.
    end: Option<usize>,
}

/// The keywords of a whole message, up to where it ends.
pub(super) fn scan(text: &str) -> (Vec<Found>, usize) {
    let mut watch = Watch::default();
    if watch.end(text).is_none() && watch.at < text.len() {
        watch.read_line(text, text.len());
    }
    let end = watch.end.unwrap_or(text.len());
    watch.finish(text, end);
    (watch.marks, end)
}

impl Watch {
    /// Where what counts ends, if the text has come so far; it is the text of before or more.
    pub(crate) fn end(&mut self, text: &str) -> Option<usize> {
        while self.end.is_none() {
            let line = text.get(self.at..)?.split_inclusive('\n').next()?;
            if !line.ends_with('\n') {
                self.read_open_line(text);
                break;
            }
            self.read_line(text, self.at + line.len());
        }
        self.end
    }

    fn state(&self) -> Option<Mark> {
        self.marks.last().map(|found| found.mark)
    }

    fn is_called(&self) -> bool {
        self.marks.iter().any(|found| matches!(found.mark, Mark::Action | Mark::Input))
    }

    /// Where the part begins that is open.
    fn open_part(&self) -> usize {
        self.marks.last().map_or(0, |found| found.body)
    }

    /// A keyword with its colon ends a message before its line is whole.
    fn read_open_line(&mut self, text: &str) {
        if self.state() == Some(Mark::Answer) {
            return;
        }
        let ends = match head(text, self.at).filter(|found| found.colon).map(|found| found.mark) {
            Some(Mark::Observation) => self.begun,
            Some(Mark::Thought | Mark::Action | Mark::Answer) => self.is_called(),
            Some(Mark::Input) | None => false,
        };
        if ends {
            self.end = Some(self.at);
        }
    }

    /// Reads the line that ends at `to`.
    fn read_line(&mut self, text: &str, to: usize) {
        let at = std::mem::replace(&mut self.at, to);
        if self.state() == Some(Mark::Answer) {
            self.read_answer(text, at, to);
        } else if let Some(found) = self.line_head(text, at, to) {
            if self.is_end(text, found) {
                self.end = Some(at);
                return;
            }
            self.push(text, found);
            self.read_rest(text, found.body, to);
        } else {
            self.read_rest(text, at, to);
        }
        self.begun |= text.get(at..to).is_some_and(|line| !line.trim().is_empty());
    }

    /// The keyword that a line begins with, if it is meant as one.
    fn line_head(&self, text: &str, at: usize, to: usize) -> Option<Found> {
        let found = head(text, at)?;
        let word = text.get(found.at..found.body)?;
        let rest = text.get(found.body..to)?.trim();
        let written = word.starts_with("Thought")
            || word.starts_with("Final")
            || word.chars().all(|letter| !letter.is_lowercase());
        let is_meant = found.colon
            || match found.mark {
                Mark::Thought => rest.is_empty() || written,
                Mark::Observation => rest.is_empty() && self.is_called(),
                // Its value decides, at the keyword that follows.
                Mark::Action => false,
                Mark::Input => match self.state() {
                    Some(Mark::Input) => false,
                    Some(Mark::Action) => true,
                    _ => {
                        rest.is_empty()
                            || rest.starts_with(['{', '[', '`', '~'])
                            || self.find_action(text, found.at, Certainty::Input).is_some()
                    }
                },
                Mark::Answer => rest.is_empty() || written && !is_about_the_answer(rest),
            };
        is_meant.then_some(found)
    }

    /// Whether a message ends before this keyword.
    fn is_end(&self, text: &str, found: Found) -> bool {
        match found.mark {
            Mark::Observation => self.begun,
            Mark::Thought | Mark::Action | Mark::Answer => {
                self.is_called() || self.find_action(text, found.at, Certainty::Position).is_some()
            }
            Mark::Input => false,
        }
    }

    /// A call without a keyword at the beginning of its line, directly before `to`.
    fn find_action(&self, text: &str, to: usize, certainty: Certainty) -> Option<Found> {
        if self.is_called() {
            return None;
        }
        let decoration = |letter: char| letter.is_whitespace() || "*_#>`-".contains(letter);
        let part = text.get(self.open_part()..to)?.trim_end_matches(decoration);
        action_before(text, (self.open_part(), self.open_part() + part.len()), certainty)
    }

    fn push(&mut self, text: &str, found: Found) {
        if found.mark == Mark::Input
            && let Some(action) = self.find_action(text, found.at, Certainty::Input)
        {
            self.push_action(action);
        }
        self.marks.push(found);
    }

    /// What an answer pretends to be if it contains a call is dropped.
    fn push_action(&mut self, action: Found) {
        if self.state() == Some(Mark::Answer) {
            self.marks.pop();
        }
        self.marks.push(action);
    }

    /// Reads the keywords in the middle of a line.
    fn read_rest(&mut self, text: &str, mut from: usize, to: usize) {
        while self.state() != Some(Mark::Answer) {
            let Some(found) = self.next_inline(text, from, to) else { return };
            if found.mark == Mark::Observation || self.is_end(text, found) {
                self.end = Some(found.at);
                return;
            }
            self.push(text, found);
            from = found.body;
        }
        self.read_answer(text, self.open_part(), to);
    }

    fn next_inline(&self, text: &str, from: usize, to: usize) -> Option<Found> {
        match self.state() {
            Some(Mark::Input) => self.invented_result(text, from, to),
            Some(Mark::Action) => inputs(text, from, to)
                .find(|one| text.get(self.open_part()..one.at).and_then(tool_name).is_some()),
            _ => {
                let called =
                    |one: &Found| self.find_action(text, one.at, Certainty::Input).is_some();
                let input = inputs(text, from, to).find(called);
                let answer = inline_answer(text, from, to);
                input.into_iter().chain(answer).min_by_key(|one| one.at)
            }
        }
    }

    /// An observation after a whole input on the same line.
    fn invented_result(&self, text: &str, from: usize, to: usize) -> Option<Found> {
        const WORD: &str = "Observation:";
        let part = text.get(from..to).filter(|part| part.contains(WORD))?;
        let input = text.get(self.open_part()..to)?;
        let least = self.open_part() + length_of_json(input)?;
        let at = part.match_indices(WORD).map(|(at, _)| from + at).find(|at| *at >= least)?;
        Some(Found { mark: Mark::Observation, at, body: at + WORD.len(), colon: true })
    }

    /// An answer may quote a call, but a call outside quotes is one.
    fn read_answer(&mut self, text: &str, from: usize, to: usize) {
        let Some(line) = text.get(from..to) else { return };
        if (line.matches("```").count() + line.matches("~~~").count()) % 2 == 1 {
            self.fenced = !self.fenced;
            return;
        }
        if self.fenced || line.starts_with("    ") || line.trim_start().starts_with('>') {
            return;
        }
        let called = |one: &Found| self.find_action(text, one.at, Certainty::Input).is_some();
        let Some(input) = inputs(text, from, to).find(called) else { return };
        self.push(text, input);
        self.read_rest(text, input.body, to);
    }

    /// Adds a call without an input at the end of the message.
    fn finish(&mut self, text: &str, end: usize) {
        let Some(action) = self.find_action(text, end, Certainty::Position) else { return };
        let answers = self.state() == Some(Mark::Answer);
        let before = text.get(self.open_part()..action.at).unwrap_or_default();
        let all = before.chars().all(|letter| !letter.is_alphanumeric());
        if !answers || all {
            self.push_action(action);
        }
    }
}

/// The bytes that an input takes which begins with JSON, or none if it is not whole; 0 of another.
fn length_of_json(input: &str) -> Option<usize> {
    if !input.trim_start().starts_with(['{', '[']) {
        return Some(0);
    }
    let mut values = serde_json::Deserializer::from_str(input).into_iter::<Value>();
    matches!(values.next(), Some(Ok(_))).then(|| values.byte_offset())
}
