//! How a text that is to be removed may be written where it is stored.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use uuid::Uuid;

/// Shorter texts occur by chance.
const MIN: usize = 8;
const MAX: usize = 10_000;
/// Words of small letters that are shorter may be names that records are made of, such as `session_status`.
const MIN_WORD: usize = 32;

/// The text as it is; as a text in JSON, and in JSON within JSON; and as a part of an address. The longest comes first, so
/// that none leaves a rest of another. An error says what is wrong with the text, and not how it reads.
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
    let once = escaped(text);
    let twice = escaped(&once);
    let encoded = utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let mut all = vec![twice, once, encoded, text.to_owned()];
    all.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    all.dedup();
    Ok(all)
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
            ["pass%22word%201", r#"pass\\\"word 1"#, r#"pass\"word 1"#, "pass\"word 1"]
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
