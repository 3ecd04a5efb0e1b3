//! Splits a prompt into its titled sections, in one pass over its lines.

/// What a section is, by its title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Alert,
    /// What others found before.
    Background,
    Question,
    /// What changed near the alert.
    Changes,
    /// What depends on what near it.
    Dependencies,
    /// Runbooks, instructions: no evidence.
    Other,
    Plain,
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) kind: Kind,
    pub(crate) body: String,
}

/// What ends a block that a tag or a marker comment began.
enum Closing {
    Tag(String),
    Marker(String),
}

/// Splits at headings, and at tags and marker comments on lines of their own.
pub(crate) fn split(text: &str) -> Vec<Section> {
    let mut scanner = Scanner::default();
    let mut open: Option<(Closing, Kind)> = None;
    let mut fenced = false;
    for line in text.lines() {
        let bare = line.trim();
        if let Some((closing, kind)) = &open {
            if closes(bare, closing) {
                scanner.cut(Some(*kind));
                open = None;
            } else {
                scanner.lines.push(line);
            }
        } else if bare.starts_with("```") {
            fenced = !fenced;
            scanner.lines.push(line);
        } else if let Some((closing, kind)) = opening(bare).filter(|_| !fenced) {
            scanner.cut(None);
            open = Some((closing, kind));
        } else if let Some((level, title)) = heading(bare).filter(|_| !fenced) {
            scanner.heading(level, title);
        } else {
            scanner.lines.push(line);
        }
    }
    scanner.cut(open.map(|(_, kind)| kind));
    scanner.sections
}

/// The text of all sections of a kind.
pub(crate) fn bodies(sections: &[Section], kind: Kind) -> String {
    let found: Vec<&str> =
        sections.iter().filter(|one| one.kind == kind).map(|one| one.body.as_str()).collect();
    found.join("\n\n")
}

#[derive(Default)]
struct Scanner<'t> {
    sections: Vec<Section>,
    /// Level and kind of the open headings.
    titles: Vec<(usize, Kind)>,
    lines: Vec<&'t str>,
}

impl Scanner<'_> {
    fn cut(&mut self, inner: Option<Kind>) {
        let body = self.lines.join("\n").trim().to_owned();
        self.lines.clear();
        if body.is_empty() {
            return;
        }
        let outer =
            || self.titles.iter().rev().map(|(_, kind)| *kind).find(|kind| *kind != Kind::Plain);
        let kind = inner.filter(|kind| *kind != Kind::Plain).or_else(outer).unwrap_or(Kind::Plain);
        self.sections.push(Section { kind, body });
    }

    fn heading(&mut self, level: usize, title: &str) {
        self.cut(None);
        self.titles.retain(|(open, _)| *open < level);
        self.titles.push((level, kind_of(title)));
    }
}

fn kind_of(title: &str) -> Kind {
    let title = title.to_lowercase().replace(['_', '-'], " ");
    let has = |words: &[&str]| words.iter().any(|word| title.contains(word));
    match () {
        () if title == "recent changes" => Kind::Changes,
        () if title == "dependencies" => Kind::Dependencies,
        () if has(&["question"]) => Kind::Question,
        () if has(&[
            "runbook",
            "instruction",
            "still open",
            "task",
            "guideline",
            "available",
            "tools",
            "rules",
            "output format",
        ]) =>
        {
            Kind::Other
        }
        () if has(&[
            "previous",
            "earlier",
            "investigation",
            "stage",
            "context",
            "history",
            "analysis",
            "finding",
            "agent",
            "result",
            "output",
        ]) =>
        {
            Kind::Background
        }
        () if has(&["alert", "incident"]) => Kind::Alert,
        () => Kind::Plain,
    }
}

fn heading(bare: &str) -> Option<(usize, &str)> {
    let level = bare.len() - bare.trim_start_matches('#').len();
    let title = bare.get(level..)?.trim();
    ((1..=6).contains(&level) && bare.as_bytes().get(level) == Some(&b' ') && !title.is_empty())
        .then_some((level, title))
}

fn opening(bare: &str) -> Option<(Closing, Kind)> {
    if let Some(name) = marker(bare, &["START", "BEGIN"]) {
        return Some((Closing::Marker(name.to_owned()), kind_of(name)));
    }
    let inner = bare.strip_prefix('<')?.strip_suffix('>')?;
    let name = inner.split_whitespace().next()?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    (is_name && !inner.contains(['<', '>']))
        .then(|| (Closing::Tag(format!("</{name}>").to_lowercase()), kind_of(name)))
}

fn closes(bare: &str, closing: &Closing) -> bool {
    match closing {
        Closing::Tag(tag) => bare.eq_ignore_ascii_case(tag),
        Closing::Marker(name) => marker(bare, &["END", "STOP"]) == Some(name),
    }
}

/// The name in `<!-- NAME_START -->`.
fn marker<'t>(bare: &'t str, ends: &[&str]) -> Option<&'t str> {
    let inner = bare.strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    ends.iter().find_map(|end| inner.strip_suffix(end)?.strip_suffix(['_', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_split_at_tags_markers_and_headings() {
        let text = "Investigate.\n\n<alert>\ndisk full\n</alert>\n\n<runbook>\nif zebra\n</runbook>\n\n\
            <!-- CHAIN_CONTEXT_START -->\n### one\n\nfound it\n<!-- CHAIN_CONTEXT_END -->\n\n## Question\n\nwhy?";
        let sections = split(text);
        assert_eq!(bodies(&sections, Kind::Alert), "disk full");
        assert_eq!(bodies(&sections, Kind::Other), "if zebra");
        assert_eq!(bodies(&sections, Kind::Background), "### one\n\nfound it");
        assert_eq!(bodies(&sections, Kind::Question), "why?");
    }
}
