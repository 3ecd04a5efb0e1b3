//! Whether a result has a name or a quotation in another spelling, or shortened.

/// Words of a result that may be left out between two words of a quotation, or of a name.
const MOST_LEFT_OUT: usize = 14;
/// Places where a quotation may begin.
const MOST_BEGINNINGS: usize = 2_000;

/// The letters and digits of a text in small letters, in words.
#[derive(Default)]
pub(super) struct Spelling {
    text: String,
    /// Where each word begins and ends.
    words: Vec<(usize, usize)>,
}

impl Spelling {
    pub(super) fn new(text: &str) -> Self {
        let mut letters = Self::default();
        let mut is_inside = false;
        for c in text.chars() {
            if !c.is_alphanumeric() {
                is_inside = false;
                continue;
            }
            let start = letters.text.len();
            letters.text.extend(c.to_lowercase());
            match letters.words.last_mut().filter(|_| is_inside) {
                Some(last) => last.1 = letters.text.len(),
                None => letters.words.push((start, letters.text.len())),
            }
            is_inside = true;
        }
        letters
    }

    fn word(&self, at: usize) -> Option<&str> {
        self.words.get(at).and_then(|(from, to)| self.text.get(*from..*to))
    }
}

/// Whether a result has the letters and digits of a name, or its parts in order: `web-x2k8p` of `web-7f9c5d-x2k8p`.
pub(super) fn has_name(known: &Spelling, name: &str) -> bool {
    let name = Spelling::new(name);
    name.text.is_empty() || known.text.contains(&name.text) || follows(known, &name)
}

/// Whether a result has the words of a quotation in order, with some left out between them.
pub(super) fn has_words(known: &Spelling, quotation: &str) -> bool {
    let quotation = Spelling::new(quotation);
    quotation.words.is_empty() || follows(known, &quotation)
}

fn follows(text: &Spelling, wanted: &Spelling) -> bool {
    let first = wanted.word(0);
    let begins = (0..text.words.len()).filter(|at| text.word(*at) == first);
    begins.take(MOST_BEGINNINGS).any(|begin| {
        let mut at = begin;
        (1..wanted.words.len()).all(|next| {
            let word = wanted.word(next);
            let found = (at + 1..=at + 1 + MOST_LEFT_OUT).find(|at| text.word(*at) == word);
            at = found.unwrap_or(at);
            found.is_some()
        })
    })
}
