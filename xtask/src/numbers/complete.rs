//! Numbers of documents that the table lacks: each that has a unit of time, size or text is compared, or exempt with a reason.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

use super::table::{DECISIONS, Entry, Read, Stated, WHOLE};
use super::text::{Text, number};

const UNITS: [&str; 20] = [
    "ms",
    "s",
    "second",
    "seconds",
    "min",
    "minute",
    "minutes",
    "h",
    "hour",
    "hours",
    "d",
    "day",
    "days",
    "kB",
    "KiB",
    "MiB",
    "GiB",
    "bytes",
    "characters",
    "tokens",
];
/// Documents outside of `docs/` that are no README.
const OTHERS: [&str; 1] = ["tests/threats.md"];

/// The documents that people read, but for those that are dated.
pub(super) fn documents(root: &Path) -> anyhow::Result<Vec<String>> {
    let listed = Command::new("git").current_dir(root).args(["ls-files", "-z", "*.md"]).output()?;
    ensure!(listed.status.success(), "git ls-files failed");
    let listed = String::from_utf8(listed.stdout)?;
    let is_read = |file: &&str| {
        let is_page = file.starts_with("docs/") && !file.starts_with(DECISIONS);
        let is_of_folder = file.ends_with("README.md") && !file.contains("/src/");
        let is_kept =
            is_page || is_of_folder && !file.starts_with("docs/") || OTHERS.contains(file);
        (is_kept || !file.contains('/') && *file != "CHANGELOG.md") && root.join(file).is_file()
    };
    Ok(listed
        .split('\0')
        .filter(|file| !file.is_empty())
        .filter(is_read)
        .map(str::to_owned)
        .collect())
}

pub(super) fn problems(
    entries: &[Entry],
    documents: &[String],
    read: Read<'_>,
) -> anyhow::Result<Vec<String>> {
    let mut problems = Vec::new();
    for document in documents {
        let raw = read(document).with_context(|| format!("cannot read {document}"))?;
        let text = Text::new(&raw);
        let own = entries.iter().filter(|entry| entry.document == *document);
        let known: Vec<(usize, usize)> = own.flat_map(|entry| places(entry, &text)).collect();
        for Stands { at, line, words } in numbers(&raw, &text) {
            if !known.iter().any(|(start, end)| (*start..*end).contains(&at)) {
                problems.push(format!(
                    "{document}:{line}: \"{words}\" has no line in xtask/numbers.txt: add it with the constant that decides \
                     it, or with - and a reason"
                ));
            }
        }
    }
    Ok(problems)
}

/// Where a document has what an entry is about.
fn places(entry: &Entry, text: &Text) -> Vec<(usize, usize)> {
    match &entry.stated {
        Stated::Number(pattern) => {
            pattern.find(text).into_iter().map(|found| (found.at, found.at + 1)).collect()
        }
        Stated::Exempt(whole) if whole == WHOLE => vec![(0, usize::MAX)],
        Stated::Exempt(part) => {
            let found = text.as_str().match_indices(part.as_str());
            found.map(|(at, part)| (at, at + part.len())).collect()
        }
    }
}

/// A number with its unit.
struct Stands {
    /// In the [`Text`].
    at: usize,
    line: usize,
    words: String,
}

/// The numbers of a document with a unit, but for those of code and of tables that are generated.
fn numbers(raw: &str, text: &Text) -> Vec<Stands> {
    let (mut found, mut is_code, mut is_generated) = (Vec::new(), false, false);
    for (line, start) in raw.lines().zip(text.lines()) {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") {
            is_code = !is_code;
        }
        is_generated = trimmed.starts_with("<!-- generated") || is_generated;
        is_generated &= !trimmed.starts_with("<!-- end");
        if !is_code && !is_generated {
            found.extend(of_line(line, *start));
        }
    }
    for stands in &mut found {
        stands.line = text.lines().partition_point(|start| *start <= stands.at);
    }
    found
}

fn of_line(line: &str, start: usize) -> Vec<Stands> {
    let (mut found, mut at) = (Vec::new(), start);
    let words: Vec<&str> = line.split_whitespace().collect();
    for pair in words.windows(2) {
        let [word, next] = pair else { continue };
        let bare = word.trim_start_matches(['(', '*', '"']);
        let unit = next.trim_end_matches(|sign: char| !sign.is_alphanumeric());
        let is_whole = number(bare).is_some_and(|(value, length)| {
            let is_word = !bare.starts_with(|sign: char| sign.is_ascii_digit());
            length == bare.len() && !(is_word && value < 2.0)
        });
        if is_whole && UNITS.contains(&unit) {
            let at = at + word.len() - bare.len();
            found.push(Stands { at, line: 0, words: format!("{bare} {unit}") });
        }
        at += word.len() + 1;
    }
    found
}
