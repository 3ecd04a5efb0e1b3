//! What the name of a tool says: the verb that leads it decides, and every other word is looked at.

mod lists;

use std::collections::{BTreeMap, BTreeSet};

use self::lists::{
    CHANGES, CONJUNCTIONS, LANGUAGES, LIKE_VERBS, LOOKS, MESSAGES, NOUN_OR_CHANGES, NOUNS, PHRASAL,
    QUEUES, READS, RUNS, SECRET_PAIRS, SECRETS, THINGS, THINGS_OF_OTHERS, WORK,
};
use crate::words::words;

/// The most letters of a word that is an abbreviation: `db`, `kv`, and what digits leave of `k8s` and `ec2`.
const ABBREVIATION: usize = 2;
/// The fewest letters of a word whose ending is looked at.
const ENDING: usize = 6;
/// Different verbs behind the same first word make it the name of a family.
const VERBS_OF_A_FAMILY: usize = 2;
/// So many names with the same first words have a common prefix.
const NAMES_OF_A_FAMILY: usize = 3;

/// What a name says. Each has the word that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameReading {
    /// Its leading verb reads, and no other word may change something.
    Reads(String),
    /// It runs what one of its parameters carries.
    Runs(String),
    /// A word changes something.
    Changes(String),
    /// Only the language or the system of what its parameter takes, as in `graphql`.
    OfLanguage,
    /// Nothing; why.
    Unclear(String),
}

/// Words that stand before the verb in the names of one server's tools.
#[derive(Clone, Debug, Default)]
pub struct Family {
    prefixes: BTreeSet<String>,
    /// How many words all its names begin with.
    common: usize,
    /// Whether most of its names end with a verb, as in `group_list` and `group_delete`.
    ends_with_verb: bool,
}

impl Family {
    /// The family of a server's tools: by its id, by words that all names begin with, and by words that different verbs
    /// stand behind, or the same one in several names.
    pub fn of<'a>(server: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: Vec<Vec<String>> = names.into_iter().map(words).collect();
        let mut verbs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for name in &names {
            if let [first, second, ..] = name.as_slice()
                && is_verb(second)
            {
                verbs.entry(first).or_default().push(second);
            }
        }
        let nouns = verbs.into_iter().filter(|(_, verbs)| {
            let different: BTreeSet<&&str> = verbs.iter().collect();
            different.len() >= VERBS_OF_A_FAMILY || verbs.len() >= NAMES_OF_A_FAMILY
        });
        let prefixes = nouns.map(|(first, _)| first.to_owned()).chain(words(server));
        let common = if names.len() >= NAMES_OF_A_FAMILY { common_words(&names) } else { 0 };
        let prefixes = prefixes.filter(|word| !is_verb(word)).collect();
        Self { prefixes, common, ends_with_verb: most_end_with_verb(&names) }
    }

    fn is_prefix(&self, at: usize, word: &str) -> bool {
        at < self.common || self.prefixes.contains(word) || is_noun(word)
    }
}

/// How many words all names begin with, none of which is a verb.
fn common_words(names: &[Vec<String>]) -> usize {
    let Some((first, others)) = names.split_first() else { return 0 };
    let is_common = |(at, word): &(usize, &String)| {
        !is_verb(word) && others.iter().all(|name| name.get(*at) == Some(*word))
    };
    first.iter().enumerate().take_while(is_common).count()
}

/// Whether most names end with a verb and begin with none.
fn most_end_with_verb(names: &[Vec<String>]) -> bool {
    let ends = |name: &&Vec<String>| match name.as_slice() {
        [first, .., last] => is_verb(last) && !READS.contains(first.as_str()) && !changes(first),
        _ => false,
    };
    let count = names.iter().filter(ends).count();
    count >= NAMES_OF_A_FAMILY && count * 2 > names.len()
}

