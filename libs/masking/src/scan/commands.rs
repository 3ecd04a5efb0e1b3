//! Passwords on command lines without a key: `curl -u user:password`, `mysql -ppassword`.

mod line;
mod rules;

use std::ops::Range;

use super::cookie;
use super::scanner::Scanner;
use super::shape::{is_path, is_placeholder, is_strong};
use super::vendors::bytes_of;
use crate::patterns::Pattern;
use crate::spans::mask_end;
use line::Words;
pub(crate) use rules::{Form, Program, programs};

/// How often the words of a command are looked at on average, by programs that run one another.
const MAX_LOOKS: usize = 8;

/// The bytes that may stand behind the name of a program.
pub(super) fn bytes_behind() -> Box<[bool; 256]> {
    bytes_of(|byte| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'\n' | b'\r'))
}

/// Looks at the words behind a program's name, which stands as a word of its own.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, program: &Program, start: usize, from: usize) {
    if matches!(scanner.before(start), Some(b'-' | b'_' | b'.' | b'@')) {
        return;
    }
    if from >= scanner.seen.command {
        let Words { words, end } = line::words(scanner, start, from);
        scanner.seen.word_budget = MAX_LOOKS * (words.len() + 1);
        (scanner.seen.command, scanner.seen.words) = (end, words);
    }
    // A program inside a command, such as the one that `kubectl exec` runs, has the rest of its words.
    let known = std::mem::take(&mut scanner.seen.words);
    let first = known.partition_point(|word| word.start < from);
    look_at_words(scanner, program, known.get(first..).unwrap_or_default());
    scanner.seen.words = known;
}

/// Looks at the words of a program, up to where it runs again: its own words begin there.
fn look_at_words(scanner: &mut Scanner<'_, '_>, program: &Program, rest: &[Range<usize>]) {
    let again = program.name.split(' ').next().unwrap_or_default();
    let budget = scanner.seen.word_budget;
    let runs_again =
        |word: &Range<usize>| word.len() == again.len() && scanner.slice(word.clone()) == again;
    let count = rest.iter().take(budget + 1).take_while(|word| !runs_again(word)).count();
    if count > budget {
        scanner.seen.word_budget = 0;
        return;
    }
    scanner.seen.word_budget -= count;
    let words = rest.get(..count).unwrap_or_default();
    let has_options = words.iter().any(|word| scanner.byte(word.start) == Some(b'-'));
    for rule in program.rules.iter().filter(|rule| has_options || !rule.needs_option) {
        apply(scanner, rule.form, &rule.options, words);
    }
}

fn apply(scanner: &mut Scanner<'_, '_>, form: Form, options: &[&str], words: &[Range<usize>]) {
    if form == Form::Slash {
        let hosted =
            |word: &Range<usize>| options != ["@"] || scanner.slice(word.clone()).contains('@');
        let found = words.iter().find(|word| hosted(word) && slash(scanner, word).is_some());
        if let Some(range) = found.and_then(|word| slash(scanner, word)) {
            add(scanner, range);
        }
        return;
    }
    match form {
        Form::Beside => return beside(scanner, options, words),
        Form::At(place) => {
            let plain = |word: &&Range<usize>| !scanner.slice((*word).clone()).starts_with('-');
            let word = words.iter().filter(plain).nth(place - 1).cloned();
            return word.into_iter().for_each(|word| credential(scanner, word));
        }
        _ => {}
    }
    for (index, word) in words.iter().enumerate() {
        let first = scanner.byte(word.start);
        let begins = |option: &&str| option.bytes().next() == first;
        if !options.iter().any(begins) && options != ["-"] {
            continue;
        }
        let text = scanner.slice(word.clone());
        let (name, joined) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.len())),
            _ => (text, None),
        };
        let known = options.contains(&name);
        let next = |count: usize| words.get(index + count).cloned();
        let value = match form {
            Form::Last if known || options == ["-"] => {
                let last = words.last().filter(|last| last.start > word.start).cloned();
                return last.into_iter().for_each(|last| take(scanner, last, form));
            }
            Form::After(count) if known => next(count),
            Form::Last | Form::After(_) | Form::Beside | Form::At(_) => None,
            _ if known && joined.is_some() => joined.map(|length| word.end - length..word.end),
            Form::Joined => glued(scanner, options, word),
            Form::Next | Form::Scheme | Form::Assigned if known => next(1),
            Form::Next | Form::Scheme | Form::Assigned => None,
            _ if known || is_grouped(form, options, text) => next(1),
            _ => glued(scanner, options, word),
        };
        if let Some(value) = value {
            take(scanner, value, form);
        }
    }
}

/// A token as a word of its own: `vault login hvs.…`, but not `role=web`.
fn credential(scanner: &mut Scanner<'_, '_>, word: Range<usize>) {
    let text = scanner.slice(word.clone());
    let assigned = text.trim_end_matches('=').contains('=');
    if is_strong(text) && !assigned {
        add(scanner, word);
    }
}

