//! What a model is asked after an answer whose time was up, and what readers see of one that was cut off.

use std::time::Duration;

use minijinja::context;

use super::Prompts;
use super::fence::fenced;

/// Stands at the end of an answer that its provider cut at the output limit.
const TRUNCATED: &str = "[This answer was cut off at the model's output limit.]";
/// Stands at the end of an answer that was cut off when its time was up.
const TIME_UP: &str = "[This answer was cut off when its time was up.]";
/// The end of a reasoning that a model is given back, in characters.
const MAX_REASONING: usize = 4_000;

/// What ended an answer that is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The provider's output limit.
    Output,
    /// The limit of time.
    Time,
}

/// An answer with a note that it was cut off.
pub(crate) fn mark_truncated(answer: &str, cut: Cut) -> String {
    let note = match cut {
        Cut::Output => TRUNCATED,
        Cut::Time => TIME_UP,
    };
    format!("{}\n\n{note}", answer.trim_end())
}

impl Prompts {
    /// Asks for the rest of an answer. `reasoning` is all that came of it, if there is no text.
    pub(crate) fn go_on(&self, limit: Duration, reasoning: Option<&str>) -> String {
        let reasoning = reasoning.map(|text| fenced(end_of(text)));
        self.render("continue", context! { seconds => limit.as_secs(), reasoning })
    }

    /// Requests the conclusion of a model whose answers take too long.
    pub(crate) fn slow_conclusion(&self, limit: Duration) -> String {
        let seconds = limit.as_secs();
        let reason = format!(
            "Your answers were not complete within {seconds} s; this one must be short, 200 words at most"
        );
        self.render("forced_conclusion", context! { reason })
    }
}

fn end_of(text: &str) -> &str {
    let from = text.char_indices().rev().nth(MAX_REASONING).map_or(0, |(at, _)| at);
    text.get(from..).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_given_the_end_of_its_reasoning_where_it_wrote_nothing() {
        let prompts = Prompts::new().unwrap();
        let limit = Duration::from_mins(2);
        let text = prompts.go_on(limit, Some(&format!("{}the load is 40", "ä".repeat(9_000))));
        assert!(text.contains("(120 s)") && text.contains("the load is 40"), "{text}");
        assert!(text.chars().count() < 5_000);
        let text = prompts.go_on(limit, None);
        assert!(text.contains("stands above and is kept"), "{text}");
        assert!(prompts.slow_conclusion(limit).contains("within 120 s"));
    }
}