pub fn read_name(name: &str, family: &Family) -> NameReading {
    let words = words(name);
    if let Some(word) = words.iter().find(|word| changes(word)) {
        return NameReading::Changes(word.clone());
    }
    let is_language = |word: &String| LANGUAGES.contains(&word.as_str());
    if !words.is_empty() && words.iter().all(is_language) {
        return NameReading::OfLanguage;
    }
    if family.ends_with_verb
        && let [things @ .., last] = words.as_slice()
        && READS.contains(last.as_str())
        && !things.iter().any(|word| RUNS.contains(word.as_str()) || looks_like_verb(word))
    {
        return doubt(things, last, &[]).unwrap_or_else(|| NameReading::Reads(last.clone()));
    }
    if let Some(read) = read_of_thing(&words) {
        return NameReading::Reads(read.to_owned());
    }
    let leads =
        |(at, word): (usize, &String)| READS.contains(word.as_str()) || !family.is_prefix(at, word);
    let at = words.iter().enumerate().position(leads).unwrap_or(words.len());
    let (before, rest) = words.split_at(at);
    let Some((verb, rest)) = rest.split_first() else {
        return NameReading::Unclear("its name has no verb".to_owned());
    };
    match verb.as_str() {
        reads if READS.contains(reads) => {
            doubt(before, verb, rest).unwrap_or_else(|| NameReading::Reads(verb.clone()))
        }
        runs if RUNS.contains(runs) => {
            objects(rest).unwrap_or_else(|| NameReading::Runs(verb.clone()))
        }
        // `pods_log`: a thing of the one before it.
        thing if !before.is_empty() && THINGS_OF_OTHERS.contains(&thing) => {
            NameReading::Unclear(format!("its name has the word '{verb}', which may be a verb"))
        }
        changes if NOUN_OR_CHANGES.contains(changes) => NameReading::Changes(verb.clone()),
        _ => NameReading::Unclear(format!("its name has the word '{verb}', which is not known")),
    }
}

/// Whether the value of a parameter that chooses an operation is one that reads: `GET`, `list_jobs`.
pub(crate) fn is_reading_operation(value: &str) -> bool {
    let is_name = value.chars().all(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '-'));
    let is_head = ["head", "options"].iter().any(|method| value.eq_ignore_ascii_case(method));
    is_head || is_name && matches!(read_name(value, &Family::default()), NameReading::Reads(_))
}

/// Whether a value names an operation at all: one of its words is a verb.
pub(crate) fn is_changing_operation(value: &str) -> bool {
    let words = words(value);
    let leads =
        words.first().is_some_and(|first| is_verb(first) && !READS.contains(first.as_str()));
    leads || words.iter().any(|word| changes(word))
}

/// Whether a word changes something wherever it stands.
pub(crate) fn changes(word: &str) -> bool {
    CHANGES.contains(word) || is_repeated(word)
}

/// `rerun`, `untag`: a verb that changes something, done again or undone.
fn is_repeated(word: &str) -> bool {
    let base = word.strip_prefix("re").or_else(|| word.strip_prefix("un"));
    let base = base.filter(|base| base.len() > ABBREVIATION && !NOUN_OR_CHANGES.contains(word));
    base.is_some_and(|base| {
        CHANGES.contains(base)
            || ["run", "sync", "try", "ship", "pin", "link", "tag", "archive", "route"]
                .contains(&base)
    })
}

fn is_verb(word: &str) -> bool {
    READS.contains(word)
        || RUNS.contains(word)
        || changes(word)
        || (NOUN_OR_CHANGES.contains(word) && !NOUNS.contains(word))
}

/// Whether a word is known as a noun: listed, a plural, or an abbreviation.
fn is_noun(word: &str) -> bool {
    NOUNS.contains(word) || is_plural(word) || word.chars().count() <= ABBREVIATION
}

/// Imperatives do not end in a single `s`.
fn is_plural(word: &str) -> bool {
    word.len() > ABBREVIATION && word.ends_with('s') && !word.ends_with("ss") && word != "focus"
}

