//! Numbers in documents, compared with the constants that decide them, so that a statement stays true when a constant changes.

mod complete;
mod expression;
mod text;

use std::path::Path;

use anyhow::Context as _;

use expression::constant;
use text::{Found, Pattern, Text, unit};

/// One line for each number; its beginning says how.
const TABLE: &str = include_str!("../numbers.txt");
/// What is dated is not compared.
const DECISIONS: &str = "docs/adr/";
/// The source of a number that no constant decides.
const NO_SOURCE: &str = "-";

/// A line of the table.
#[derive(Debug)]
struct Entry {
    /// Of the table.
    line: usize,
    document: String,
    stated: Stated,
    source: String,
    decided: Place,
}

/// What a document says.
#[derive(Debug)]
enum Stated {
    Number(Pattern),
    /// Numbers that no constant decides.
    Exempt(String),
}

/// Where the source has the number.
#[derive(Debug)]
enum Place {
    /// Nowhere.
    Unknown,
    Constant { name: String, unit: f64 },
    Text(Pattern),
}

/// How many numbers are compared, and what differs.
pub(crate) fn problems(root: &Path) -> anyhow::Result<(usize, Vec<String>)> {
    let read = |file: &str| Ok(std::fs::read_to_string(root.join(file))?);
    let (compared, mut problems) = compare(TABLE, &read)?;
    problems.extend(complete::problems(&entries(TABLE)?, &complete::documents(root)?, &read)?);
    Ok((compared, problems))
}

type Read<'r> = &'r dyn Fn(&str) -> anyhow::Result<String>;

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

fn entries(table: &str) -> anyhow::Result<Vec<Entry>> {
    let lines =
        table.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(at, line)| entry(at + 1, line)).collect()
}

fn entry(line: usize, text: &str) -> anyhow::Result<Entry> {
    let parts: Vec<String> = text.split(" | ").map(|part| part.replace("\\|", "|")).collect();
    let [document, stated, source, decided] = parts.as_slice() else {
        anyhow::bail!("xtask/numbers.txt:{line} has {} parts instead of 4", parts.len());
    };
    anyhow::ensure!(
        !document.starts_with(DECISIONS),
        "xtask/numbers.txt:{line} names a decision, which says what was decided on a day"
    );
    let place = format!("xtask/numbers.txt:{line}");
    let (stated, decided) = if source == NO_SOURCE {
        (Stated::Exempt(stated.clone()), Place::Unknown)
    } else {
        let number = Pattern::parse(stated).context(place.clone())?;
        (Stated::Number(number), Place::parse(decided).context(place)?)
    };
    Ok(Entry { line, document: document.clone(), stated, source: source.clone(), decided })
}

impl Place {
    /// `NAME`, `NAME {unit}`, or a text.
    fn parse(text: &str) -> anyhow::Result<Self> {
        let (name, rest) = text.split_once(' ').unwrap_or((text, "{}"));
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        match rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(of) if is_name => Ok(Self::Constant { name: name.to_owned(), unit: unit(of)? }),
            _ => Ok(Self::Text(Pattern::parse(text)?)),
        }
    }
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
        let is_there = text == complete::WHOLE || Text::new(&document).as_str().contains(text);
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
