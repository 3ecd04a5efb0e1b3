//! Base64, and how to distinguish encoded text from words.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

/// Whether a byte belongs to the alphabet (without padding).
pub(crate) const fn is_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Standard base64 with full padding; the bits that the last symbol has too many need not be zero.
const STANDARD: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Decodes standard base64 with full padding; an empty text is none.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    if !may_be_whole(text) {
        return None;
    }
    STANDARD.decode(text).ok()
}

/// Encodes as standard base64 with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Whether a text is as long as base64 with its padding is, and begins and ends like it.
fn may_be_whole(text: &str) -> bool {
    let symbol = |byte: Option<&u8>| byte.is_some_and(|byte| is_symbol(*byte) || *byte == b'=');
    let bytes = text.as_bytes();
    bytes.len().is_multiple_of(4) && symbol(bytes.first()) && symbol(bytes.last())
}

/// How short a text may be that was encoded.
const MIN_TEXT: usize = 3;
/// How long an encoded text is at most that is decoded without memory of its own.
const SHORT: usize = 64;

/// Whether a text is base64 of readable text (or of something long): what Kubernetes keeps in Secrets.
pub(crate) fn is_encoded_text(text: &str) -> bool {
    let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
    if text.len() / 4 * 3 < MIN_TEXT + padding {
        return false;
    }
    if text.len() > SHORT || !may_be_whole(text) {
        return decode(text).is_some_and(|bytes| is_text(&bytes));
    }
    let mut bytes = [0; SHORT];
    let length = STANDARD.decode_slice(text, &mut bytes).ok();
    length.and_then(|length| bytes.get(..length)).is_some_and(is_text)
}

fn is_text(bytes: &[u8]) -> bool {
    let readable = std::str::from_utf8(bytes).is_ok_and(|plain| {
        plain.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'))
    });
    bytes.len() >= MIN_TEXT && (readable || bytes.len() >= 48)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_comes_back() {
        for plain in ["", "a", "ab", "abc", "hunter2", "p\u{e9}ss"] {
            let text = encode(plain.as_bytes());
            let back = if plain.is_empty() { Some(Vec::new()) } else { decode(&text) };
            assert_eq!(back.as_deref(), Some(plain.as_bytes()), "{text}");
        }
        assert_eq!(encode(b"password"), "cGFzc3dvcmQ=");
    }

    #[test]
    fn encoded_text_is_distinguished_from_words() {
        assert!(is_encoded_text("YWRtaW4="));
        assert!(is_encoded_text("cGFzc3dvcmQ="));
        for word in ["test", "running", "deployed", "nginx", "12345678", "a b=", ""] {
            assert!(!is_encoded_text(word), "{word}");
        }
    }
}
