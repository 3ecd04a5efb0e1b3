//! Which objects a statement speaks of.

use std::collections::BTreeMap;

use super::evidence::{Evidence, GroupRef};
use super::nouns::is_noun;
use crate::lexer::{TokenKind, lex};
use crate::reading::Reading;
use crate::words::{share, stems};

/// What a text names, and the groups of readings about it.
#[derive(Clone, Debug, Default)]
pub(super) struct Subject {
    pub(super) names: Vec<String>,
    /// The groups that match most of the names, for each source: source, then group.
    pub(super) groups: Vec<(usize, usize)>,
}

/// Names that begin with another name: pods of a deployment.
const MOST_PREFIXED: usize = 200;
/// Words that are values everywhere and name nothing.
const COMMON: &[&str] = &[
    "true",
    "false",
    "none",
    "null",
    "default",
    "name",
    "status",
    "running",
    "ready",
    "active",
    "error",
    "errors",
    "info",
    "warning",
    "warn",
    "normal",
    "failed",
    "pending",
    "succeeded",
    "completed",
    "unknown",
    "in",
    "on",
    "to",
    "is",
    "of",
    "and",
    "the",
    "at",
    "up",
    "down",
    "ok",
    "yes",
    "no",
    "for",
    "from",
    "it",
    "was",
    "open",
    "closed",
    "started",
    "created",
    "killing",
    "pulled",
    "pod",
    "node",
    "service",
    "container",
    "with",
    "by",
    "bound",
    "total",
    "free",
    "used",
    "available",
    "idle",
    "value",
    "time",
    "not",
    "since",
    "all",
    "last",
    "state",
    "memory",
    "image",
    "limit",
    "size",
    "max",
    "exit",
    "code",
    "waiting",
    "terminated",
    "reason",
    "message",
];

/// How people call `/`.
const ROOT: &[&str] =
    &["root filesystem", "root file system", "root partition", "root volume", "root disk"];
impl Subject {
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    pub(super) fn contains(&self, source: usize, group: usize) -> bool {
        self.groups.binary_search(&(source, group)).is_ok()
    }

    pub(super) fn in_source(&self, source: usize) -> impl Iterator<Item = usize> {
        self.groups.iter().filter(move |pair| pair.0 == source).map(|pair| pair.1)
    }
}

impl Evidence {
    /// What a piece of prose speaks of, leaving out the name that is itself in question.
    pub(super) fn subject(&self, text: &str, except: Option<&str>) -> Subject {
        let mut names: Vec<String> = Vec::new();
        let mut before = "";
        for token in lex(text) {
            if token.kind == TokenKind::Word {
                self.mentions(token.text, &mut names);
            } else if self.numbers_a_row(before, token.text) {
                names.push(token.text.to_owned());
            }
            before = token.text;
        }
        let lower = text.to_lowercase();
        if text.contains("`/`") || ROOT.iter().any(|root| lower.contains(root)) {
            names.push("/".to_owned());
        }
        self.phrases_in(&lower, &mut names);
        if let Some(except) = except {
            let except = except.to_lowercase();
            names.retain(|name| *name != except && !except.ends_with(&format!("/{name}")));
        }
        let mut scores: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        for name in &names {
            for (key, weight) in self.groups_of(name) {
                *scores.entry(key).or_default() += weight;
            }
        }
        let mut best: BTreeMap<usize, u32> = BTreeMap::new();
        for ((source, _), score) in &scores {
            let highest = best.entry(*source).or_default();
            *highest = (*highest).max(*score);
        }
        let groups =
            scores.into_iter().filter(|((source, _), score)| best.get(source) == Some(score));
        Subject { names, groups: groups.map(|pair| pair.0).collect() }
    }

    /// Whether a number behind a word is the name of an object: `revision 13`, `session 20131`.
    fn numbers_a_row(&self, before: &str, number: &str) -> bool {
        let noun = stems(before);
        let Some(groups) = self.names.get(number).filter(|_| is_noun(before)) else { return false };
        groups.iter().take(MOST_PREFIXED).any(|group| {
            let source = self.sources.get(group.source);
            let measures = source.is_some_and(|source| source.measures(&noun));
            let members = source.map_or(&[][..], |source| source.members(group.group));
            let names = |reading: &Reading| {
                &*reading.value.text == number
                    && source.is_some_and(|source| share(&noun, source.field_stems(reading)))
            };
            !measures || members.iter().any(names)
        })
    }

    /// Adds the names whose words the text has: `limits.memory` for `the memory limits`.
    fn phrases_in(&self, lower: &str, names: &mut Vec<String>) {
        // An abbreviation at the end, as in `Reallocated_Sector_Ct`, is rarely written.
        const SHORT: usize = 2;
        if self.phrases.is_empty() {
            return;
        }
        let written = stems(lower);
        for (name, words) in &self.phrases {
            let shared = words.iter().filter(|word| written.contains(word)).count();
            let rest = words.iter().filter(|word| !written.contains(word));
            let is_named = shared > 1 && rest.clone().all(|word| word.len() <= SHORT);
            if is_named && !names.contains(name) {
                names.push(name.clone());
            }
        }
    }

    /// Adds the names in a word: `pod/web-1`, `shop/web-1`, `web-1's`.
    fn mentions(&self, word: &str, names: &mut Vec<String>) {
        let lower = word.trim_end_matches("'s").to_lowercase();
        let parts = std::iter::once(lower.as_str())
            .chain(lower.split('/').filter(|part| part.len() < lower.len()));
        for part in parts {
            let numbered =
                part.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '/' | '.' | '_'));
            let known = !COMMON.contains(&part)
                && part.len() > 1
                && (self.bears(part) || numbered && self.has_prefixed(part));
            if known && !names.iter().any(|name| name == part) {
                names.push(part.to_owned());
            }
        }
    }

    /// Whether it is the name of an object; for a plain word, values do not count.
    fn bears(&self, name: &str) -> bool {
        let numbered =
            name.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '/' | '.' | '_'));
        self.names
            .get(name)
            .is_some_and(|groups| numbered || groups.iter().any(|group| group.bears))
    }

    fn has_prefixed(&self, name: &str) -> bool {
        self.prefixed(name).next().is_some()
    }

    fn prefixed(&self, name: &str) -> impl Iterator<Item = &Vec<GroupRef>> {
        let prefix = format!("{name}-");
        let from = self.names.range(prefix.clone()..);
        from.take_while(move |(known, _)| known.starts_with(&prefix))
            .take(MOST_PREFIXED)
            .map(|pair| pair.1)
    }

    /// Groups, and how much the name says about them.
    fn groups_of(&self, name: &str) -> BTreeMap<(usize, usize), u32> {
        let mut found = BTreeMap::new();
        let exact: Vec<&Vec<GroupRef>> = self.names.get(name).into_iter().collect();
        let all = if exact.is_empty() { self.prefixed(name).collect() } else { exact };
        for reference in all.into_iter().flatten() {
            let weight = if reference.bears { 3 } else { 2 };
            let slot = found.entry((reference.source, reference.group)).or_insert(0);
            *slot = weight.max(*slot);
        }
        found
    }
}
