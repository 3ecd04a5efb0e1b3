//! The programs of `commands.rules`.

use std::collections::BTreeMap;

use crate::error::Error;

/// The programs, as they are written.
const RULES: &str = include_str!("../../commands.rules");

/// A program that takes a password by an option or by its place.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Its name, with the subcommand.
    pub(crate) name: String,
    pub(crate) rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) form: Form,
    pub(crate) options: Vec<&'static str>,
    /// Whether it concerns only commands with a word that begins with a dash.
    pub(crate) needs_option: bool,
}

/// Where the password stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Next,
    Joined,
    Both,
    Pair,
    Percent,
    Comma,
    Scheme,
    Slash,
    Cookies,
    Assigned,
    After(usize),
    Last,
    Beside,
    At(usize),
}

impl Form {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "next" => Self::Next,
            "joined" => Self::Joined,
            "both" => Self::Both,
            "pair" => Self::Pair,
            "percent" => Self::Percent,
            "comma" => Self::Comma,
            "scheme" => Self::Scheme,
            "slash" => Self::Slash,
            "cookies" => Self::Cookies,
            "assigned" => Self::Assigned,
            "last" => Self::Last,
            "beside" => Self::Beside,
            other => match other.strip_prefix("at:") {
                Some(place) => Self::At(place.parse().ok()?),
                None => Self::After(other.strip_prefix("after:")?.parse().ok()?),
            },
        })
    }
}

/// Reads the programs; each once, with all of its rules.
pub(crate) fn programs() -> Result<Vec<Program>, Error> {
    let mut programs: BTreeMap<String, Vec<Rule>> = BTreeMap::new();
    for line in RULES.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (names, rule) = rule(line).ok_or(Error::BadRule { line })?;
        for name in names.split(',') {
            programs.entry(name.replace('+', " ")).or_default().push(rule.clone());
        }
    }
    Ok(programs.into_iter().map(|(name, rules)| Program { name, rules }).collect())
}

fn rule(line: &'static str) -> Option<(&'static str, Rule)> {
    let mut words = line.split_ascii_whitespace();
    let names = words.next()?;
    let form = Form::named(words.next()?)?;
    let options: Vec<&'static str> = words.collect();
    // `-` stands for any word.
    let dashed = options != ["-"] && options.iter().all(|option| option.starts_with('-'));
    let needs_option = dashed && !matches!(form, Form::Slash | Form::Beside | Form::At(_));
    (!options.is_empty()).then_some((names, Rule { form, options, needs_option }))
}
