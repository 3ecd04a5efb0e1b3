//! How a text that is to be removed may be written where it is stored.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use uuid::Uuid;

/// Shorter texts occur by chance.
const MIN: usize = 8;
const MAX: usize = 10_000;
/// Words of small letters that are shorter may be names that records are made of, such as `session_status`.
const MIN_WORD: usize = 32;

/// What stands in an address as it is, by the standard, by the function `encodeURIComponent` of browsers, and in forms.
const UNRESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const COMPONENT: AsciiSet =
    UNRESERVED.remove(b'!').remove(b'\'').remove(b'(').remove(b')').remove(b'*');
const FORM: AsciiSet =
    NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'*').remove(b' ');

/// The text as it is; as a text in JSON, and in JSON within JSON; as a part of an address, of a form and of a page; and between
/// single quotes. The longest comes first, so that none leaves a rest of another. An error says what is wrong with the text, and not how it reads.
pub(super) fn spellings(text: &str) -> Result<Vec<String>, String> {
    let length = text.chars().count();
    if !(MIN..=MAX).contains(&length) {
        return Err(format!("has {length} characters; write {MIN} to {MAX}"));
    }
    if text.trim() != text {
        return Err("begins or ends with a space or a line break; write it without".to_owned());
    }
    if text.contains('\0') {
        return Err("has a null character, which is never stored; write it without".to_owned());
    }
    let is_word = text.chars().all(|one| one.is_ascii_lowercase() || one == '_');
    if is_word && length < MIN_WORD {
        return Err(format!(
            "is a word of small letters shorter than {MIN_WORD}, of which records are made; write more of what stands around it"
        ));
    }
    if Uuid::try_parse(text).is_ok() || text.parse::<jiff::Timestamp>().is_ok() {
        return Err(
            "is an id or a time, of which records are made; delete the session instead".to_owned()
        );
    }
    let json = in_json(text);
    let within = json.iter().flat_map(|once| in_json(once)).collect::<Vec<_>>();
    let mut all = vec![text.to_owned(), text.replace('\'', "''")];
    all.extend(json.into_iter().chain(within).chain(in_address(text)).chain(in_page(text)));
    all.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    all.dedup();
    Ok(all)
}

/// The text in JSON, as different programs write it: with signs of other alphabets as they are or by their numbers, and with
/// slashes and the signs of HTML as they are or not.
fn in_json(text: &str) -> [String; 4] {
    let shortest = escaped(text);
    let numbered = |of: fn(char) -> bool| {
        let mut written = String::with_capacity(shortest.len());
        for sign in shortest.chars() {
            let mut units = [0; 2];
            match sign {
                sign if of(sign) => sign.encode_utf16(&mut units).iter().for_each(|unit| {
                    // Writing to a string cannot fail.
                    let _ = write!(written, "\\u{unit:04x}");
                }),
                sign => written.push(sign),
            }
        }
        written
    };
    let (ascii, html) = (
        numbered(|sign| !sign.is_ascii()),
        numbered(|sign| matches!(sign, '<' | '>' | '&' | '\u{2028}' | '\u{2029}')),
    );
    [shortest.replace('/', "\\/"), ascii, html, shortest]
}

/// The text in addresses and forms, with the numbers of bytes in capitals or in small letters.
fn in_address(text: &str) -> Vec<String> {
    let sets = [NON_ALPHANUMERIC, &UNRESERVED, &COMPONENT];
    let mut all: Vec<String> = sets.map(|set| utf8_percent_encode(text, set).to_string()).into();
    all.push(utf8_percent_encode(text, &FORM).to_string().replace(' ', "+"));
    let small: Vec<String> = all.iter().map(|one| with_small_numbers(one)).collect();
    all.extend(small);
    all
}

fn with_small_numbers(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        written.push('%');
        written.push_str(&number.to_ascii_lowercase());
        written.push_str(rest);
    }
    written
}

/// The text in HTML and XML, whose writers differ in the names of quotes.
fn in_page(text: &str) -> [String; 4] {
    let tags = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let quoted = |double: &str, single: &str| tags.replace('"', double).replace('\'', single);
    let (numbered, named) = (quoted("&#34;", "&#39;"), quoted("&quot;", "&apos;"));
    [quoted("&quot;", "&#x27;"), numbered, named, tags]
}

/// The text as it stands between the quotes of JSON.
fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&quoted).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_looked_for_as_json_and_addresses_have_it() {
        assert_eq!(spellings("hunter2hunter2").unwrap(), ["hunter2hunter2"]);
        let all = spellings("pass\"word 1").unwrap();
        assert_eq!(
            all,
            [
                "pass&quot;word 1",
                "pass%22word%201",
                "pass&#34;word 1",
                r#"pass\\\"word 1"#,
                "pass%22word+1",
                r#"pass\"word 1"#,
                "pass\"word 1"
            ]
        );
    }

    #[test]
    fn a_text_is_looked_for_as_other_programs_write_it() {
        let all = spellings("Pä_s-w.r~d/<&>'1").unwrap();
        for written in [
            // JSON of Python, of Go, of PHP, and in JSON again.
            r"P\u00e4_s-w.r~d/<&>'1",
            r"Pä_s-w.r~d/\u003c\u0026\u003e'1",
            r"Pä_s-w.r~d\/<&>'1",
            r"P\\u00e4_s-w.r~d/<&>'1",
            // Addresses by the standard and of browsers, and forms.
            "P%C3%A4_s-w.r~d%2F%3C%26%3E%271",
            "P%c3%a4_s-w.r~d%2f%3c%26%3e%271",
            "P%C3%A4_s-w.r~d%2F%3C%26%3E'1",
            "P%C3%A4_s-w.r%7Ed%2F%3C%26%3E%271",
            // Pages, and statements of SQL.
            "Pä_s-w.r~d/&lt;&amp;&gt;'1",
            "Pä_s-w.r~d/&lt;&amp;&gt;&#39;1",
            "Pä_s-w.r~d/<&>''1",
        ] {
            assert!(all.iter().any(|one| one == written), "{written}: {all:#?}");
        }
        assert!(all.is_sorted_by(|before, after| before.len() >= after.len()));
        assert!(
            spellings("𝒳-sécrèt")
                .unwrap()
                .iter()
                .any(|one| one == r"\ud835\udcb3-s\u00e9cr\u00e8t")
        );
    }

    #[test]
    fn what_records_are_made_of_is_refused() {
        for text in [
            "short",
            "session_status",
            " hunter2hunter2",
            "hunter2hunter2\n",
            "with\0a null",
            "0198f2a0-0000-7000-8000-00000000a11a",
            "2026-11-27T05:00:00Z",
        ] {
            let message = spellings(text).unwrap_err();
            assert!(!message.contains(text), "{message}");
        }
        assert!(spellings(&"x".repeat(MAX + 1)).is_err());
        assert!(spellings("correct_horse_battery_staple_river").is_ok());
    }
}
