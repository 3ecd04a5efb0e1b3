//! How many values a text has, before memory is taken for them.

/// Whether a text has more than so many values. It is exact for JSON, and up to the first error of a text that is none: a
/// parser makes no values after it.
pub(crate) fn has_more_values(text: &[u8], most: usize) -> bool {
    // No text has more values than bytes.
    if text.len() <= most {
        return false;
    }
    let (mut values, mut is_text, mut is_escaped) = (1_usize, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            // Each is followed by a value, or by the end of an empty list or object.
            b',' | b'[' | b'{' if !is_text => values += 1,
            _ => {}
        }
        if values > most {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        for (text, values) in [
            ("[1,[2,3],4,5,6,7]", 9),
            (r#"{"a": {"b": ",,,,[[[["}, "c": "\",,,"}"#, 4),
            (r#"["\\", 1, 2]"#, 4),
        ] {
            assert!(!has_more_values(text.as_bytes(), values), "{text}");
            assert!(has_more_values(text.as_bytes(), values - 1), "{text}");
        }
    }
}
