//! Renders a verdict as Markdown.

use crate::text::{code, listed};
use crate::verdict::{Alternative, CHECK_THE_ALERT, NotExamined, Quote, Target, Verdict};

/// Stands in each report.
pub const LABEL: &str = "Written by rules; no LLM was used.";

/// Tools that are listed by name; a bound on the length of a report.
const MOST_LISTED: usize = 12;

/// The report of a verdict.
pub(crate) fn write(verdict: &Verdict) -> String {
    let blocks = [
        format!("## Most likely cause\n\n{}", cause(verdict)),
        LABEL.to_owned(),
        evidence(verdict),
        alternatives(verdict),
        not_examined(&verdict.not_examined),
        next_steps(verdict),
    ];
    let blocks: Vec<String> = blocks.into_iter().filter(|block| !block.is_empty()).collect();
    format!("{}\n", blocks.join("\n\n"))
}

/// The report if nothing was found.
pub(crate) fn write_nothing(aside: &[Alternative], missing: &[NotExamined]) -> String {
    let seen: Vec<String> = aside.iter().map(also_seen).collect();
    let seen = if seen.is_empty() {
        String::new()
    } else {
        format!("### Also seen\n\n{}", seen.join("\n"))
    };
    write_not_found("No result shows a fault that explains the alert", seen, missing)
}

/// The report if no evidence decides: causes that it speaks for are hints.
pub(crate) fn write_hints(verdict: &Verdict) -> String {
    let first = hint(&verdict.target, &verdict.cause, &verdict.evidence);
    let others = verdict.alternatives.iter().map(also_seen);
    let hints: Vec<String> = std::iter::once(first).chain(others).collect();
    let hints = format!("### Weak hints\n\n{}", hints.join("\n"));
    write_not_found("The results have only weak hints", hints, &verdict.not_examined)
}

fn also_seen(one: &Alternative) -> String {
    hint(&one.target, &one.cause, &one.evidence)
}

fn hint(target: &Target, cause: &str, evidence: &[Quote]) -> String {
    let statement = format!("- {}: {cause} {}.", shown(target), cite(evidence));
    let quotes = evidence.iter().map(|quote| format!("  {}", quoted(quote)));
    let lines: Vec<String> = std::iter::once(statement).chain(quotes).collect();
    lines.join("\n")
}

fn write_not_found(why: &str, found: String, missing: &[NotExamined]) -> String {
    let blocks = [
        format!("## No cause found\n\n{why}; that does not mean that nothing is wrong."),
        LABEL.to_owned(),
        found,
        not_examined(missing),
        format!("### Next steps\n\n- {CHECK_THE_ALERT}"),
    ];
    let blocks: Vec<String> = blocks.into_iter().filter(|block| !block.is_empty()).collect();
    format!("{}\n", blocks.join("\n\n"))
}

/// `[call 2] [call 5]`; a text that was given is `[given]`.
pub(crate) fn cite(quotes: &[Quote]) -> String {
    let mut calls: Vec<u32> = quotes.iter().map(|quote| quote.call).collect();
    calls.sort_unstable();
    calls.dedup();
    let cited: Vec<String> = calls.into_iter().map(citation).collect();
    cited.join(" ")
}

pub(crate) fn citation(call: u32) -> String {
    if call == 0 { "[given]".to_owned() } else { format!("[call {call}]") }
}

/// ``Pod `web-1` in namespace `shop` ``.
pub(crate) fn shown(target: &Target) -> String {
    let kind = if target.kind.is_empty() { "object" } else { &target.kind };
    let of = if target.namespace.is_empty() {
        String::new()
    } else {
        format!(" in namespace `{}`", target.namespace)
    };
    if target.name.is_empty() {
        format!("the system{of}")
    } else {
        format!("{kind} `{}`{of}", target.name)
    }
}

fn cause(verdict: &Verdict) -> String {
    let cite = cite(&verdict.evidence);
    let about = shown(&verdict.target);
    let since = match &verdict.since {
        Some(since) => format!(" Since: {}.", code(since)),
        None => String::new(),
    };
    format!(
        "**{}**: {about}: {} {cite}.{since} Confidence: {}.",
        capital(&verdict.category.words()),
        verdict.cause,
        verdict.confidence
    )
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn evidence(verdict: &Verdict) -> String {
    let lines: Vec<String> = verdict.evidence.iter().map(quoted).collect();
    format!("### Evidence\n\n{}", lines.join("\n"))
}

fn quoted(quote: &Quote) -> String {
    format!("- {} {}", code(&quote.text), citation(quote.call))
}

fn alternatives(verdict: &Verdict) -> String {
    if verdict.alternatives.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = verdict
        .alternatives
        .iter()
        .map(|one| {
            let quotes: Vec<String> =
                one.evidence.iter().map(|quote| format!("  {}", quoted(quote))).collect();
            format!(
                "- {}: {} {}. Less likely: {}.\n{}",
                shown(&one.target),
                one.cause,
                cite(&one.evidence),
                one.because,
                quotes.join("\n")
            )
        })
        .collect();
    format!("### Other causes\n\n{}", lines.join("\n"))
}

fn not_examined(list: &[NotExamined]) -> String {
    let mut lines = Vec::new();
    let mut unused = Vec::new();
    for one in list {
        match one {
            NotExamined::Failed { tool, call, error } if error.is_empty() => {
                lines.push(format!("- `{tool}` failed without a message {}.", citation(*call)));
            }
            NotExamined::Failed { tool, call, error } => {
                lines.push(format!("- `{tool}` failed: {} {}.", code(error), citation(*call)));
            }
            NotExamined::NotCalled { tool } => unused.push(format!("`{tool}`")),
            NotExamined::NotCallable { tool, missing } => {
                let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
                lines.push(format!(
                    "- `{tool}` was not run: no {} in the alert or the results.",
                    listed(&names)
                ));
            }
        }
    }
    lines.truncate(MOST_LISTED);
    if !unused.is_empty() {
        let more = if unused.len() > MOST_LISTED { " and others" } else { "" };
        unused.truncate(MOST_LISTED);
        lines.push(format!("- Not called: {}{more}.", unused.join(", ")));
    }
    if lines.is_empty() {
        String::new()
    } else {
        format!("### Not examined\n\n{}", lines.join("\n"))
    }
}

fn next_steps(verdict: &Verdict) -> String {
    let lines: Vec<String> = verdict
        .next_steps
        .iter()
        .enumerate()
        .map(|(at, step)| format!("{}. {step}", at + 1))
        .collect();
    format!("### Next steps\n\n{}", lines.join("\n"))
}
