//! The strategy `react`: models without function calls call tools by text.
//!
//! A message is a thought and then either an action with its input, or the final answer. Parsing is a
//! function of the stored text, so that a new owner parses the same.

use serde_json::Value;
use tarsy_llm::ToolCall;

/// The longest name of a tool, in bytes.
const MAX_NAME: usize = 200;

/// What follows a message of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Call(ToolCall),
    Conclusion(String),
    /// The message is invalid, for this reason; the model may repair it.
    Repair(&'static str),
    /// The message is invalid again.
    Invalid(&'static str),
}

/// One message, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reading<'a> {
    Action { name: &'a str, input: &'a str },
    Answer(&'a str),
    Unreadable(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Thought,
    Action,
    Input,
    Observation,
    Answer,
}

/// The longer words first: `action` begins `action input`.
const MARKS: [(&str, Mark); 7] = [
    ("action input", Mark::Input),
    ("action_input", Mark::Input),
    ("actioninput", Mark::Input),
    ("final answer", Mark::Answer),
    ("observation", Mark::Observation),
    ("thought", Mark::Thought),
    ("action", Mark::Action),
];

/// A part of a message, from its mark to the next one.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    mark: Mark,
    /// Where its body begins.
    begins: usize,
    body: &'a str,
}

/// The step after these messages of the model. The last one has the number `sequence`,
/// and is the conclusion if `closing`.
pub(crate) fn step(texts: &[&str], sequence: i32, closing: bool) -> Option<Step> {
    let (last, before) = texts.split_last()?;
    if closing {
        // Its conclusion was requested: any form is one.
        return Some(Step::Conclusion(answer(last).to_owned()));
    }
    Some(match read(last) {
        Reading::Action { name, input } => Step::Call(ToolCall {
            id: format!("react-{sequence}"),
            name: name.to_owned(),
            arguments: input.to_owned(),
        }),
        Reading::Answer(text) => Step::Conclusion(text.to_owned()),
        Reading::Unreadable(problem) => {
            let again =
                before.last().is_some_and(|text| matches!(read(text), Reading::Unreadable(_)));
            let plain = parts(last).iter().all(|part| part.mark == Mark::Thought);
            match (again, plain) {
                (false, _) => Step::Repair(problem),
                // A model that has nothing to call and forgets the mark has concluded all the same.
                (true, true) => Step::Conclusion(last.trim().to_owned()),
                (true, false) => Step::Invalid(problem),
            }
        }
    })
}

/// What counts of a message: an observation that the model made up goes, and all after the first
/// action.
pub(crate) fn kept(text: &str) -> &str {
    let end = Watch::default().end(text).unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_end()
}

/// Finds the end of what counts while a message is being written; reads each line once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    /// Where the first line begins that is not whole yet.
    at: usize,
    /// There was a line that is not empty.
    begun: bool,
    /// There was an action.
    called: bool,
    /// All the rest is the answer.
    answers: bool,
}

impl Watch {
    /// Where what counts ends, if the text has come so far; it is the text of before or more.
    pub(crate) fn end(&mut self, text: &str) -> Option<usize> {
        while !self.answers {
            let line = text.get(self.at..)?.split_inclusive('\n').next()?;
            let mark = mark(line).map(|(mark, _)| mark);
            let ends = match mark {
                Some(Mark::Observation) => self.begun,
                Some(Mark::Thought | Mark::Action | Mark::Answer) => self.called,
                Some(Mark::Input) | None => false,
            };
            if ends {
                return Some(self.at);
            }
            if !line.ends_with('\n') {
                return None;
            }
            self.at += line.len();
            self.begun |= !line.trim().is_empty();
            self.called |= mark == Some(Mark::Action);
            self.answers = mark == Some(Mark::Answer);
        }
        None
    }
}

/// The conclusion of a message that is one, in whatever form.
fn answer(text: &str) -> &str {
    match read(text) {
        Reading::Answer(answer) => answer,
        Reading::Action { .. } | Reading::Unreadable(_) => text.trim(),
    }
}

