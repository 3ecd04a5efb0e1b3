//! What the name of a tool says: the verb that leads it decides, and every other word is looked at.

mod joined;
mod lists;
mod secrets;

use std::collections::{BTreeMap, BTreeSet};

use self::joined::{hides_change, is_inflected_change, is_third_person};
use self::lists::{
    CHANGES, COMPOUNDS, CONJUNCTIONS, LANGUAGES, LIKE_VERBS, LOOKS, MESSAGES, NOUN_OR_CHANGES,
    NOUNS, PHRASAL, QUEUES, READS, RUNS, THINGS, THINGS_OF_OTHERS, WORK,
};
pub use self::secrets::secret_word;
use crate::words::{capitals, words};

/// The most letters of a word that is an abbreviation: `db`, `kv`, and what digits leave of `k8s` and `ec2`.
const ABBREVIATION: usize = 2;
/// The fewest letters of a word whose ending is looked at.
const ENDING: usize = 6;
/// Different verbs behind the same first word make it the name of a family.
const VERBS_OF_A_FAMILY: usize = 2;
/// So many names with the same first words have a common prefix.
const NAMES_OF_A_FAMILY: usize = 3;
/// So many names have their verb behind the first word where that is the name of a set of tools.
const NAMES_OF_SETS: usize = 4;

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
    /// Whether most of its names begin with the name of a set, as in `wiki_get_page` and `repo_list_branches`.
    begins_with_set: bool,
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
        let nouns = verbs.into_iter().filter(|(first, verbs)| {
            let different: BTreeSet<&&str> = verbs.iter().collect();
            let reading = different.iter().filter(|verb| READS.contains(**verb)).count();
            if is_verb(first) {
                // `release_get` and `release_list`: a thing here, whatever it is elsewhere.
                !acts(first) && reading >= VERBS_OF_A_FAMILY
            } else {
                different.len() >= VERBS_OF_A_FAMILY || verbs.len() >= NAMES_OF_A_FAMILY
            }
        });
        let of_server = words(server).into_iter().filter(|word| !is_verb(word));
        let prefixes = nouns.map(|(first, _)| first.to_owned()).chain(of_server).collect();
        let common = if names.len() >= NAMES_OF_A_FAMILY { common_words(&names) } else { 0 };
        let (ends_with_verb, begins_with_set) =
            (most_end_with_verb(&names), most_begin_with_set(&names));
        Self { prefixes, common, ends_with_verb, begins_with_set }
    }

    /// Whether a word of a name is none that says what the tool does, but stands before that.
    fn is_prefix(&self, words: &[String], at: usize) -> bool {
        let Some(word) = words.get(at) else { return false };
        let is_set = || {
            let next = words.get(1).is_some_and(|next| READS.contains(next.as_str()));
            at == 0 && self.begins_with_set && next && !acts(word)
        };
        at < self.common || self.prefixes.contains(word) || is_noun(word) || is_set()
    }
}

/// Whether a word is a verb and nothing else.
fn acts(word: &str) -> bool {
    READS.contains(word) || RUNS.contains(word) || changes(word)
}

