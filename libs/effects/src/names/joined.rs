//! Verbs that change something, written as one word with another, or in another form.

use super::lists::{CHANGES, LIKE_VERBS, NOUN_OR_CHANGES, NOUNS, READS, RUNS};

/// The fewest letters of a word that may be two.
const JOINED: usize = 7;
/// The fewest letters of a verb at the beginning of such a word, and at its end.
const FIRST: usize = 3;
const LAST: usize = 5;
/// What a verb is joined with, beside things.
const OBJECTS: [&str; 8] = ["all", "any", "every", "everything", "it", "me", "now", "them"];
/// How it is done, before such a verb.
const HOW: [&str; 8] = ["auto", "batch", "bulk", "force", "full", "hard", "mass", "soft"];
/// Endings of a verb in another form.
const ENDINGS: [&str; 4] = ["es", "ed", "ing", "s"];

/// `deleteall`, `dropdatabase`, `podsanddelete`: a verb that changes something, without a sign between it and the next word.
pub(super) fn hides_change(word: &str) -> bool {
    let lists = [&READS, &RUNS, &CHANGES, &NOUN_OR_CHANGES, &NOUNS, &LIKE_VERBS];
    if word.len() < JOINED || lists.iter().any(|list| list.contains(word)) {
        return false;
    }
    (FIRST..word.len()).any(|at| {
        let Some((first, last)) = word.split_at_checked(at) else { return false };
        (CHANGES.contains(first) && is_object(last))
            || (last.len() >= LAST
                && CHANGES.contains(last)
                && (HOW.contains(&first) || is_thing(first)))
    })
}

fn is_object(text: &str) -> bool {
    OBJECTS.contains(&text) || text.starts_with("and") || text.starts_with("all") || is_thing(text)
}

/// Whether a text is a thing, or several, with or without a conjunction behind it.
fn is_thing(text: &str) -> bool {
    let text = text.strip_suffix("and").or_else(|| text.strip_suffix("or")).unwrap_or(text);
    let one = text.strip_suffix('s').unwrap_or(text);
    let is_verb = READS.contains(text);
    text.len() > 2 && (is_verb || NOUNS.contains(text) || NOUNS.contains(one))
}

/// `deletes`, `removing`: a form of a verb that changes something.
pub(super) fn is_inflected_change(word: &str) -> bool {
    let has_base =
        |base: &str| CHANGES.contains(base) || CHANGES.contains(format!("{base}e").as_str());
    ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending)).any(has_base)
}

/// `deletes`: such a verb where a plural might stand.
pub(super) fn is_third_person(word: &str) -> bool {
    let bases = [word.strip_suffix('s'), word.strip_suffix("es")];
    bases.into_iter().flatten().any(|base| CHANGES.contains(base))
}
