//! Identifiers that the glossary has retired, in Rust, Python, TypeScript and SQL. Comments and texts are not looked
//! at; Rust includes tests.

mod lexer;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use lexer::Language;

/// One line each: `word W replacement` retires a word inside identifiers, `name N replacement` a whole identifier,
/// `allow N reason` keeps an identifier that contains a retired word, `migrated N reason` keeps it in the migrations,
/// which are not edited once they are released.
const LIST: &str = include_str!("../retired.txt");

/// Folders with code that is not ours, or not written by hand.
const SKIPPED: [&str; 9] = [
    "target",
    "node_modules",
    "dist",
    ".git",
    ".tarsy",
    "generated",
    "__pycache__",
    "snapshots",
    "proto",
];

/// A retired identifier that is still used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) path: PathBuf,
    pub(crate) line: usize,
    pub(crate) identifier: String,
    pub(crate) replacement: String,
}

#[derive(Default)]
struct Retired<'l> {
    words: BTreeMap<&'l str, &'l str>,
    names: BTreeMap<&'l str, &'l str>,
    allowed: BTreeSet<&'l str>,
    migrated: BTreeSet<&'l str>,
}

/// Every use of a retired identifier below the folder.
pub(crate) fn findings(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let retired = Retired::parse(LIST)?;
    let mut files = Vec::new();
    collect(root, &mut files)?;
    let mut findings = Vec::new();
    for (path, language) in files {
        let text = std::fs::read_to_string(&path)?;
        let path = path.strip_prefix(root).unwrap_or(&path).to_owned();
        for (identifier, line) in lexer::identifiers(&text, language) {
            if let Some(replacement) = retired.replacement(&identifier, &path) {
                let replacement = replacement.to_owned();
                findings.push(Finding { path: path.clone(), line, identifier, replacement });
            }
        }
    }
    Ok(findings)
}

/// Every file of code below the folder.
pub(crate) fn files(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, Language)>) -> anyhow::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name();
        if kind.is_dir() && !SKIPPED.iter().any(|skipped| *skipped == name) {
            collect(&path, files)?;
        } else if kind.is_file()
            && let Some(language) = Language::of(&path)
        {
            files.push((path, language));
        }
    }
    Ok(())
}

impl<'l> Retired<'l> {
    fn parse(list: &'l str) -> anyhow::Result<Self> {
        let mut retired = Self::default();
        for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (kind, rest) = line.split_once(' ').context("retired.txt: a line has one word")?;
            let (name, note) = rest.split_once(' ').unwrap_or((rest, ""));
            match kind {
                "word" => drop(retired.words.insert(name, note)),
                "name" => drop(retired.names.insert(name, note)),
                "allow" => drop(retired.allowed.insert(name)),
                "migrated" => drop(retired.migrated.insert(name)),
                _ => anyhow::bail!("retired.txt: {kind} is not word, name, allow or migrated"),
            }
        }
        Ok(retired)
    }

    fn replacement(&self, identifier: &str, path: &Path) -> Option<&'l str> {
        let is_migrated = path.starts_with("migrations") && self.migrated.contains(identifier);
        if is_migrated || self.allowed.contains(identifier) {
            return None;
        }
        let whole = self.names.get(identifier).copied();
        whole.or_else(|| {
            words(identifier).iter().find_map(|word| self.words.get(word.as_str()).copied())
        })
    }
}

/// The words of `snake_case`, `camelCase` and `SCREAMING_CASE` names, in lower case.
fn words(identifier: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_is_upper = true;
    for letter in identifier.chars() {
        let starts = letter == '_' || (letter.is_uppercase() && !before_is_upper);
        if starts {
            words.push(String::new());
        }
        if letter != '_'
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before_is_upper = letter.is_uppercase() || letter == '_';
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(words("let_go"), ["let", "go"]);
        assert_eq!(words("ToolWishes"), ["tool", "wishes"]);
        assert_eq!(words("OPEN_SEAT"), ["open", "seat"]);
        assert_eq!(words("liveSeatCount"), ["live", "seat", "count"]);
    }

    #[test]
    fn a_retired_word_is_found_inside_a_name() {
        let retired =
            Retired::parse("word seat lease\nname told reported\nallow seat_belt law").unwrap();
        let replacement =
            |name| retired.replacement(name, Path::new("libs/store/src/work/chat.rs"));
        assert_eq!(replacement("free_seat"), Some("lease"));
        assert_eq!(replacement("SeatGuard"), Some("lease"));
        assert_eq!(replacement("told"), Some("reported"));
        assert_eq!(replacement("untold_or_told"), None);
        assert_eq!(replacement("seat_belt"), None);
        assert_eq!(replacement("seating"), None);
    }

    #[test]
    fn released_migrations_keep_their_names_and_nothing_else_does() {
        let retired = Retired::parse("word settled finished\nmigrated settled_at renamed").unwrap();
        let replacement = |name, path| retired.replacement(name, Path::new(path));
        assert_eq!(replacement("settled_at", "migrations/0010_notifications.sql"), None);
        assert_eq!(
            replacement("settled_by", "migrations/0010_notifications.sql"),
            Some("finished")
        );
        assert_eq!(replacement("settled_at", "libs/store/src/work/chat.rs"), Some("finished"));
    }

    #[test]
    fn the_list_can_be_read() {
        assert!(!Retired::parse(LIST).unwrap().words.is_empty());
    }
}