/// Whether most names have a verb behind a first word that is none.
fn most_begin_with_set(names: &[Vec<String>]) -> bool {
    let is_set = |name: &&Vec<String>| match name.as_slice() {
        [first, second, ..] => !acts(first) && (READS.contains(second.as_str()) || changes(second)),
        _ => false,
    };
    let count = names.iter().filter(is_set).count();
    count >= NAMES_OF_SETS && count * 2 > names.len()
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
    if let Some(word) = changing_word(name, &words) {
        return NameReading::Changes(word);
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
    if let Some((things, verb, rest)) = read_of_thing(&words) {
        return doubt(things, verb, rest).unwrap_or_else(|| NameReading::Reads(verb.to_owned()));
    }
    let leads = |(at, word): (usize, &String)| {
        READS.contains(word.as_str()) || !family.is_prefix(&words, at)
    };
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

/// The word of a name that changes something, whether or not capitals divide it from the next: `getDELETEpod`.
fn changing_word(name: &str, words: &[String]) -> Option<String> {
    let is_compound = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before
            .zip(words.get(at))
            .is_some_and(|(before, word)| COMPOUNDS.contains(&(before.as_str(), word.as_str())))
    };
    let changing = words.iter().enumerate().find(|(at, word)| changes(word) && !is_compound(*at));
    let changing = changing.map(|(_, word)| word.clone());
    changing.or_else(|| {
        capitals(name).into_iter().find_map(|(run, behind)| {
            let is_joined = CONJUNCTIONS.contains(&run.as_str()) && changes(&behind);
            if changes(&run) { Some(run) } else { is_joined.then_some(behind) }
        })
    })
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

/// Whether the first word of a value changes something wherever it stands.
pub(crate) fn leads_change(value: &str) -> bool {
    words(value).first().is_some_and(|first| changes(first))
}

/// Whether a word is known at all, as a verb or as a thing.
pub(crate) fn is_known(word: &str) -> bool {
    is_noun(word) || acts(word) || NOUN_OR_CHANGES.contains(word)
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
pub(crate) fn is_noun(word: &str) -> bool {
    let is_short = word.chars().count() <= ABBREVIATION && !CONJUNCTIONS.contains(&word);
    NOUNS.contains(word) || is_plural(word) || is_short
}

/// Imperatives do not end in a single `s`.
fn is_plural(word: &str) -> bool {
    word.len() > ABBREVIATION && word.ends_with('s') && !word.ends_with("ss") && word != "focus"
}

/// `issue_read`, `release_get_definitions`, `feature_flag_get_all`: a thing that may be a verb elsewhere, and what is done with
/// it. Behind several such words it is the end of the name: `build_image_get_digest` builds.
fn read_of_thing(words: &[String]) -> Option<(&[String], &str, &[String])> {
    let is_get = |word: &String| ["describe", "get"].contains(&word.as_str());
    let is_read = |word: &String| is_get(word) || ["read", "show"].contains(&word.as_str());
    let last = words.len().checked_sub(1)?;
    let is_last = || words.get(last).is_some_and(is_read).then_some(last);
    let at = words.iter().position(is_get).or_else(is_last)?;
    let (things, [verb, rest @ ..]) = words.split_at_checked(at)? else { return None };
    let is_thing = |word: &String| {
        let known = word.as_str();
        let is_either = NOUN_OR_CHANGES.contains(known) && !RUNS.contains(known);
        THINGS.contains(&known) || (is_get(verb) && is_either)
    };
    let are_things = things.iter().all(|word| is_thing(word) || is_noun(word));
    let ends = rest.first().is_none_or(|next| ["all", "by", "one"].contains(&next.as_str()));
    (are_things && !things.is_empty() && (ends || things.len() == 1))
        .then_some((things, verb, rest))
}

/// Why a name whose verb reads does not say so.
fn doubt(before: &[String], verb: &str, rest: &[String]) -> Option<NameReading> {
    let particle = rest.first().map(String::as_str).unwrap_or_default();
    if PHRASAL.iter().any(|(known, particles)| *known == verb && particles.contains(&particle)) {
        return Some(NameReading::Changes(format!("{verb} {particle}")));
    }
    if let Some(first) = before.first().filter(|first| is_third_person(first)) {
        return Some(NameReading::Unclear(format!("its first word '{first}' may be a verb")));
    }
    if let Some(word) = before.iter().find(|word| hides_change(word)) {
        return Some(NameReading::Unclear(format!(
            "its name has the word '{word}', which may be two"
        )));
    }
    if rest.iter().any(|word| word == "into") {
        return Some(NameReading::Unclear("what it reads goes into something".to_owned()));
    }
    if verb == "fetch" && rest.is_empty() {
        return Some(NameReading::Unclear("its name does not say what it fetches".to_owned()));
    }
    let has =
        |words: &[String], known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let of_a_queue = has(before, &QUEUES) || has(rest, &QUEUES);
    let is_queue = |word: &String| QUEUES.contains(&word.as_str());
    let is_taken = (of_a_queue && has(rest, &MESSAGES))
        || (of_a_queue && ["fetch", "read"].contains(&verb) && rest.iter().all(is_queue))
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
        // `list_by_repo_or_project`: what it is found by.
        let by = rest.get(..at).is_some_and(|before| before.iter().any(|word| word == "by"));
        if before == Some("or") && by {
            continue;
        }
        if is_joined && is_inflected_change(word) {
            let why = format!("its name has the word '{word}', which may be a verb");
            return Some(NameReading::Unclear(why));
        }
        if hides_change(word) {
            let why = format!("its name has the word '{word}', which may be two");
            return Some(NameReading::Unclear(why));
        }
        if is_joined && NOUN_OR_CHANGES.contains(word.as_str()) {
            if !NOUNS.contains(word.as_str()) {
                return Some(NameReading::Changes(word.clone()));
            }
            let why = format!("its name has the word '{word}', which may be a verb");
            return Some(NameReading::Unclear(why));
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

#[cfg(test)]
mod tests;