fn read(text: &str) -> Reading<'_> {
    let text = kept(text);
    let parts = parts(text);
    let decides = |part: &&Part<'_>| !matches!(part.mark, Mark::Thought | Mark::Observation);
    let Some(first) = parts.iter().find(decides) else {
        return inline_answer(text)
            .unwrap_or(Reading::Unreadable("there is neither an Action nor a Final Answer"));
    };
    match first.mark {
        Mark::Answer => {
            let answer = first.body.trim();
            if answer.is_empty() {
                Reading::Unreadable("the Final Answer is empty")
            } else {
                Reading::Answer(answer)
            }
        }
        Mark::Action => action(first.body, parts.iter().find(|part| part.mark == Mark::Input)),
        Mark::Input | Mark::Thought | Mark::Observation => {
            Reading::Unreadable("the Action Input has no Action before it")
        }
    }
}

/// Some models write the mark of their answer in the middle of a line.
fn inline_answer(text: &str) -> Option<Reading<'_>> {
    const WORDS: &str = "final answer:";
    let at = text.to_ascii_lowercase().find(WORDS)?;
    let answer = text.get(at + WORDS.len()..)?.trim();
    (!answer.is_empty()).then_some(Reading::Answer(answer))
}

fn action<'a>(body: &'a str, input: Option<&Part<'a>>) -> Reading<'a> {
    let line = body.trim().lines().next().unwrap_or_default();
    let mut name = bare(line);
    let mut input = input.map_or("", |part| arguments(part.body));
    // `host.load({"minutes": 5})` has both.
    if let Some((tool, rest)) = name.split_once('(')
        && let Some(inside) = rest.strip_suffix(')')
    {
        name = bare(tool);
        if input.is_empty() {
            input = arguments(inside);
        }
    }
    let proper = |letter: char| letter.is_alphanumeric() || "_-./:".contains(letter);
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(proper) {
        return Reading::Unreadable("the Action is not the name of a tool");
    }
    Reading::Action { name, input }
}

/// A name without what models decorate it with.
fn bare(name: &str) -> &str {
    name.trim_matches(|letter: char| letter.is_whitespace() || "`'\"*[]<>".contains(letter))
}

/// The arguments as the model wrote them, without a code fence and without words after an object;
/// what is no JSON is the gateway's to make sense of.
fn arguments(text: &str) -> &str {
    let mut text = text.trim();
    if let Some(fenced) = text.strip_prefix("```") {
        let inside = fenced.split_once('\n').map_or(fenced, |(_, lines)| lines);
        text = inside.split_once("```").map_or(inside, |(inside, _)| inside).trim();
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match values.next() {
        Some(Ok(Value::Object(_))) => text.get(..values.byte_offset()).unwrap_or(text),
        _ => text.trim_matches('`'),
    }
}

/// A message by its marks; all that stands after the mark of an answer is the answer.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some((mark, length)) = mark(line) {
            if let Some(last) = parts.last_mut() {
                last.body = text.get(last.begins..at).unwrap_or_default();
            }
            let begins = at + length;
            parts.push(Part { mark, begins, body: text.get(begins..).unwrap_or_default() });
            if mark == Mark::Answer {
                break;
            }
        }
        at += line.len();
    }
    parts
}

/// The mark that a line begins with, and how many bytes it takes.
fn mark(line: &str) -> Option<(Mark, usize)> {
    let decoration = |letter: char| letter.is_whitespace() || "*_#>`".contains(letter);
    let words = line.trim_start_matches(decoration);
    MARKS.iter().find_map(|(word, mark)| {
        let head = words.get(..word.len())?;
        if !head.eq_ignore_ascii_case(word) {
            return None;
        }
        let rest = words.get(word.len()..)?;
        let rest = rest
            .trim_start_matches(|letter: char| " *_`".contains(letter) || letter.is_ascii_digit());
        let body = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'))?;
        let body = body.strip_prefix("**").unwrap_or(body);
        Some((*mark, line.len() - body.len()))
    })
}

#[cfg(test)]
mod tests;
