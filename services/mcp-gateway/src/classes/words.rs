//! What the words of a tool's name say of it.

/// What a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// It changes something: this word says so.
    Writes(&'static str),
    /// It reads: this word says so, and no other says that it changes something.
    Reads(&'static str),
    Unclear,
}

/// Words of tools that change something, or run what a model writes.
const WRITES: &str = "\
    add annotate append apply approve assign attach ban block cancel change clean clear close commit \
    cordon create debug delete deploy destroy detach disable drain drop edit enable eval evict exec \
    execute failover flush force grant import insert install invoke kill label lock merge modify \
    move mutate overwrite patch pause post publish purge push put reboot recreate redeploy remove \
    rename replace reset restart restore resume revoke rollback rotate run save scale send set \
    shutdown silence start stop submit suspend sync taint terminate toggle transfer trigger truncate \
    uncordon undo uninstall unlock untaint update upgrade upload upsert wipe write shell command \
    script sudo";
/// Words of tools that read what their server knows. `fetch` and `browse` are not among them: they reach
/// addresses that a model chooses.
const READS: &str = "\
    analyze check compare count describe diff discover events explain find get health history info \
    inspect list log logs lookup metrics query read report retrieve search show stat stats status \
    summarize tail top version view";

/// Reads a name in snake, kebab, dotted or camel case. A word that says "writes" wins wherever it stands.
pub(super) fn read(name: &str) -> Reading {
    if let Some(word) = find(name, WRITES) {
        return Reading::Writes(word);
    }
    find(name, READS).map_or(Reading::Unclear, Reading::Reads)
}

/// The first of these words that a name has.
pub(super) fn find(name: &str, known: &'static str) -> Option<&'static str> {
    let words = words(name);
    known.split_whitespace().find(|known| words.iter().any(|word| word == known))
}

/// Whether the last word of a name is one of these.
pub(super) fn ends_with(name: &str, known: &str) -> bool {
    words(name).last().is_some_and(|last| known.split_whitespace().any(|known| known == last))
}

/// The words of a name, in lower case.
fn words(name: &str) -> Vec<String> {
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
    fn a_word_that_writes_wins_wherever_it_stands() {
        for name in
            ["pods_delete", "getAndDelete", "list-restart", "run_query", "read_write", "SCALE_UP"]
        {
            assert!(matches!(read(name), Reading::Writes(_)), "{name}");
        }
        for name in
            ["pods_list", "getPod", "query_range", "events", "search-issues", "listDeployments"]
        {
            assert!(matches!(read(name), Reading::Reads(_)), "{name}: {:?}", read(name));
        }
        for name in ["fetch", "pods", "disk_usage", "settings", "gettext", "restarts", ""] {
            assert_eq!(read(name), Reading::Unclear, "{name}");
        }
    }
}
