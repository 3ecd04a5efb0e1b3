//! A text that is shown while it is written: what may still become a secret is held back.
//!
//! Prose is given out up to its last word, or up to one that a secret may follow. A block of code, lines that look like settings, and keys are held until
//! they end, because what such a text hides may be known by its last line only.

use crate::error::Error;
use crate::kubernetes::Look;
use crate::masker::Masker;
use crate::part::{Covered, Part};

/// How far behind the end of prose a word is looked for that a secret may begin with, in bytes.
const TAIL: usize = 64;
/// Parts of words that secrets follow, in lower case.
const HINTS: [&str; 16] = [
    "pass", "pwd", "secret", "token", "key", "auth", "bearer", "basic", "cred", "login", "user",
    "cookie", "session", "sign", "private", "client",
];
/// How many bytes that were given out are looked at together with what follows them.
const BEHIND: usize = 16 << 10;
/// The most that is held back as a block; more of it is given out as prose is.
const MAX_HELD: usize = 256 << 10;
/// How often an edge is moved that a secret lies across.
const MAX_TRIES: usize = 8;
/// The longest name of a setting.
const MAX_KEY: usize = 64;

/// Masks a text that comes in chunks. What was given out is never taken back.
#[derive(Debug, Default)]
pub struct Live {
    text: String,
    /// How much of the text was given out already.
    given: usize,
    was_cut: bool,
}

impl Live {
    /// Takes the next chunk, and gives out what no longer becomes a secret.
    pub fn push(&mut self, masker: &Masker, chunk: &str) -> Result<String, Error> {
        self.text.push_str(chunk);
        let mut end = certain(&self.text, self.given);
        for _ in 0..MAX_TRIES {
            if end <= self.given {
                break;
            }
            let look = Look { is_whole: false, in_list: false };
            let mut part = Part::between(&self.text, self.given, end, look);
            let refused = masker.mask_part(&mut part).err();
            match (refused, part.covered.take()) {
                (None, _) => {
                    let clean = part.text.get(part.start..part.end).unwrap_or_default().to_owned();
                    self.move_on(end);
                    return Ok(clean);
                }
                // A secret goes on beyond what is certain.
                (Some(_), Some(Covered(Some(place)))) if place < end => {
                    end = self.text.floor_char_boundary(place);
                }
                (Some(_), Some(Covered(_))) => break,
                (Some(error), None) => return Err(error),
            }
        }
        Ok(String::new())
    }

    /// Gives out the rest, and is empty again.
    pub fn finish(&mut self, masker: &Masker) -> Result<String, Error> {
        let Self { text, given, was_cut } = std::mem::take(self);
        let look = Look { is_whole: !was_cut, in_list: false };
        let mut part = Part::between(&text, given, text.len(), look);
        masker.mask_part(&mut part)?;
        Ok(part.text.get(part.start..part.end).unwrap_or_default().to_owned())
    }

    /// Forgets what is too far behind, whole lines where there are some.
    fn move_on(&mut self, end: usize) {
        self.given = end;
        let place = self.text.floor_char_boundary(end.saturating_sub(BEHIND));
        if place == 0 {
            return;
        }
        let near = self.text.get(place..end).unwrap_or_default();
        let start = near.find('\n').map_or(place, |line| place + line + 1);
        self.text.drain(..start);
        self.given -= start;
        self.was_cut = true;
    }
}

/// The place before which nothing becomes a secret by what follows.
fn certain(text: &str, given: usize) -> usize {
    let pending = text.get(given..).unwrap_or_default();
    let words = given + held_words(pending);
    if pending.len() > MAX_HELD {
        return words;
    }
    words.min(given + open_block(pending))
}

/// Where the words begin that are held back: the last one, which may go on, and those from which a secret may follow.
fn held_words(pending: &str) -> usize {
    let last = pending.rfind(char::is_whitespace).map_or(0, |at| after(pending, at));
    let tail = pending.floor_char_boundary(pending.len().saturating_sub(TAIL));
    // The first of these words may be cut.
    let tail = pending.get(..tail).and_then(|before| before.rfind(char::is_whitespace));
    let tail = tail.map_or(0, |at| after(pending, at));
    let near = pending.get(tail..last).unwrap_or_default();
    let (mut at, mut numbers) = (tail, None);
    for word in near.split_inclusive(char::is_whitespace) {
        if names_secret(word) {
            return numbers.unwrap_or(at);
        }
        // Numbers in groups are one secret.
        let is_number = word.contains(|sign: char| sign.is_ascii_digit());
        numbers = if is_number { numbers.or(Some(at)) } else { None };
        at += word.len();
    }
    numbers.unwrap_or(last)
}

/// Whether what follows a word may be a secret.
fn names_secret(word: &str) -> bool {
    let lower = word.to_lowercase();
    HINTS.iter().any(|hint| lower.contains(hint))
}

/// The place behind a character.
fn after(text: &str, at: usize) -> usize {
    text.ceil_char_boundary(at + 1)
}

