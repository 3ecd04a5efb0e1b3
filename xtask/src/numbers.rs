//! Numbers in documents, compared with the constants that decide them, so that a statement stays true when a constant changes.

mod complete;
mod expression;
mod table;
mod text;

use std::path::Path;

use anyhow::Context as _;

use expression::constant;
use table::{Entry, Place, Read, Stated, WHOLE, entries};
use text::{Found, Pattern, Text};

/// One line for each number; its beginning says how.
const TABLE: &str = include_str!("../numbers.txt");
/// How many numbers are compared, and what differs.
pub(crate) fn problems(root: &Path) -> anyhow::Result<(usize, Vec<String>)> {
    let read = |file: &str| Ok(std::fs::read_to_string(root.join(file))?);
    let (compared, mut problems) = compare(TABLE, &read)?;
    problems.extend(complete::problems(&entries(TABLE)?, &complete::documents(root)?, &read)?);
    Ok((compared, problems))
}

fn compare(table: &str, read: Read<'_>) -> anyhow::Result<(usize, Vec<String>)> {
    let entries = entries(table)?;
    let mut problems = Vec::new();
    for entry in &entries {
        let found = entry.compare(read);
        let note = |problem| format!("{problem} (xtask/numbers.txt:{})", entry.line);
        problems
            .extend(found.unwrap_or_else(|error| vec![format!("{error:#}")]).into_iter().map(note));
    }
    Ok((entries.len(), problems))
}

impl Entry {
    fn compare(&self, read: Read<'_>) -> anyhow::Result<Vec<String>> {
        let pattern = match &self.stated {
            Stated::Number(pattern) => pattern,
            Stated::Exempt(text) => return self.check_exempt(text, read),
        };
        let stated = find(&self.document, pattern, read)?;
        let decided = match &self.decided {
            Place::Unknown => Vec::new(),
            Place::Text(pattern) => find(&self.source, pattern, read)?,
            Place::Constant { name, unit } => {
                let text =
                    read(&self.source).with_context(|| format!("cannot read {}", self.source))?;
                let (value, line) = constant(&text, name)
                    .with_context(|| format!("{} does not define {name}", self.source))?;
                vec![Found { value: value * unit, line, at: 0 }]
            }
        };
        let pairs =
            stated.iter().flat_map(|stated| decided.iter().map(move |decided| (stated, decided)));
        let differ = pairs.filter(|(stated, decided)| !is_same(stated.value, decided.value));
        Ok(differ
            .map(|(stated, decided)| {
                let scale = pattern.unit();
                format!(
                    "{}:{}: found {} in \"{}\", expected {}: {}:{}",
                    self.document,
                    stated.line,
                    stated.value / scale,
                    pattern,
                    decided.value / scale,
                    self.source,
                    decided.line
                )
            })
            .collect())
    }
}

impl Entry {
    fn check_exempt(&self, text: &str, read: Read<'_>) -> anyhow::Result<Vec<String>> {
        let file = &self.document;
        let document = read(file).with_context(|| format!("cannot read {file}"))?;
        let is_there = text == WHOLE || Text::new(&document).as_str().contains(text);
        let missing = (!is_there).then(|| format!("{file}: \"{text}\" is not there"));
        Ok(missing.into_iter().collect())
    }
}

fn find(file: &str, pattern: &Pattern, read: Read<'_>) -> anyhow::Result<Vec<Found>> {
    let text = read(file).with_context(|| format!("cannot read {file}"))?;
    let found = pattern.find(&Text::new(&text));
    anyhow::ensure!(!found.is_empty(), "{file}: \"{pattern}\" is not there");
    Ok(found)
}

/// Both are sums and products of few numbers.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

#[cfg(test)]
mod tests;
