//! Answers questions from the evidence.

use crate::facts::Facts;
use crate::plan::{significant, topics, words_of_topics};
use crate::report::{LABEL, citation};
use crate::text::code;
use crate::transcript::{ToolCall, Transcript};
use crate::{Case, plan};

/// Lines that an answer shows.
const MOST_LINES: usize = 6;
/// Longer lines are documents, of which the fields are shown.
const LONGEST_LINE: usize = 500;
/// Lines that are compared with a question; a bound on time.
const MOST_COMPARED: usize = 40_000;

/// The calls that a question asks for: those whose tool or arguments share words with it.
pub(crate) fn calls(transcript: &Transcript, question: &str) -> Vec<ToolCall> {
    let mut transcript = transcript.clone();
    let made = transcript.calls.len();
    transcript.alert = format!("{question}\n\n{}", transcript.alert);
    transcript.remaining_calls = plan::CALLS_PER_TURN;
    if made >= plan::MOST_CALLS {
        return Vec::new();
    }
    let case = Case::read(&transcript);
    let asked = crate::alert::Focus::read(question);
    let about = topics(&significant(question));
    plan::next(&transcript, &case.focus, &case.facts, &[])
        .into_iter()
        .filter(|call| {
            let short = call.tool.rsplit('.').next().unwrap_or_default();
            let fits = topics(&significant(&short.replace('_', " ")))
                .iter()
                .any(|topic| about.contains(topic));
            let values = call.arguments.as_object().into_iter().flat_map(|map| map.values());
            let named =
                values.filter_map(|value| value.as_str()).any(|value| asked.mentions(value));
            fits || named
        })
        .collect()
}

/// The evidence that a question is about, or that there is none.
pub(crate) fn answer(question: &str, facts: &Facts) -> String {
    let words = significant(question);
    let about = topics(&words);
    let asked = Asked { wide: words_of_topics(&about), words, about };
    let mut scored = asked.lines(facts);
    scored.extend(asked.measures(facts));
    scored.sort_by_key(|one| (std::cmp::Reverse(one.score), one.order));
    let mut lines: Vec<String> = Vec::new();
    for one in scored {
        if lines.len() < MOST_LINES && !lines.contains(&one.text) {
            lines.push(one.text);
        }
    }
    if lines.is_empty() {
        return format!("I have no evidence about that in what was collected. {LABEL}\n");
    }
    format!("Matching evidence, best match first. {LABEL}\n\n{}\n", lines.join("\n"))
}

struct Asked {
    words: Vec<String>,
    about: Vec<&'static str>,
    wide: Vec<String>,
}

/// A line of an answer.
struct Scored {
    score: usize,
    order: usize,
    text: String,
}

impl Asked {
    /// Lines of results, and of what was given, which counts less.
    fn lines(&self, facts: &Facts) -> Vec<Scored> {
        let all = facts.results.iter();
        let all = all.flat_map(|one| one.lines.iter().map(move |line| (one.number, line.trim())));
        let readable =
            |line: &str| (4..LONGEST_LINE).contains(&line.len()) && !line.starts_with(['<', '#']);
        let readable = all.filter(|(_, line)| readable(line)).take(MOST_COMPARED);
        readable
            .enumerate()
            .filter_map(|(order, (call, line))| self.line(order, call, line))
            .collect()
    }

    fn line(&self, order: usize, call: u32, line: &str) -> Option<Scored> {
        let present = significant(line);
        let direct = self.words.iter().filter(|word| present.contains(word)).count();
        let near = present.iter().filter(|word| self.wide.contains(word)).count().min(3);
        if direct == 0 && near < 2 {
            return None;
        }
        let lower = line.to_lowercase();
        let alarming = ["error", "fail", "refused", "full", "left on device", "killed", "denied"];
        let alarming = usize::from(alarming.iter().any(|word| lower.contains(word)));
        let score = 20 * direct + 4 * near + 9 * alarming;
        let score = if call == 0 { score / 2 } else { score };
        let needle = self.words.iter().find(|word| lower.contains(*word)).map_or("", |word| word);
        let text = crate::facts::excerpt(line, needle);
        Some(Scored { score, order, text: format!("- {} {}", code(&text), citation(call)) })
    }

    /// Numbers of documents, by the tool that shows them and the names of their fields.
    fn measures(&self, facts: &Facts) -> Vec<Scored> {
        let compared = facts.measures.iter().take(MOST_COMPARED).enumerate();
        compared
            .filter_map(|(order, measure)| {
                let examined = facts.results.get(measure.result)?;
                let tool = examined.tool.rsplit('.').next().unwrap_or_default().replace('_', " ");
                let shared = topics(&significant(&tool));
                let of_tool = shared.iter().filter(|topic| self.about.contains(topic)).count();
                let names = significant(&format!("{} {}", measure.object.join(" "), measure.field));
                let direct = self.words.iter().filter(|word| names.contains(word)).count();
                let share = usize::from(measure.field.contains("percent"));
                if of_tool + direct == 0 {
                    return None;
                }
                let score = 25 * of_tool.min(1) + 12 * direct + 6 * share;
                let value = code(&format!("{}: {}", measure.field, measure.text));
                let object = measure.object.last().map(|name| format!(" of {}", code(name)));
                let object = object.unwrap_or_default();
                let text = format!("- {value}{object} {}", citation(examined.number));
                Some(Scored { score, order, text })
            })
            .collect()
    }
}