/// Where the block begins that has not ended; the length of the text if none is open.
fn open_block(text: &str) -> usize {
    let (mut fence, mut paragraph, mut is_structured, mut at) = (None, 0, false, 0);
    for line in text.split_inclusive('\n') {
        let shown = line.trim();
        if shown.starts_with("```") || shown.starts_with("~~~") {
            fence = if fence.is_some() { None } else { Some(at) };
            (paragraph, is_structured) = (at + line.len(), false);
        } else if fence.is_none() && shown.is_empty() {
            (paragraph, is_structured) = (at + line.len(), false);
        } else {
            is_structured |= looks_structured(shown);
        }
        at += line.len();
    }
    let key = text
        .rfind("-----BEGIN")
        .filter(|at| !text.get(*at..).unwrap_or_default().contains("-----END"));
    let block = is_structured.then_some(paragraph);
    [fence, block, key].into_iter().flatten().min().unwrap_or(text.len())
}

/// A setting, a list of them, JSON or markup.
fn looks_structured(line: &str) -> bool {
    let line = line.trim_start_matches("- ");
    if line.starts_with(['{', '}', '[', '<', '"', '\'']) {
        return true;
    }
    let name = line.find([':', '=']).and_then(|end| line.get(..end));
    let is_in_names = |sign: char| sign.is_alphanumeric() || "_.-/".contains(sign);
    name.is_some_and(|name| {
        let name = name.trim_end();
        !name.is_empty() && name.len() <= MAX_KEY && name.chars().all(is_in_names)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::MaskingRules;

    fn masker() -> Masker {
        Masker::new(&MaskingRules::group("security")).expect("a known group")
    }

    /// All that was given out after each chunk.
    fn given(masker: &Masker, chunks: &[String]) -> Vec<String> {
        let (mut live, mut all, mut steps) = (Live::default(), String::new(), Vec::new());
        for chunk in chunks {
            all.push_str(&live.push(masker, chunk).unwrap());
            steps.push(all.clone());
        }
        all.push_str(&live.finish(masker).unwrap());
        steps.push(all);
        steps
    }

    const SECRETS: [(&str, &str); 6] = [
        (
            "The login has password=Hunter2xyz for bob, and that is the cause of what was seen.",
            "Hunter2",
        ),
        (
            "```yaml\napiVersion: v1\ndata:\n  pw: aHVudGVyMg==\nkind: Secret\nmetadata:\n  name: a\n```\n",
            "aHVudGVyMg",
        ),
        (
            "apiVersion: v1\ndata:\n  pw: aHVudGVyMg==\nkind: Secret\nmetadata:\n  name: a\n\n",
            "aHVudGVyMg",
        ),
        (
            "{\"kind\":\"Secret\",\"data\":{\"pw\":\"aHVudGVyMg==\"},\"metadata\":{\"name\":\"a\"}}\n",
            "aHVudGVyMg",
        ),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7abcdefghijklmnop\nabcdefghijklmnopqrstuvwx\n-----END RSA PRIVATE KEY-----\n",
            "MIIEowIBAAK",
        ),
        (
            "It cloned with ghp_0123456789abcdefghijABCDEFGHIJ012345 and then nothing more was seen of it é.",
            "ghp_0123",
        ),
    ];

    #[test]
    fn a_secret_is_in_no_part_of_a_text_that_is_written() {
        let masker = masker();
        let prose = "The pod was restarted because its memory ran out, as the events of the last hour say.\n\n";
        for (text, secret) in SECRETS {
            let text = format!("{prose}{text}{prose}");
            for size in [1, 3, 7, 64] {
                let signs: Vec<char> = text.chars().collect();
                let chunks: Vec<String> =
                    signs.chunks(size).map(|part| part.iter().collect()).collect();
                for step in given(&masker, &chunks) {
                    assert!(!step.contains(secret), "{size}: {step}");
                }
            }
        }
    }

    #[test]
    fn prose_is_given_out_some_words_behind_its_end() {
        let masker = masker();
        let words = "the disk of the node is full and nothing is written any more ".repeat(2_000);
        let chunks: Vec<String> = words.split_inclusive(' ').map(str::to_owned).collect();
        let mut live = Live::default();
        let (mut written, mut all) = (0, String::new());
        for chunk in &chunks {
            written += chunk.len();
            all.push_str(&live.push(&masker, chunk).unwrap());
            assert!(written - all.len() <= TAIL + 16, "{}", written - all.len());
            assert!(live.text.len() <= BEHIND + 2 * TAIL, "what was given out is forgotten");
        }
        all.push_str(&live.finish(&masker).unwrap());
        assert_eq!(all, words);
    }

    #[test]
    fn a_block_without_an_end_is_bounded() {
        let masker = masker();
        let mut live = Live::default();
        live.push(&masker, "```\n").unwrap();
        let mut given = 0;
        for _ in 0..(2 * MAX_HELD / 32) {
            given += live.push(&masker, "a line of the log of the program").unwrap().len();
        }
        assert!(given > MAX_HELD / 2, "{given}");
    }
}
