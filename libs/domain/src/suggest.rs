//! "Did you mean": the known name that is most like an unknown one.

/// A score from which a name counts as meant; 1 is the same name.
const THRESHOLD: f64 = 0.6;
/// The least score of a name that begins with the other one.
const PREFIX_SCORE: f64 = 0.75;
/// The least characters of a written name that counts as a prefix.
const PREFIX_LENGTH: usize = 3;

/// The known name that is most like `written`, whatever their case; `None` if none is alike.
///
/// ```
/// use tarsy_domain::suggest::nearest;
///
/// assert_eq!(nearest("pasword", ["password", "token"]), Some("password"));
/// assert_eq!(nearest("zzz", ["password", "token"]), None);
/// ```
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    known
        .into_iter()
        .map(|name| (score(&written, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= THRESHOLD)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

fn score(written: &str, known: &str) -> f64 {
    let mut score = strsim::normalized_damerau_levenshtein(written, known);
    // The beginning of a name counts more than its end.
    if known.chars().next() == written.chars().next() {
        score = score.max(strsim::jaro_winkler(written, known) - 0.2);
    }
    let is_prefix = written.chars().count() >= PREFIX_LENGTH
        && (known.starts_with(written) || written.starts_with(known));
    if is_prefix { score.max(PREFIX_SCORE) } else { score }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["kubernetes-server", "host", "heartbeat_interval", "max_tokens"];

    #[test]
    fn a_name_with_a_mistake_is_recognized_whatever_its_case() {
        assert_eq!(nearest("hots", KNOWN), Some("host"));
        assert_eq!(nearest("HOST", KNOWN), Some("host"));
        assert_eq!(nearest("heartbeat_intervall", KNOWN), Some("heartbeat_interval"));
    }

    #[test]
    fn the_beginning_of_a_name_is_enough_from_three_letters_on() {
        assert_eq!(nearest("kub", KNOWN), Some("kubernetes-server"));
        assert_eq!(nearest("k", KNOWN), None);
    }

    #[test]
    fn a_name_that_is_like_none_gets_no_suggestion() {
        assert_eq!(nearest("zzz", KNOWN), None);
        assert_eq!(nearest("", KNOWN), None);
        assert_eq!(nearest("host", []), None);
    }
}
