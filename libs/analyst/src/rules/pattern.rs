//! Patterns of messages: of events, of logs, of both.

use std::sync::LazyLock;

use regex::{Regex, RegexSet, RegexSetBuilder};

use super::recovery::{Recoveries, went_well};
use crate::facts::{Event, Facts, Message, excerpt};
use crate::signal::Signal;
use crate::text::{compile, regex};
use crate::verdict::{Category, Target};

/// What a pattern is looked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Events,
    Logs,
    Both,
}

/// A pattern of messages that speak for a cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    pub(super) source: Source,
    pub(super) category: Category,
    /// As [`Signal::weight`].
    pub(super) weight: f64,
    /// May name groups of the expression, as `${image}`.
    pub(super) cause: &'static str,
    /// The case of letters does not matter.
    pub(super) expression: &'static str,
    /// As [`Signal::side`].
    pub(super) side: Option<&'static [&'static str]>,
    /// The cause if the words that decide stand behind those of the pattern: a call that fails says why at its end.
    pub(super) before: Option<&'static str>,
}

impl Pattern {
    /// The words fit what healthy systems write, too, or what follows from something else: alone they are sure only of an
    /// alert that has one of these words.
    pub(super) const fn beside(self, words: &'static [&'static str]) -> Self {
        Self { side: Some(words), ..self }
    }

    /// What follows decides, if it is one of the known reasons; `cause` is then said before it.
    pub(super) const fn leads(self, cause: &'static str) -> Self {
        Self { before: Some(cause), ..self }
    }

    /// The whole expression. Words end before a letter that is not ASCII, too: automata that keep their states cannot ask what
    /// else a letter is.
    fn text(&self) -> String {
        format!("(?i){}", self.expression.replace(r"\b", r"(?-u:\b)"))
    }
}

pub(super) const fn event(
    category: Category,
    weight: f64,
    cause: &'static str,
    expression: &'static str,
) -> Pattern {
    Pattern {
        source: Source::Events,
        category,
        weight,
        cause,
        expression,
        side: None,
        before: None,
    }
}

pub(super) const fn log(
    category: Category,
    weight: f64,
    cause: &'static str,
    expression: &'static str,
) -> Pattern {
    Pattern { source: Source::Logs, category, weight, cause, expression, side: None, before: None }
}

/// A pattern of events and logs.
pub(super) const fn both(
    category: Category,
    weight: f64,
    cause: &'static str,
    expression: &'static str,
) -> Pattern {
    Pattern { source: Source::Both, category, weight, cause, expression, side: None, before: None }
}

/// Bytes that the patterns may take when they are compiled together.
const LARGEST_SET: usize = 64 << 20;
/// Bytes of states that a search keeps. Where they are too few for so many patterns, it keeps none and follows each of them
/// over every byte: with 8 MiB that took 20 of the 34 s of all cases of an evaluation.
const LARGEST_CACHE: usize = 16 << 20;

/// Patterns that are searched for at once.
pub(super) struct Compiled {
    set: RegexSet,
    each: Vec<(Regex, Pattern)>,
}

impl Compiled {
    pub(super) fn new(families: &[&[Pattern]]) -> Self {
        let patterns: Vec<Pattern> =
            families.iter().flat_map(|family| family.iter().copied()).collect();
        let texts: Vec<String> = patterns.iter().map(Pattern::text).collect();
        let each = texts.iter().zip(&patterns).map(|(text, one)| (compile(text), *one)).collect();
        let set = RegexSetBuilder::new(&texts)
            .size_limit(LARGEST_SET)
            .dfa_size_limit(LARGEST_CACHE)
            .build();
        #[expect(clippy::expect_used, reason = "each of them was compiled in the line before")]
        let set = set.expect("the patterns of this crate");
        Self { set, each }
    }
}