/// `net use Z: \\host\share password /user:name`, or the password behind the user.
fn beside(scanner: &mut Scanner<'_, '_>, options: &[&str], words: &[Range<usize>]) {
    let begins = |word: &Range<usize>| {
        let text = scanner.slice(word.clone());
        options.iter().any(|option| {
            text.get(..option.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(option))
        })
    };
    let Some(index) = words.iter().position(begins) else { return };
    let plain = |word: &&Range<usize>| {
        let text = scanner.slice((*word).clone());
        !text.starts_with(['/', '\\', '*']) && !text.ends_with(':')
    };
    let behind = words.get(index + 1).filter(plain);
    let before = index.checked_sub(1).and_then(|before| words.get(before)).filter(plain);
    if let Some(word) = behind.or(before).cloned() {
        add(scanner, word);
    }
}

/// `-ppassword`: what follows a short option in its word.
fn glued(scanner: &Scanner<'_, '_>, options: &[&str], word: &Range<usize>) -> Option<Range<usize>> {
    let text = scanner.slice(word.clone());
    let value = options
        .iter()
        .filter(|option| !option.starts_with("--") && option.len() <= 3)
        .find_map(|option| text.strip_prefix(*option))?;
    let value = value.strip_prefix('=').unwrap_or(value);
    (!value.is_empty()).then(|| word.end - value.len()..word.end)
}

/// `-sSu`: several short options in one word, the last of which takes the next word.
fn is_grouped(form: Form, options: &[&str], text: &str) -> bool {
    form == Form::Pair
        && (3..=8).contains(&text.len())
        && text.starts_with('-')
        && text.bytes().skip(1).all(|byte| byte.is_ascii_alphabetic())
        && options
            .iter()
            .any(|option| option.len() == 2 && option.bytes().last() == text.bytes().last())
}

/// The password of `user/password@host`.
fn slash(scanner: &Scanner<'_, '_>, word: &Range<usize>) -> Option<Range<usize>> {
    let text = scanner.slice(word.clone());
    let (user, rest) = text.split_once('/')?;
    let password = rest.rsplit_once('@').map_or(rest, |(password, _)| password);
    let plain = !user.is_empty()
        && user
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'"'));
    let start = word.start + user.len() + 1;
    (plain && !password.is_empty() && !password.contains("//"))
        .then(|| start..start + password.len())
}

fn take(scanner: &mut Scanner<'_, '_>, word: Range<usize>, form: Form) {
    let quotes = scanner.slice(word.clone()).len()
        - scanner.slice(word.clone()).trim_start_matches(['"', '\'', '\\']).len();
    let word = word.start + quotes..word.end;
    let text = scanner.slice(word.clone());
    let split =
        |sign: char| text.split_once(sign).map(|(user, _)| word.start + user.len() + 1..word.end);
    match form {
        Form::Cookies => cookie::pairs(scanner, word, false),
        Form::Percent => split('%').into_iter().for_each(|range| add(scanner, range)),
        Form::Comma => split(',').into_iter().for_each(|range| add(scanner, range)),
        Form::Assigned => assigned(scanner, &word),
        Form::Scheme => {
            if let Some(value) = text.strip_prefix("pass:") {
                add(scanner, word.end - value.len()..word.end);
            }
        }
        Form::Pair => pair(scanner, &word),
        _ if text.starts_with('-') || is_path(text) => {}
        _ => add(scanner, word),
    }
}

/// `name=value` of a Secret, unless the name says that it is none, or the value that it hardly is one.
fn assigned(scanner: &mut Scanner<'_, '_>, word: &Range<usize>) {
    let Some((name, value)) = scanner.slice(word.clone()).split_once('=') else { return };
    let value = value.trim_start_matches(['"', '\'']);
    let login = ["user", "name", "host", "url", "email", "region"];
    let lower = name.to_ascii_lowercase();
    let blank = value.contains(' ');
    if !login.iter().any(|word| lower.contains(word)) && (blank || is_strong(value)) {
        add(scanner, word.end - value.len()..word.end);
    }
}

/// `user:password`; `key:` has its secret before the colon.
fn pair(scanner: &mut Scanner<'_, '_>, word: &Range<usize>) {
    let text = scanner.slice(word.clone());
    let Some((user, password)) = text.split_once(':') else { return };
    if !password.is_empty() {
        return add(scanner, word.start + user.len() + 1..word.end);
    }
    let digit = user.bytes().any(|byte| byte.is_ascii_digit());
    if user.len() >= 12 && digit {
        add(scanner, word.start..word.start + user.len());
    }
}

fn add(scanner: &mut Scanner<'_, '_>, range: Range<usize>) {
    let value = scanner.slice(range.clone());
    // A mask is a whole value, whatever stands behind it.
    let masked = mask_end(scanner.text, range.start).is_some();
    if !masked && !is_placeholder(value) && !value.starts_with("$(") && !value.starts_with("@/") {
        scanner.add(range, Pattern::Password);
    }
}

#[cfg(test)]
mod tests {
    use super::programs;

    #[test]
    fn every_rule_can_be_read() {
        let programs = programs().expect("readable");
        assert!(programs.len() >= 100, "{}", programs.len());
        assert!(programs.iter().all(|program| !program.rules.is_empty()));
    }
}
