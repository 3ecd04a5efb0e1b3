//! What a message shows of a tool call: every character of it, or it says that something is missing.

use tarsy_contracts::action::{ActionPlan, PlannedCall};
use tarsy_masking::WITHHELD;
use tarsy_store::{Notification, NotifiedApproval};
use tarsy_visible::{arguments, exact};

use super::dialect::escaped;
use super::message::cut_to;
use crate::report::title;

/// The most UTF-16 code units and lines of arguments that are shown; a block of Slack has at most 3,000 characters.
const MAX_ARGUMENTS: usize = 2_800;
const MAX_LINES: usize = 60;
/// The most characters of a name or a reason.
const MAX_NAME: usize = 200;
const MAX_REASON: usize = 500;
/// The most characters of a severity or a service.
const MAX_WORD: usize = 60;
/// The most characters of a line of a plan; a section of Slack has at most 3,000.
const MAX_PLAN: usize = 400;
const MAX_DRY_RUN: usize = 300;

/// The texts of a call, in Slack's markup.
pub(super) struct ShownCall {
    /// Server and tool, between backticks.
    pub(super) name: String,
    pub(super) facts: String,
    /// Between fences.
    pub(super) arguments: String,
    /// Whether nothing was cut or withheld.
    pub(super) is_whole: bool,
}

impl ShownCall {
    /// `masked` are the arguments without secrets.
    pub(super) fn of(note: &Notification, call: &NotifiedApproval, masked: &str) -> Self {
        let mut is_whole = call.has_all_arguments && masked != WITHHELD;
        let mut short = |text: &str, max: usize| {
            let text = escaped(&exact(text));
            is_whole &= text.chars().count() <= max;
            cut_to(&text, max)
        };
        let name = short(&format!("{}.{}", call.server_name, call.tool_name), MAX_NAME);
        let mut facts = vec![format!("*Chain:* {}", short(&note.chain_id, MAX_NAME))];
        if let Some(agent) = &call.agent {
            facts.push(format!("*Agent:* {}", short(agent, MAX_NAME)));
        }
        let mut facts = vec![
            about_alert(note),
            facts.join(" · "),
            format!("*Why:* {}", short(&call.reason, MAX_REASON)),
        ];
        // A model wrote it: it is shown as a text, and whatever is cut takes the buttons away.
        for line in call.plan.iter().flat_map(ActionPlan::lines) {
            let (name, text) = line.split_once(": ").unwrap_or(("action", &line));
            facts.push(format!("*Intended {name}:* {}", short(text, MAX_PLAN)));
        }
        if let Some(run) = &call.dry_run {
            let name = if run.failed { "Dry run failed" } else { "Dry run" };
            // The decision is about the call: of its dry run the beginning is enough.
            facts.push(format!("*{name}:* {}", cut_to(&escaped(&exact(&run.result)), MAX_DRY_RUN)));
        }
        let facts = facts.join("\n");
        let (arguments, has_all) = fenced(masked);
        is_whole &= has_all;
        Self { name: format!("`{}`", name.replace('`', "[U+0060]")), facts, arguments, is_whole }
    }

    /// A call without facts about it. `masked` are its arguments without secrets.
    pub(super) fn of_rollback(call: &PlannedCall, masked: &str) -> Self {
        let name = escaped(&exact(&call.full_name()));
        let (arguments, has_all) = fenced(masked);
        let is_whole = has_all && masked != WITHHELD && name.chars().count() <= MAX_NAME;
        let name = format!("`{}`", cut_to(&name, MAX_NAME).replace('`', "[U+0060]"));
        Self { name, facts: String::new(), arguments, is_whole }
    }
}

/// The alert that the call is about. Cutting it hides nothing of the call.
fn about_alert(note: &Notification) -> String {
    let shown = |text: &str, max: usize| cut_to(&escaped(&exact(text)), max);
    let stated = [("Severity", &note.alert.severity), ("Service", &note.alert.service)];
    let stated = stated.into_iter().filter_map(|(name, value)| {
        value.as_ref().map(|value| format!(" · *{name}:* {}", shown(value, MAX_WORD)))
    });
    format!("*Alert:* {}{}", shown(&title(note), MAX_NAME), stated.collect::<String>())
}

/// Arguments for a block of code, and whether these are all of them.
fn fenced(masked: &str) -> (String, bool) {
    let whole = escaped(&without_fences(&arguments(masked)));
    let shown = cut(&whole);
    let is_whole = shown == whole;
    (shown, is_whole)
}

/// Backticks that would end a block of code.
fn without_fences(text: &str) -> String {
    text.replace("``", "[U+0060×2]")
}

/// The beginning of a text that a block accepts; what is cut is followed by `…`.
fn cut(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let text = match lines.get(..MAX_LINES) {
        Some(first) if lines.len() > MAX_LINES => format!("{}\n…", first.join("\n")),
        _ => text.to_owned(),
    };
    let mut length = 0;
    let fits = |sign: &char| {
        length += sign.len_utf16();
        length <= MAX_ARGUMENTS
    };
    let fitting = text.chars().take_while(fits).count();
    if fitting == text.chars().count() { text } else { cut_to(&text, fitting) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_of_a_call_fit_a_block_whatever_its_plan_is() {
        // Three names, two words, the reason, three lines of a plan, a dry run, and what stands before each.
        let labels = 250;
        let longest =
            3 * MAX_NAME + 2 * MAX_WORD + MAX_REASON + 3 * MAX_PLAN + MAX_DRY_RUN + labels;
        assert!(longest <= 3_000, "{longest}");
    }

    #[test]
    fn what_is_cut_ends_with_dots_and_fits_a_block() {
        for whole in ["x".repeat(2_801), "x".repeat(2_802), "x\n".repeat(60), "𝒳".repeat(1_401)]
        {
            let shown = cut(&whole);
            assert!(shown != whole && shown.ends_with('…'), "{shown}");
            assert!(shown.encode_utf16().count() <= MAX_ARGUMENTS, "{shown}");
        }
        for whole in ["x".repeat(2_800), "x\n".repeat(59), "𝒳".repeat(1_400)] {
            assert_eq!(cut(&whole), whole);
        }
    }
}
