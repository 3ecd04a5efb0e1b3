//! The strategy `react`: models without function calls call tools by text.
//!
//! A message is a thought and then either an action with its input, or the final answer. Parsing is a
//! function of the stored text, so that a new owner parses the same.

mod marks;
mod watch;

use serde_json::Value;
use tarsy_llm::{ToolCall, Unmasked};
use tarsy_masking::MARK;

use crate::engine::react::marks::{Mark, bare, is_name, tool_name};
pub(crate) use crate::engine::react::watch::Watch;
use crate::engine::react::watch::scan;

/// The model requests a tool where its conclusion was requested.
const NO_MORE_CALLS: &str = "no tool can be called any more, only a Final Answer is accepted";
/// How often a model may be asked for its conclusion.
const MAX_CONCLUSIONS: usize = 2;

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

/// What the model was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    ToContinue,
    /// Only its conclusion is accepted; this is its answer number `attempt`, from 1.
    ToConclude {
        attempt: usize,
    },
}

/// One message, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reading<'a> {
    Action { name: &'a str, input: &'a str },
    Answer(&'a str),
    Unreadable(&'static str),
}

/// A part of a message, from its mark to the next one.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    mark: Mark,
    body: &'a str,
}

/// The id of the call that the message of this number requests.
pub(crate) fn call_id(sequence: i32) -> String {
    format!("react-{sequence}")
}

/// The step after these messages of the model, of which the last one has the number `sequence`.
pub(crate) fn step(texts: &[&str], sequence: i32, asked: Asked) -> Option<Step> {
    let (last, before) = texts.split_last()?;
    if let Asked::ToConclude { attempt } = asked {
        return Some(match read(last) {
            // Any other form is a conclusion.
            Reading::Answer(text) => Step::Conclusion(text.to_owned()),
            Reading::Action { name, .. } if tool_name(name).is_some() => refuse_call(attempt),
            _ if looks_like_call(last) => refuse_call(attempt),
            _ => Step::Conclusion(unmarked(last).to_owned()),
        });
    }
    Some(match read(last) {
        Reading::Action { name, input } => Step::Call(ToolCall {
            id: call_id(sequence),
            name: name.to_owned(),
            arguments: input.to_owned(),
            // The text was masked: what stood there is not known.
            unmasked: if input.contains(MARK) { Unmasked::Lost } else { Unmasked::Same },
        }),
        Reading::Answer(text) => Step::Conclusion(text.to_owned()),
        Reading::Unreadable(problem) => {
            let again =
                before.last().is_some_and(|text| matches!(read(text), Reading::Unreadable(_)));
            let plain =
                parts(last).iter().all(|part| part.mark == Mark::Thought) && !looks_like_call(last);
            match (again, plain) {
                (false, _) => Step::Repair(problem),
                // A model that has nothing to call and forgets the mark has concluded all the same.
                (true, true) => Step::Conclusion(unmarked(last).to_owned()),
                (true, false) => Step::Invalid(problem),
            }
        }
    })
}

/// What counts of a message: an observation that the model made up goes, and all after the first
/// action.
pub(crate) fn kept(text: &str) -> &str {
    let (_, end) = scan(text);
    text.get(..end).unwrap_or(text).trim_end()
}

/// A message that is a conclusion as it stands, without the keyword of a thought at its beginning.
fn unmarked(text: &str) -> &str {
    let thought = marks::head(text, 0).filter(|found| found.mark == Mark::Thought && found.colon);
    let body = thought.and_then(|found| text.get(found.body..)).unwrap_or(text).trim();
    if body.is_empty() { text.trim() } else { body }
}

fn refuse_call(attempt: usize) -> Step {
    if attempt < MAX_CONCLUSIONS {
        Step::Repair(NO_MORE_CALLS)
    } else {
        Step::Invalid(NO_MORE_CALLS)
    }
}

/// Whether a message without an answer was meant as a call, in whatever protocol.
fn looks_like_call(text: &str) -> bool {
    const TAGS: [&str; 4] = ["<tool_call", "<function_call", "<function=", "<|tool_call"];
    const NAMES: [&str; 4] = ["action", "tool", "name", "function"];
    let has_input = parts(text).iter().any(|part| part.mark == Mark::Input)
        || marks::inputs(text, 0, text.len()).any(|input| input.colon);
    if has_input || TAGS.iter().any(|tag| text.contains(tag)) {
        return true;
    }
    let whole = unfenced(text.trim());
    let names_tool = |value: &Value| {
        NAMES.iter().any(|key| value.get(key).and_then(Value::as_str).is_some_and(is_name))
    };
    whole.contains('(') && tool_name(whole).is_some()
        || serde_json::from_str::<Value>(whole).is_ok_and(|value| names_tool(&value))
}

fn read(text: &str) -> Reading<'_> {
    let parts = parts(text);
    let decides = |part: &&Part<'_>| !matches!(part.mark, Mark::Thought | Mark::Observation);
    let Some(first) = parts.iter().find(decides) else {
        return inline_answer(kept(text))
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

/// Some models write the mark of their answer in the middle of a sentence.
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
    if !is_name(name) {
        return Reading::Unreadable("the Action is not the name of a tool");
    }
    Reading::Action { name, input }
}

/// The arguments as the model wrote them, without a code fence and without words after an object;
/// what is no JSON is the gateway's to make sense of.
fn arguments(text: &str) -> &str {
    let text = unfenced(text.trim());
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match values.next() {
        Some(Ok(Value::Object(_))) => text.get(..values.byte_offset()).unwrap_or(text),
        _ => text.trim_matches('`'),
    }
}

/// A text without the code fence around it, and without the name of its language.
fn unfenced(text: &str) -> &str {
    let fence = ["```", "~~~"].into_iter().find(|fence| text.starts_with(fence));
    let inside = fence.map_or(text, |fence| {
        let inside = text.get(fence.len()..).unwrap_or_default();
        inside.split_once(fence).map_or(inside, |(inside, _)| inside)
    });
    let object = inside.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    let is_language = object.len() < inside.len() && object.trim_start().starts_with('{');
    if is_language {
        return object.trim();
    }
    match (fence, inside.split_once('\n')) {
        (Some(_), Some((_, lines))) => lines.trim(),
        _ => inside.trim(),
    }
}

/// A message by its marks; all that stands after the mark of an answer is the answer.
fn parts(text: &str) -> Vec<Part<'_>> {
    let (marks, end) = scan(text);
    let ends = marks.iter().skip(1).map(|next| next.at).chain([end]);
    let part = |(found, to): (&marks::Found, usize)| Part {
        mark: found.mark,
        body: text.get(found.body..to).unwrap_or_default(),
    };
    marks.iter().zip(ends).map(part).collect()
}

#[cfg(test)]
mod families;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod tests;
