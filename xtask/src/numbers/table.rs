//! The table of numbers: what documents say, and where the sources decide it.

use anyhow::Context as _;

use super::text::{Pattern, unit};

/// What exempts a whole document.
pub(super) const WHOLE: &str = "*";
/// What is dated is not compared.
pub(super) const DECISIONS: &str = "docs/adr/";
/// The source of a number that no constant decides.
const NO_SOURCE: &str = "-";

/// A line of the table.
#[derive(Debug)]
pub(super) struct Entry {
    /// Of the table.
    pub(super) line: usize,
    pub(super) document: String,
    pub(super) stated: Stated,
    pub(super) source: String,
    pub(super) decided: Place,
}

/// What a document says.
#[derive(Debug)]
pub(super) enum Stated {
    Number(Pattern),
    /// Numbers that no constant decides.
    Exempt(String),
}

/// Where the source has the number.
#[derive(Debug)]
pub(super) enum Place {
    /// Nowhere.
    Unknown,
    Constant {
        name: String,
        unit: f64,
    },
    Text(Pattern),
}

pub(super) type Read<'r> = &'r dyn Fn(&str) -> anyhow::Result<String>;

pub(super) fn entries(table: &str) -> anyhow::Result<Vec<Entry>> {
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
