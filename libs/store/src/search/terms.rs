//! What a person typed, as the words of an index. The function `search_words` of the migrations splits texts alike.

use std::ops::RangeInclusive;

/// What separates words: control characters and blanks, punctuation but [`JOINTS`], arrows, lines of tables. The regular
/// expression in `search_words` has the same ranges.
const SEPARATORS: [RangeInclusive<char>; 19] = [
    '\0'..=',',
    '/'..='/',
    ':'..='@',
    '['..='^',
    '`'..='`',
    '{'..='\u{a1}',
    '\u{ab}'..='\u{ab}',
    '\u{b7}'..='\u{b7}',
    '\u{bb}'..='\u{bb}',
    '\u{bf}'..='\u{bf}',
    '\u{1680}'..='\u{1680}',
    '\u{2000}'..='\u{206f}',
    '\u{2190}'..='\u{21ff}',
    '\u{2500}'..='\u{25ff}',
    '\u{3000}'..='\u{3003}',
    '\u{3008}'..='\u{3011}',
    '\u{feff}'..='\u{feff}',
    '\u{ff01}'..='\u{ff0c}',
    '\u{ff1a}'..='\u{ff20}',
];
/// What joins the parts of a name.
const JOINTS: [char; 3] = ['.', '_', '-'];
/// The most words of a query that count; the parts of a name are words.
const MAX_WORDS: usize = 10;
/// The longest word of the index, in characters.
const MAX_WORD: usize = 100;
/// The last word is the beginning of one from so many characters on.
const MIN_PREFIX: usize = 3;

/// What all must occur in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Terms {
    /// Whole words of the index.
    pub(super) words: Vec<String>,
    /// The beginning of a word.
    pub(super) prefix: Option<String>,
    /// Names of several parts, which stand in the text as they are.
    pub(super) names: Vec<String>,
    /// The words as they were typed, in lower case, for highlights; the last one may be a beginning.
    pub(super) typed: Vec<String>,
}

impl Terms {
    pub(super) fn read(query: &str) -> Self {
        let is_separator = |letter: char| SEPARATORS.iter().any(|range| range.contains(&letter));
        let typed: Vec<String> = query
            .split(is_separator)
            .map(|token| token.trim_matches(JOINTS).to_lowercase())
            .filter(|token| !token.is_empty())
            .take(MAX_WORDS)
            .collect();
        let mut terms = Self::default();
        for token in &typed {
            terms.add(token);
        }
        terms.words.truncate(MAX_WORDS);
        if let Some(last) = terms.words.pop_if(|last| last.chars().count() >= MIN_PREFIX) {
            terms.prefix = Some(last);
        }
        terms.typed = typed;
        terms
    }

    fn add(&mut self, token: &str) {
        let parts = parts(token);
        if parts.len() > 1 {
            self.names.push(token.to_owned());
        }
        self.words.extend(parts.iter().map(|part| part.chars().take(MAX_WORD).collect::<String>()));
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.typed.is_empty()
    }

    /// As a `tsquery`; nothing in it needs an escape, because quotes and backslashes separate words.
    pub(super) fn tsquery(&self) -> String {
        let words = self.words.iter().map(|word| format!("'{word}'"));
        let prefix = self.prefix.iter().map(|prefix| format!("'{prefix}':*"));
        words.chain(prefix).collect::<Vec<_>>().join(" & ")
    }

    /// The same without the beginning of a word.
    pub(super) fn whole_words(&self) -> Self {
        Self { prefix: None, ..self.clone() }
    }
}

/// The words that joints separate. A dot between two digits belongs to its word, as in `10.0.3.7` and `v1.2.3`.
fn parts(token: &str) -> Vec<&str> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = token.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    for (place, joint) in token.match_indices(JOINTS) {
        let is_in_number = joint == "."
            && is_digit(bytes.get(place.wrapping_sub(1)))
            && is_digit(bytes.get(place + 1));
        if !is_in_number {
            parts.push(&token[start..place]);
            start = place + 1;
        }
    }
    parts.push(&token[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use tarsy_testkit::TestPg;

    use super::*;
    use crate::database::store::Store;

    #[tokio::test]
    async fn each_character_separates_words_in_texts_and_in_queries_or_in_neither() {
        let pg = TestPg::migrated().await.unwrap();
        let store = Store::connect(pg.url(), 1).await.unwrap();
        let letters: Vec<String> =
            ('\u{1}'..='\u{ffff}').map(|letter| format!("aa{letter}bb")).collect();
        let separated: Vec<bool> = sqlx::query_scalar(
            "select search_words(body) @@ $2::tsquery
             from unnest($1::text[]) with ordinality as texts (body, place) order by place",
        )
        .bind(&letters)
        .bind("aa & bb")
        .fetch_all(&store.pool)
        .await
        .unwrap();
        for (text, separated) in letters.iter().zip(separated) {
            let terms = Terms::read(text);
            let has_two = terms.words.len() + usize::from(terms.prefix.is_some()) == 2;
            assert_eq!(separated, has_two, "{text:?}");
        }
    }

    #[test]
    fn a_word_in_typographic_quotes_is_a_word() {
        let terms = Terms::read("“web-7f9”\u{a0}—\u{1b}[31mERR");
        assert_eq!(terms.typed, ["web-7f9", "31merr"]);
    }

    #[test]
    fn the_parts_of_a_name_are_words_and_the_last_one_may_be_a_beginning() {
        let terms = Terms::read("Pod checkout-7d9f-x2x");
        assert_eq!(terms.tsquery(), "'pod' & 'checkout' & '7d9f' & 'x2x':*");
        assert_eq!(terms.names, ["checkout-7d9f-x2x"]);
        assert_eq!(terms.typed, ["pod", "checkout-7d9f-x2x"]);
    }

    #[test]
    fn an_address_is_one_word_without_its_port() {
        assert_eq!(Terms::read("10.0.3.7:80").tsquery(), "'10.0.3.7' & '80'");
        assert_eq!(Terms::read("at 10.0.3.7.").tsquery(), "'at' & '10.0.3.7':*");
    }

    #[test]
    fn a_dot_between_digits_belongs_to_the_word() {
        let terms = Terms::read("redis-7.2.4 v1.30.2-eks.1 a.1 1.b");
        assert_eq!(terms.words, ["redis", "7.2.4", "v1.30.2", "eks", "1", "a", "1", "1", "b"]);
    }

    #[test]
    fn of_a_name_with_many_parts_the_first_ones_count() {
        let terms = Terms::read(&"x-".repeat(50_000));
        assert_eq!(terms.words.len() + usize::from(terms.prefix.is_some()), MAX_WORDS);
    }

    #[test]
    fn nothing_but_punctuation_is_no_word() {
        for text in ["", " - ", "' & | !()", "\0"] {
            assert!(Terms::read(text).is_empty(), "{text:?}");
        }
    }
}
