//! The prose of a model in the Markdown of a postmortem, marked as such, with the facts that its sentences rest on.

use std::fmt::Write as _;

use tarsy_contracts::postmortem::{PostmortemFact, PostmortemProse};
use tarsy_domain::postmortem::ProseSection;

use super::plain::plain;
use super::words::time;

/// Who wrote the prose, and from what.
pub(super) fn byline(prose: &PostmortemProse) -> String {
    let model = prose.model.as_deref().unwrap_or("a model");
    let provider = prose.provider.as_ref().map(|name| format!(" ({})", plain(name)));
    let mut text = format!(
        "> Summary, what happened and lessons: written by the model {}{} from the facts below. Sentences name theirs.",
        plain(model),
        provider.unwrap_or_default()
    );
    if let Some(edited) = &prose.edited {
        // Writing into a text cannot fail.
        let _ = write!(text, " Edited by {} at {} UTC.", plain(&edited.by), time(edited.at));
    }
    if prose.outdated {
        text.push_str(" The record has changed since.");
    }
    text
}

/// A section; none if nothing was written.
pub(super) fn section(prose: &PostmortemProse, section: ProseSection) -> Option<String> {
    if let Some(edited) = &prose.edited {
        let text = match section {
            ProseSection::Summary => &edited.texts.summary,
            ProseSection::WhatHappened => &edited.texts.what_happened,
            ProseSection::Lessons => &edited.texts.lessons,
        };
        let parts = text.split("\n\n").map(plain).filter(|part| !part.is_empty());
        return Some(parts.collect::<Vec<_>>().join("\n\n")).filter(|text| !text.is_empty());
    }
    let sentences = prose.sentences.iter().filter(|one| one.section == section);
    let texts = sentences.map(|one| format!("{} ({})", plain(&one.text), one.facts.join(", ")));
    Some(texts.collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
}

/// The facts that the shown sentences name; none of what a person wrote.
pub(super) fn facts(prose: &PostmortemProse) -> Option<String> {
    if prose.edited.is_some() {
        return None;
    }
    let is_named = |fact: &&PostmortemFact| {
        prose.sentences.iter().any(|sentence| sentence.facts.contains(&fact.id))
    };
    let lines = prose.facts.iter().filter(is_named).map(|fact| {
        format!("- {}: {} ({})", plain(&fact.id), plain(&fact.text), plain(&fact.source))
    });
    Some(lines.collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty())
}
