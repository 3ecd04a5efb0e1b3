//! What is no secret after whatever key, and wherever it stands: stand-ins, numbers, versions, references, messages.

use super::class::Word;
use super::sentence::{is_description, is_message};
use super::shape::{
    is_crossed_out, is_duration, is_encrypted, is_path, is_placeholder, is_reference, is_strong,
    is_type_of_column, is_version, is_word_for_nothing,
};
use super::signs::Signs;

/// Whether a value is no secret after whatever key; `signs` are those of the value.
pub(super) fn is_no_value(value: &str, word: Word, signs: Signs) -> bool {
    if signs.is_word() {
        return is_no_word(value, word);
    }
    let password = word == Word::Password;
    let number =
        value.len() <= 9 && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let address =
        (value.starts_with("http://") || value.starts_with("https://")) && !value.contains('@');
    let sign =
        !password && value.len() <= 2 && !value.bytes().any(|byte| byte.is_ascii_alphanumeric());
    // A number of a field, not a password.
    let short_number = value.len() <= 2 && value.bytes().all(|byte| byte.is_ascii_digit());
    is_placeholder(value)
        || short_number
        || value.starts_with("; ")
        || is_colour(value)
        || (signs.has(Signs::STAR.or(Signs::DOT).or(Signs::FOREIGN)) && is_shortened(value))
        || value.strip_prefix("id=").is_some_and(|id| !is_strong(id))
        || is_word_for_nothing(value)
        || address
        || (number && !password)
        || sign
        || is_reference(value)
        || is_encrypted(value)
        || (signs.has(Signs::OPEN) && is_type_of_column(value))
        || is_crossed_out(value)
        || is_checksum(value)
        || is_version(value)
        || is_duration(value)
        || is_path(value)
        || (signs.has(Signs::SPACE)
            && (is_message(value) || is_description(value) || is_length(value)))
}

/// The same of letters and digits only, which few of the tests concern.
fn is_no_word(value: &str, word: Word) -> bool {
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let password = word == Word::Password;
    is_placeholder(value)
        || (digits && (value.len() <= 2 || (value.len() <= 9 && !password)))
        || is_word_for_nothing(value)
        || is_crossed_out(value)
        || (value.starts_with('v') && is_version(value))
        || is_duration(value)
}

/// `sha512-…`: the checksum of a package.
pub(super) fn is_checksum(value: &str) -> bool {
    value.starts_with("sha")
        && ["sha1-", "sha256-", "sha384-", "sha512-"].iter().any(|sum| value.starts_with(sum))
}

/// `#0af`, `#00aaff`.
fn is_colour(value: &str) -> bool {
    value.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// `abc...xyz`, `AKIA****************`: what others left of a secret.
fn is_shortened(value: &str) -> bool {
    let stars = value.bytes().filter(|byte| *byte == b'*').count();
    (stars >= 4 && stars * 2 >= value.len())
        || (value.len() <= 16
            && value
                .split_once("...")
                .or_else(|| value.split_once('…'))
                .is_some_and(|(head, tail)| head.len() <= 6 && tail.len() <= 6))
}

/// `7 bytes`: how long a secret is, as `kubectl describe` prints it.
fn is_length(value: &str) -> bool {
    value
        .strip_suffix(" bytes")
        .is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
}