/// `issue_read`, `release_get`: a thing that may be a verb elsewhere, and what is done with it at the end.
fn read_of_thing(words: &[String]) -> Option<&str> {
    let (last, things) = words.split_last()?;
    let is_thing = |word: &String| THINGS.contains(&word.as_str());
    let is_read = ["describe", "get", "read", "show"].contains(&last.as_str());
    let are_things = things.iter().all(|word| is_thing(word) || is_noun(word));
    (is_read && are_things && !things.is_empty()).then_some(last)
}

/// Why a name whose verb reads does not say so.
fn doubt(before: &[String], verb: &str, rest: &[String]) -> Option<NameReading> {
    let particle = rest.first().map(String::as_str).unwrap_or_default();
    if PHRASAL.iter().any(|(known, particles)| *known == verb && particles.contains(&particle)) {
        return Some(NameReading::Changes(format!("{verb} {particle}")));
    }
    if verb == "fetch" && rest.is_empty() {
        return Some(NameReading::Unclear("its name does not say what it fetches".to_owned()));
    }
    let has =
        |words: &[String], known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let of_a_queue = has(before, &QUEUES) || has(rest, &QUEUES);
    let is_taken = (of_a_queue && has(rest, &MESSAGES))
        || (has(rest, &["next"]) && (has(rest, &MESSAGES) || has(rest, &WORK)));
    if is_taken && !LOOKS.contains(&verb) {
        return Some(NameReading::Unclear("what is read from a queue may leave it".to_owned()));
    }
    objects(rest)
}

/// Why words behind a verb may be another verb; none if all are things.
fn objects(rest: &[String]) -> Option<NameReading> {
    for (at, word) in rest.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| rest.get(at)).map(String::as_str);
        if ["eval", "evaluate", "exec", "execute"].contains(&word.as_str()) {
            return Some(NameReading::Changes(word.clone()));
        }
        let is_joined = before.is_some_and(|before| CONJUNCTIONS.contains(&before));
        if is_joined && NOUN_OR_CHANGES.contains(word.as_str()) && !NOUNS.contains(word.as_str()) {
            return Some(NameReading::Changes(word.clone()));
        }
        if is_joined && !READS.contains(word.as_str()) && !is_noun(word) {
            let why = format!("its name has the word '{word}', which may be a verb");
            return Some(NameReading::Unclear(why));
        }
        if looks_like_verb(word) {
            let why = format!("its name has the word '{word}', which looks like a verb");
            return Some(NameReading::Unclear(why));
        }
    }
    None
}

/// Whether an unknown word has the ending of a verb.
fn looks_like_verb(word: &str) -> bool {
    word.len() >= ENDING
        && ["ate", "ify", "ize"].iter().any(|ending| word.ends_with(ending))
        && !READS.contains(word)
        && !NOUNS.contains(word)
        && !LIKE_VERBS.contains(word)
        && !NOUN_OR_CHANGES.contains(word)
}

/// The word of a name that says that its tool returns secrets; none for tools that only take or remove them.
pub fn secret_word(name: &str) -> Option<String> {
    let words = words(name);
    let is_taken = [
        "count", "delete", "remove", "revoke", "disable", "set", "put", "update", "validate",
        "verify",
    ];
    if words.iter().any(|word| is_taken.contains(&word.as_str())) {
        return None;
    }
    let pair = words
        .array_windows()
        .find(|[first, second]| SECRET_PAIRS.contains(&(first.as_str(), second.as_str())));
    let word = words.iter().enumerate().find(|(at, word)| {
        // Models count tokens, too.
        let is_counted = word.starts_with("token")
            && words.get(at + 1).is_some_and(|next| {
                ["usage", "count", "counts", "limit", "limits"].contains(&next.as_str())
            });
        SECRETS.contains(&word.as_str()) && !is_counted
    });
    pair.map(|[first, second]| format!("{first} {second}"))
        .or_else(|| word.map(|(_, word)| word.clone()))
}

#[cfg(test)]
mod tests;
