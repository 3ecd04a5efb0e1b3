//! Just enough base64 to tell encoded text from words.

/// Whether a byte belongs to the alphabet (without padding).
pub(crate) const fn is_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Decodes standard base64 with full padding.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let symbols = text.trim_end_matches('=');
    let padding = text.len() - symbols.len();
    if text.is_empty() || !text.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(symbols.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for symbol in symbols.bytes() {
        bits = (bits << 6) | u32::from(value(symbol)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

const fn value(symbol: u8) -> Option<u8> {
    match symbol {
        b'A'..=b'Z' => Some(symbol - b'A'),
        b'a'..=b'z' => Some(symbol - b'a' + 26),
        b'0'..=b'9' => Some(symbol - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Encodes as standard base64 with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    const SYMBOLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| chunk.get(index).copied().unwrap_or(0);
        let bits = (u32::from(at(0)) << 16) | (u32::from(at(1)) << 8) | u32::from(at(2));
        for place in 0..4_usize {
            let index = usize::try_from((bits >> (18 - 6 * place)) & 63).unwrap_or(0);
            let symbol = SYMBOLS.get(index).copied().unwrap_or(b'=');
            text.push(if place <= chunk.len() { char::from(symbol) } else { '=' });
        }
    }
    text
}

/// Whether a text is base64 of readable text (or of something long): what Kubernetes keeps in Secrets.
pub(crate) fn is_encoded_text(text: &str) -> bool {
    decode(text).is_some_and(|bytes| {
        let readable = std::str::from_utf8(&bytes).is_ok_and(|plain| {
            plain.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'))
        });
        bytes.len() >= 3 && (readable || bytes.len() >= 48)
    })
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
    fn encoded_text_is_told_from_words() {
        assert!(is_encoded_text("YWRtaW4="));
        assert!(is_encoded_text("cGFzc3dvcmQ="));
        for word in ["test", "running", "deployed", "nginx", "12345678", "a b=", ""] {
            assert!(!is_encoded_text(word), "{word}");
        }
    }
}