/// What no rule takes for a fault: the absence of errors, settings, levels below a warning.
static HARMLESS: LazyLock<Regex> = regex!(concat!(
    r"(?i)\b(?:no|0|zero|without) (?:\w+ )?(?:errors?|failures?|warnings?|exceptions?|timeouts?|failed)\b",
    r#"|\b(?:errors?|failed|failures?|failed_\w+|timeouts?|warnings?|dropped|err)["']?\s*[=:]\s*["']?(?:0|false|null|none|nil|\[\])(?:[^\w.]|$)"#,
    r"|error_rate ok|error[_ ]count[ =:]+0\b",
    // Requests are served without traces, metrics and profiles, too.
    r"|(?:failed|unable|could not|cannot|error) (?:to )?(?:upload|export|send|flush|push|report)(?:ing|ed)? (?:\w+ )?(?:traces?|spans?|metrics|telemetry|profiles?)\b",
    r#"|\bhttp/\d(?:\.\d)?"? [123]\d\d\b"#,
    // Results of tests, and what a program survived.
    r"|--- pass: |=== run |\btest \S+ \.{3} ok\b|\brecovered from (?:a )?panic\b",
    // What package managers and their scripts say while they install.
    r"|\b(?:dpkg(?:-\w+)?|apt(?:-get)?|update-rc\.d|update-alternatives|invoke-rc\.d|debconf|needrestart|dnf|yum|rpm|zypper|apk|pacman)(?:\[\d+\])?: (?:warning|notice)\b",
    // What programs do without at their start: memory that is not locked, huge pages.
    r"|unable to lock (?:jvm )?memory|\bmlock(?:all)?\b.{0,60}(?:fail|not permitted|cannot)|huge ?pages? .{0,40}(?:not available|fall(?:ing)? back)",
    // A client that a pooler does not know yet: whoever tries its port.
    r"|\(nodb\)/\(nouser\).{0,60}(?:no such|closing because|login attempt|not authenticated|auth)",
    // Names that a server looks up for its log, drives without a disk, what programs of a desktop may not do.
    r"|ip address '\S+' could not be resolved|(?:i/o error|blk_update_request).{0,60}\b(?:fd|sr)\d\b|profile=.snap\.",
    // A part of a second.
    r#"|took too long.{0,30}took["']?[:=] ?["']?\d{1,3}(?:\.\d+)?ms"#,
    // The text of a statement that PostgreSQL refused.
    r"|(?-i:\bSTATEMENT:  )",
));
/// The weight from which on a phrase means a fault wherever it stands; words below it count only in logs.
const PLAIN: f64 = 70.0;

/// A level that is no fault.
static CALM: LazyLock<Regex> = regex!(
    r#"(?i)(?:^|\s|["'\[=])(?:level["']?[=:]\s*["']?)?(?:info|debug|trace)(?:["'\]\s|:]|$)"#
);
/// A fault in spite of the level.
static ALARMING: LazyLock<Regex> = regex!(
    r"(?i)\berr(?:or)?[=:]|fail|refused|denied|timeout|exceeded|unavailable|\bpanic(?:ked)?(?:[:(]| at )|fatal|flag|insufficient|pause full|full gc|shrinking isr|blocked for more than \d|detected stall"
);

/// What the messages and events show.
pub(super) fn find(facts: &Facts, compiled: &Compiled) -> Vec<Signal> {
    let mut found = Vec::new();
    let lasts = |event: &&Event| event.is_warning && !went_well(facts, event);
    for event in facts.events.iter().filter(lasts) {
        found.extend(of_event(facts, event, compiled));
    }
    let recoveries = Recoveries::read(facts);
    let is_fault =
        |message: &&Message| !is_harmless(&message.text) && !recoveries.has(facts, message);
    for message in facts.messages.iter().filter(is_fault) {
        found.extend(of_message(facts, message, compiled));
    }
    found
}

/// Whether a message reports that nothing is wrong.
pub(super) fn is_harmless(text: &str) -> bool {
    HARMLESS.is_match(text) || CALM.is_match(text) && !ALARMING.is_match(text)
}

/// The strongest pattern of an event.
fn of_event(facts: &Facts, event: &Event, compiled: &Compiled) -> Option<Signal> {
    let text = format!("{}: {}", event.reason, event.message);
    let Match { pattern, cause, .. } = strongest(&text, Source::Events, compiled)?;
    Some(Signal::of_event((pattern.category, pattern.weight), cause, facts, event))
}

/// The strongest pattern of a message; the last lines of a log count a little more.
fn of_message(facts: &Facts, message: &Message, compiled: &Compiled) -> Option<Signal> {
    let Match { pattern, cause, named, end } = strongest(&message.text, Source::Logs, compiled)?;
    if !message.is_log && (pattern.weight < PLAIN || end <= key_end(&message.text)) {
        return None;
    }
    let repeated = if message.count > 3 { 2.0 } else { 0.0 };
    let weight = pattern.weight + message.place + repeated;
    let mut signal = Signal::of_message((pattern.category, weight), cause, facts, message);
    signal.side = pattern.side;
    if !pattern.cause.contains('$') {
        signal.detail = Some(excerpt(message.bare(), ""));
    }
    Some(match named {
        Some(target) => signal.at(target),
        None => signal,
    })
}

