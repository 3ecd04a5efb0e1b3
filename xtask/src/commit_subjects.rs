//! The subjects of the commits made after this file: `area: what the commit does`, at most 72 characters.

use std::path::Path;
use std::process::Command;

/// The longest subject that every tool shows in full.
const LONGEST: usize = 72;

/// Lists each commit after the one that added this file whose subject breaks the form. Merge commits are exempt. In a
/// shallow clone the history starts at its oldest commit; without git history there is nothing to check.
pub(crate) fn problems(root: &Path) -> anyhow::Result<Vec<String>> {
    let Some(added) = git(root, &["log", "--diff-filter=A", "--format=%H", "--", file!()])? else {
        return Ok(Vec::new());
    };
    let Some(base) = added.lines().last() else { return Ok(Vec::new()) };
    let range = format!("{base}..HEAD");
    let log = git(root, &["log", "--no-merges", "--ancestry-path", "--format=%h %s", &range])?;
    Ok(log.unwrap_or_default().lines().filter_map(check_line).collect())
}

fn check_line(line: &str) -> Option<String> {
    let (hash, subject) = line.split_once(' ')?;
    problem(subject).map(|problem| format!("commit {hash}: {problem}: {subject}"))
}

fn problem(subject: &str) -> Option<&'static str> {
    let area = subject.split_once(": ").map(|(area, _)| area).unwrap_or_default();
    let is_area = !area.is_empty()
        && area.chars().all(|letter| {
            letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_, /".contains(letter)
        });
    match () {
        () if subject.chars().count() > LONGEST => Some("the subject is longer than 72 characters"),
        () if !is_area => Some("the subject does not start with its area (`store: …`)"),
        () if subject.contains(';') => Some("the subject holds two sentences"),
        () if subject.ends_with('.') => Some("the subject ends with a period"),
        () => None,
    }
}

/// What git prints, or `None` where there is no git or no repository.
fn git(root: &Path, arguments: &[&str]) -> anyhow::Result<Option<String>> {
    let Ok(output) = Command::new("git").current_dir(root).args(arguments).output() else {
        return Ok(None);
    };
    Ok(output.status.success().then(|| String::from_utf8(output.stdout)).transpose()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_has_an_area_and_one_short_sentence() {
        assert_eq!(problem("store: bound every statement"), None);
        assert_eq!(problem("mcp-gateway, tools: share the schema check"), None);
        assert!(problem("Bound every statement").is_some());
        assert!(problem("Store: bound every statement").is_some());
        assert!(problem("store: bound every statement.").is_some());
        assert!(problem("store: bound statements; name pools").is_some());
        assert!(problem(&format!("store: {}", "a".repeat(66))).is_some());
        assert_eq!(problem(&format!("store: {}", "a".repeat(65))), None);
    }
}
