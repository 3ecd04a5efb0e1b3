//! A text that is shown while it is written: what may still become a secret is held back.
//!
//! Prose is given out up to its end if that is a plain word, else up to its last word, or up to one that a secret may follow. A block of code, lines that
//! look like settings, and keys are held until they end, because what such a text hides may be known by its last line only.

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
/// The longest words that are given out before they end, in characters: of small letters, of capitals, and numbers.
const MAX_PLAIN: usize = 12;
const MAX_CAPITALS: usize = 4;
const MAX_NUMBER: usize = 6;
/// What stands around a plain word, and signs that are words.
const OPENING: [char; 4] = ['(', '"', '*', '`'];
const CLOSING: [char; 11] = ['.', ',', ';', ':', '!', '?', ')', '"', '*', '`', '%'];
const SIGNS: [&str; 7] = ["-", "*", "#", "##", "###", "–", "%"];

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
        let by_name = masker.finds_by_name();
        let mut end = certain(&self.text, self.given, by_name);
        for _ in 0..MAX_TRIES {
            if end <= self.given {
                break;
            }
            let look = Look { is_whole: false, in_list: false };
            let mut part = Part::between(&self.text, self.given, end, look);
            part.shows_what_began_before = self.is_in_word();
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
        let is_in_word = self.is_in_word();
        let Self { text, given, was_cut } = std::mem::take(self);
        let look = Look { is_whole: !was_cut, in_list: false };
        let mut part = Part::between(&text, given, text.len(), look);
        part.shows_what_began_before = is_in_word;
        masker.mask_part(&mut part)?;
        Ok(part.text.get(part.start..part.end).unwrap_or_default().to_owned())
    }

    /// Whether the beginning of a word was given out before its end.
    fn is_in_word(&self) -> bool {
        let last = self.text.get(..self.given).and_then(|before| before.chars().next_back());
        last.is_some_and(|sign| !sign.is_whitespace())
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
fn certain(text: &str, given: usize, by_name: bool) -> usize {
    let words = held_words(text, given, by_name);
    if text.len() - given > MAX_HELD {
        return words;
    }
    words.min(open_block(text, given))
}

/// Where the words begin that are held back: the last one, which may go on, and those from which a secret may follow.
///
/// Rules that go by names find no secret in a plain word, whatever follows it: of a token that begins like one, no more than
/// the letters before its first digit, sign or capital are given out, which for those of vendors is the prefix.
fn held_words(text: &str, given: usize, by_name: bool) -> usize {
    let word_at = |end: usize| {
        let before = text.get(..end).unwrap_or_default();
        before.rfind(char::is_whitespace).map_or(0, |at| after(text, at))
    };
    let last = word_at(text.len());
    let is_certain = by_name && text.get(last..).is_some_and(is_plain);
    let end = if is_certain { text.len() } else { last.max(given) };
    // The first of these words may be cut, and a name may be behind what was given out.
    let begin = word_at(text.floor_char_boundary(text.len().saturating_sub(TAIL)).max(given));
    let near = text.get(begin..end).unwrap_or_default();
    let line = text.get(..end).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let is_row = text.get(line..).is_some_and(|line| line.trim_start().starts_with('|'));
    // An operator's expression may take numbers in groups for one secret, and of odd words a command says later what they were.
    let (mut at, mut odd) = (begin, None);
    for word in near.split_inclusive(char::is_whitespace) {
        if names_secret(word) {
            return odd.unwrap_or(at).max(given);
        }
        let is_odd = word.contains(|sign: char| sign.is_ascii_digit())
            && !(by_name && is_reading(word.trim_end()));
        odd = if is_odd { odd.or(Some(at)) } else { odd.filter(|_| word.trim_end() == "|") };
        // What a command was given is known by the command behind the pipe.
        if odd.is_some_and(|odd| odd < at) && !is_row && word.trim_end() == "|" {
            break;
        }
        at += word.len();
    }
    odd.unwrap_or(end).max(given)
}

/// Whether no rule takes a word, or one that begins so, for a secret because of the word alone.
fn is_plain(word: &str) -> bool {
    let core = word.trim_start_matches(OPENING).trim_end_matches(CLOSING);
    let is_number = is_reading(core) && core.len() <= MAX_NUMBER;
    let count = core.chars().count();
    let mut signs = core.chars();
    let is_word = signs.next().is_some_and(char::is_alphabetic)
        && signs.all(char::is_lowercase)
        && count <= MAX_PLAIN;
    let is_capitals = count <= MAX_CAPITALS && core.chars().all(char::is_uppercase);
    is_number || is_word || (is_capitals && count > 0) || SIGNS.contains(&word)
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
fn open_block(text: &str, given: usize) -> usize {
    // What was given out of a line says, too, what the line is; no fence is given out before its block has ended.
    let before = text.get(..given).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let (mut fence, mut at): (Option<(usize, &str)>, usize) = (None, start);
    let mut paragraph = Paragraph::at(given);
    for line in text.get(start..).unwrap_or_default().split_inclusive('\n') {
        let shown = line.trim();
        let end = at + line.len();
        match (fence, fence_of(shown)) {
            // A line that has not ended may go on; given out in part, the rest of it would open a block.
            (Some((_, opened)), Some(_)) if line.ends_with('\n') && closes(opened, shown) => {
                (fence, paragraph) = (None, Paragraph::at(end));
            }
            (Some(_), _) => {}
            (None, Some(signs)) if at >= given => {
                (fence, paragraph) = (Some((at, signs)), Paragraph::at(end));
            }
            (None, _) => paragraph.add(line, at),
        }
        at = end;
    }
    let lines = text.get(start..).unwrap_or_default();
    let key = lines
        .rfind("-----BEGIN")
        .filter(|at| !lines.get(*at..).unwrap_or_default().contains("-----END"))
        .map(|at| given.max(start + at));
    let block = paragraph.is_structured.then_some(paragraph.start.max(given));
    [fence.map(|(at, _)| at), block, key].into_iter().flatten().min().unwrap_or(text.len())
}

/// The signs of a line that opens or closes a block of code.
fn fence_of(line: &str) -> Option<&str> {
    let of = |sign: char| line.get(..line.len() - line.trim_start_matches(sign).len());
    ['`', '~'].into_iter().filter_map(of).find(|signs| signs.len() >= 3)
}

/// Whether a line ends the block that these signs opened: with as many, at least, and with nothing else.
fn closes(opened: &str, line: &str) -> bool {
    line.starts_with(opened) && line.chars().all(|sign| opened.starts_with(sign))
}

/// Lines up to an empty one, or beyond it where a setting has others below it and the next line is a setting, too.
struct Paragraph {
    start: usize,
    is_structured: bool,
    /// A line names what the lines below it are.
    is_nested: bool,
    after_empty: bool,
}

impl Paragraph {
    const fn at(start: usize) -> Self {
        Self { start, is_structured: false, is_nested: false, after_empty: false }
    }

    fn add(&mut self, line: &str, at: usize) {
        let shown = line.trim();
        if shown.is_empty() {
            self.after_empty = true;
            if !self.is_nested {
                *self = Self::at(at + line.len());
            }
            return;
        }
        let is_setting = looks_structured(shown);
        if self.after_empty && !(is_setting || may_become_setting(line)) {
            *self = Self::at(at);
        }
        self.after_empty = false;
        self.is_structured |= is_setting;
        self.is_nested |= is_setting && shown.ends_with(':');
    }
}

/// Whether a line that has not ended is the beginning of a name.
fn may_become_setting(line: &str) -> bool {
    let name = line.trim_start().trim_start_matches("- ");
    !line.ends_with('\n') && name.len() <= MAX_KEY && name.chars().all(is_in_names)
}

fn is_in_names(sign: char) -> bool {
    sign.is_alphanumeric() || "_.-/".contains(sign)
}

/// A number, a share, a time.
fn is_reading(word: &str) -> bool {
    word.contains(|sign: char| sign.is_ascii_digit())
        && word.chars().all(|sign| sign.is_ascii_digit() || ".,:%()".contains(sign))
}

/// A setting, a list of them, JSON or markup.
fn looks_structured(line: &str) -> bool {
    let line = line.trim_start_matches("- ");
    if line.starts_with(['{', '}', '[', '<', '"', '\'']) {
        return true;
    }
    let name = line.find([':', '=']).and_then(|end| line.get(..end));
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
    fn a_plain_word_is_given_out_at_once() {
        let masker = masker();
        let mut live = Live::default();
        let tokens = [
            "The", " disk", " of", " db", " is", " 97", " %", " full", ",", " says", " df",
            ".\n\n", "##", " CPU", " load",
        ];
        for token in tokens {
            assert_eq!(live.push(&masker, token).unwrap(), token);
        }
    }

    #[test]
    fn a_block_that_ends_with_a_chunk_opens_no_other() {
        let masker = masker();
        let mut live = Live::default();
        assert_eq!(live.push(&masker, "```json\n{\"a\": 1}\n```").unwrap(), "");
        assert_eq!(
            live.push(&masker, "\n\nThe disk").unwrap(),
            "```json\n{\"a\": 1}\n```\n\nThe disk"
        );
        assert_eq!(live.push(&masker, " is full").unwrap(), " is full");
    }

    #[test]
    fn a_name_in_parts_holds_back_what_follows() {
        let masker = masker();
        let mut live = Live::default();
        let mut all = String::new();
        for token in ["The", " pa", "ss", "wo", "rd", " is", " hunter", "2xyz", " and"] {
            all.push_str(&live.push(&masker, token).unwrap());
        }
        assert_eq!(all, "The pa");
        let mut live = Live::default();
        let setting = ["ap", "iVersion", ":", " v1\n", "data", ":\n", "  pw", ": ", "aHVudGVyMg=="];
        let given: String =
            setting.iter().map(|token| live.push(&masker, token).unwrap()).collect();
        assert_eq!(given, "ap");
    }

    #[test]
    fn the_rest_of_a_token_that_began_like_a_word_is_masked() {
        let masker = masker();
        let text =
            "It cloned with ghp_0123456789abcdefghijABCDEFGHIJ012345 and then nothing was seen.";
        let chunks: Vec<String> = text.chars().map(String::from).collect();
        let all = given(&masker, &chunks).pop().unwrap();
        assert_eq!(all, "It cloned with ghp[MASKED_GITHUB_TOKEN] and then nothing was seen.");
    }

    #[test]
    fn rules_that_go_by_no_name_have_the_whole_word() {
        let masker = Masker::new(&MaskingRules::group("all")).expect("a known group");
        let mut live = Live::default();
        assert_eq!(live.push(&masker, "the disk").unwrap(), "the ");
        assert_eq!(live.push(&masker, " is").unwrap(), "disk ");
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