/// Where the name of a value ends, with the separator: a setting or a metric is named after what it is about, which says
/// nothing about its state. 0 if the line is no value with a name.
fn key_end(text: &str) -> usize {
    let Some(at) = text.find([':', '=']) else { return 0 };
    let key = text.get(..at).unwrap_or_default().trim().trim_matches(['"', '\'', '`']);
    // The name of an error stands before its words.
    let is_error = ["error", "exception"].iter().any(|end| key.to_lowercase().ends_with(end));
    if key.is_empty() || is_error && key.contains('.') || key.contains(char::is_whitespace) {
        return 0;
    }
    at + 1
}

/// What decides about a call that fails, wherever the call leads. That nobody answers is what the call says itself.
const REASONS: [Category; 6] = [
    Category::Certificate,
    Category::Access,
    Category::Dns,
    Category::Disk,
    Category::Quota,
    Category::OutOfMemory,
];

/// The cause that the words of a status report, if they are known: where a controller writes why, and not that.
pub(super) fn cause_of(text: &str, compiled: &Compiled) -> Option<(Category, f64, String)> {
    let found = strongest(text, Source::Events, compiled)?;
    (found.pattern.weight >= PLAIN).then_some((
        found.pattern.category,
        found.pattern.weight,
        found.cause,
    ))
}

/// A pattern that a text fits.
struct Match {
    pattern: Pattern,
    cause: String,
    /// The unit of systemd or the process that it names.
    named: Option<Target>,
    /// Where the words end that fit.
    end: usize,
}

/// The pattern with the highest weight.
fn strongest(text: &str, source: Source, compiled: &Compiled) -> Option<Match> {
    let matches = compiled.set.matches(text);
    let fitting = matches.iter().filter_map(|at| compiled.each.get(at));
    let fitting: Vec<&(Regex, Pattern)> =
        fitting.filter(|(_, one)| one.source == source || one.source == Source::Both).collect();
    let weight = |one: &&&(Regex, Pattern), other: &&&(Regex, Pattern)| {
        one.1.weight.total_cmp(&other.1.weight)
    };
    let (regex, pattern) = fitting.iter().max_by(weight)?;
    let captures = regex.captures(text)?;
    let mut cause = String::new();
    let begin = captures.get(0)?.end();
    let follows = |(regex, one): &&&(Regex, Pattern)| {
        REASONS.contains(&one.category) && regex.find_at(text, begin).is_some()
    };
    if let Some(lead) = pattern.before
        && let Some((_, reason)) = fitting.iter().filter(follows).max_by(weight)
        && !reason.cause.contains('$')
    {
        captures.expand(lead, &mut cause);
        let cause = format!("{cause}: {}", reason.cause);
        let pattern = Pattern { category: reason.category, side: None, ..*pattern };
        return Some(Match { pattern, cause, named: None, end: begin });
    }
    captures.expand(pattern.cause, &mut cause);
    let named = ["unit", "process"]
        .into_iter()
        .find_map(|kind| captures.name(kind).map(|name| Target::new(kind, name.as_str(), "")));
    let end = captures.get(0)?.end();
    Some(Match { pattern: *pattern, cause, named, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_absence_of_errors_is_harmless() {
        for text in [
            "0 errors found",
            "update-rc.d: warning: start and stop actions are no longer supported; falling back to defaults",
            "Nov 28 10:00:01 web-3 dpkg[812]: warning: downgrading libssl3 from 3.0.17 to 3.0.16",
            "errors: 0",
            r#"{"msg": "ok", "error": null}"#,
            "INFO no failures",
            "level=info msg=error_rate ok",
        ] {
            assert!(is_harmless(text), "{text}");
        }
        assert!(!is_harmless("ERROR could not reach postgres: connection refused"));
    }

    #[test]
    fn words_are_found_beside_what_is_not_ascii() {
        let family = [log(Category::Disk, 90.0, "the disk is full", r"\bno space left\b")];
        let compiled = Compiled::new(&[&family]);
        let found = |text: &str| strongest(text, Source::Logs, &compiled).is_some();
        assert!(found("Größe überschritten → no space left…"));
        assert!(!found("no space lefts"));
    }

    #[test]
    fn the_strongest_pattern_names_the_cause() {
        let expression = r#"pull image "(?P<image>[^"]+)""#;
        let weaker = both(Category::Application, 10.0, "weaker", "failed");
        let family = [event(Category::ImagePull, 90.0, "the image `${image}`", expression), weaker];
        let compiled = Compiled::new(&[&family]);
        let Match { pattern, cause, .. } = strongest(
            "Failed: Failed to pull image \"shop/web:9\": not found",
            Source::Events,
            &compiled,
        )
        .unwrap();
        assert_eq!(pattern.category, Category::ImagePull);
        assert!(cause.contains("shop/web:9"), "{cause}");
    }
}
