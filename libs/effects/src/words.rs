//! The words of names.

use std::collections::HashSet;

/// The words of a name in snake, kebab, dotted or camel case, in lower case.
pub(crate) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, letter) in letters.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at)).copied();
        let after = letters.get(at + 1).copied();
        let starts_word = letter.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                || (before.is_some_and(char::is_uppercase)
                    && after.is_some_and(char::is_lowercase)));
        if !letter.is_alphabetic() || starts_word {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphabetic()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The runs of capitals in a name, each with the letters behind it, in lower case: of `getANDdelete` they are `and` and
/// `delete`, where `words` sees `an ddelete`.
pub(crate) fn capitals(name: &str) -> Vec<(String, String)> {
    let mut runs: Vec<(String, String)> = Vec::new();
    let mut rest = name;
    while let Some(start) = rest.find(char::is_uppercase) {
        let run = rest.split_at(start).1;
        let end = run.find(|sign: char| !sign.is_uppercase()).unwrap_or(run.len());
        let (capitals, behind) = run.split_at(end);
        let next = behind.split(|sign: char| !sign.is_lowercase()).next().unwrap_or_default();
        runs.push((capitals.to_lowercase(), next.to_owned()));
        rest = behind;
    }
    runs
}

/// The words of a text as they stand there, and their parts: `PromQL` is `promql`, `prom` and `ql`.
pub(crate) fn words_and_parts(text: &str) -> Vec<String> {
    let whole = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    whole.map(str::to_lowercase).chain(words(text)).collect()
}

/// The first of these words that a name has.
pub fn find_word(name: &str, known: &'static str) -> Option<&'static str> {
    let words = words(name);
    known.split_whitespace().find(|known| words.iter().any(|word| word == known))
}

/// Whether the last word of a name is one of these.
pub fn ends_with_word(name: &str, known: &str) -> bool {
    words(name).last().is_some_and(|last| known.split_whitespace().any(|known| known == last))
}

pub(crate) fn set(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_divided_into_words() {
        for (name, expected) in [
            ("pods_list", "pods list"),
            ("getPodLogs", "get pod logs"),
            ("HTTPGet", "http get"),
            ("delete-all.pods2now", "delete all pods now"),
            ("K8sApply", "k s apply"),
            ("", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn capitals_are_words_with_what_stands_behind_them() {
        let run = |run: &str, behind: &str| (run.to_owned(), behind.to_owned());
        assert_eq!(capitals("getDELETEpod"), [run("delete", "pod")]);
        assert_eq!(capitals("aBOTHandC2d"), [run("both", "and"), run("c", "")]);
        assert!(capitals("pods_list").is_empty());
    }

    #[test]
    fn a_word_is_found_wherever_it_stands_and_the_last_one_where_it_ends() {
        assert_eq!(find_word("httpGetStatus", "get http"), Some("get"));
        assert_eq!(find_word("gettext", "get text"), None);
        assert!(ends_with_word("targetHost", "url host"));
        assert!(!ends_with_word("host_count", "host"));
    }
}
