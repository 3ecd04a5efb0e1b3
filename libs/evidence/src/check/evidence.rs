//! The results of a session, indexed by the names in them.

use std::collections::{BTreeMap, HashMap};

use super::source::{Call, Source};
use crate::lexer::{TokenKind, lex};
use crate::moment::Moment;
use crate::quantity::Quantity;
use crate::reading::Reading;
use crate::words::stems;

/// The longest value that counts as a name of its object, in bytes.
const LONGEST_NAME: usize = 120;
/// Groups that one name leads to; a bound on memory.
const MOST_OF_NAME: usize = 2_000;

/// Names that are made of words; a bound on time, because a statement is compared with each.
const MOST_PHRASES: usize = 500;

/// Groups of one result whose names are read as words.
const MOST_GROUPS: usize = 5_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct GroupRef {
    pub(super) source: usize,
    pub(super) group: usize,
    /// Whether the name is the object's own, and not only one of its values.
    pub(super) bears: bool,
}

/// What a session starts from: in small letters, and the numbers and times in it.
pub(super) struct Given {
    pub(super) text: String,
    pub(super) numbers: Vec<Quantity>,
    pub(super) moments: Vec<Moment>,
}

impl Given {
    fn new(texts: &[&str]) -> Self {
        let text = texts.join("\n");
        let (mut numbers, mut moments) = (Vec::new(), Vec::new());
        for token in lex(&text) {
            match token.kind {
                TokenKind::Quantity(quantity) => numbers.push(quantity),
                TokenKind::Moment(moment) => moments.push(moment),
                TokenKind::Word => {}
            }
        }
        Self { text: text.to_lowercase(), numbers, moments }
    }
}

/// What a session's calls returned, and what it was given. Built once, and used for each of its texts.
pub struct Evidence {
    pub(super) sources: Vec<Source>,
    /// The alert, the question, the runbook.
    pub(super) given: Given,
    /// From names, in small letters, to the groups that bear or mention them.
    pub(super) names: BTreeMap<String, Vec<GroupRef>>,
    pub(super) by_number: HashMap<u32, usize>,
    /// The stems of names that are made of words, as `limits.memory`.
    pub(super) phrases: BTreeMap<String, Vec<String>>,
}

impl Evidence {
    /// `given` are the texts that a session starts from: what only repeats them needs no evidence.
    pub fn new(calls: &[Call<'_>], given: &[&str]) -> Self {
        let sources: Vec<Source> = calls.iter().map(Source::new).collect();
        let mut names: BTreeMap<String, Vec<GroupRef>> = BTreeMap::new();
        for (call, source) in sources.iter().enumerate() {
            index(source, call, &mut names);
        }
        let by_number =
            sources.iter().enumerate().map(|(index, source)| (source.number, index)).collect();
        let phrases = phrases(&sources);
        Self { sources, given: Given::new(given), names, by_number, phrases }
    }
}

/// Names of objects that are made of words: `limits.memory`, `DiskPressure`.
fn phrases(sources: &[Source]) -> BTreeMap<String, Vec<String>> {
    let is_phrase =
        |name: &str| !name.contains(|c: char| c.is_ascii_digit() || c == '/' || c.is_whitespace());
    let groups = sources.iter().flat_map(|source| source.groups.iter().take(MOST_GROUPS));
    let mut phrases = BTreeMap::new();
    for name in groups.flat_map(|group| group.object.parts()).filter(|name| is_phrase(name)) {
        let lower = name.to_lowercase();
        if name.len() > LONGEST_NAME || phrases.contains_key(&lower) {
            continue;
        }
        let words = stems(name);
        if words.len() > 1 && phrases.len() < MOST_PHRASES {
            phrases.insert(lower, words);
        }
    }
    phrases
}

/// Whether a reading is the number that its object goes by: a process, an operation.
fn is_id(reading: &Reading) -> bool {
    let text = &reading.value.text;
    text.len() > 3
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && reading.field.to_lowercase().ends_with("id")
}

fn index(source: &Source, call: usize, names: &mut BTreeMap<String, Vec<GroupRef>>) {
    for (group, members) in source.groups.iter().enumerate() {
        let own = members.object.parts();
        let values = source.members(group).iter().map(|reading| &*reading.value.text);
        let ids = source.members(group).iter().filter(|reading| is_id(reading));
        for reading in ids {
            let groups = names.entry(reading.value.text.to_string()).or_default();
            if groups.len() < MOST_OF_NAME {
                groups.push(GroupRef { source: call, group, bears: false });
            }
        }
        for (bears, name) in own.map(|part| (true, part)).chain(values.map(|value| (false, value)))
        {
            // `xz` of `xz -9 dump.sql`
            let name = if bears { name.split(' ').next().unwrap_or(name) } else { name };
            if name.len() > LONGEST_NAME
                || name.len() < 2
                    && name != "/"
                    && !(bears && name.as_bytes().iter().all(u8::is_ascii_digit))
                || name.contains(char::is_whitespace)
                || !bears && !name.contains(|c: char| c.is_alphabetic() || matches!(c, '.' | '/'))
            {
                continue;
            }
            let short =
                name.rsplit('/').next().filter(|short| short.len() < name.len() && short.len() > 2);
            // `10.0.0.1` of `https://10.0.0.1:2379`
            let host = short.unwrap_or(name).rsplit_once(':').filter(|(host, port)| {
                host.len() > 3 && port.bytes().all(|byte| byte.is_ascii_digit())
            });
            for name in std::iter::once(name).chain(short).chain(host.map(|host| host.0)) {
                let groups = names.entry(name.to_lowercase()).or_default();
                let reference = GroupRef { source: call, group, bears };
                if groups.len() < MOST_OF_NAME && groups.last() != Some(&reference) {
                    groups.push(reference);
                }
            }
        }
    }
}
