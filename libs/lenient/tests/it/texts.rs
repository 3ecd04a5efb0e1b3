use serde_json::json;
use tarsy_lenient::{Repair, decode, decode_as, text};

fn kinds(bytes: &[u8], charset: Option<&str>) -> (String, Vec<Repair>) {
    let read = text(bytes, charset);
    (read.text.into_owned(), read.notes.iter().map(|note| note.repair).collect())
}

#[test]
fn byte_order_marks_are_left_out() {
    for bytes in ["\u{feff}{\"a\": 1}", "\u{feff}\u{feff}{\"a\": 1}"] {
        let decoded = decode(bytes.as_bytes()).unwrap();
        assert_eq!(decoded.value, json!({"a": 1}));
        assert_eq!(decoded.notes[0].repair, Repair::ByteOrderMark);
    }
}

#[test]
fn utf_16_is_read_with_and_without_its_mark() {
    let plain = "{\"a\": \"dé\u{1f600}\"}";
    let marked = format!("\u{feff}{plain}");
    for text in [plain, &marked] {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, name) in [(little, "UTF-16LE"), (big, "UTF-16BE")] {
            let decoded = decode(&bytes).unwrap();
            assert_eq!(decoded.value, json!({"a": "dé\u{1f600}"}));
            assert_eq!(decoded.notes[0].repair, Repair::Encoding(name));
        }
    }
}

#[test]
fn latin_1_is_read_unless_some_characters_can_only_be_utf_8() {
    let (text, notes) = kinds(b"Gr\xf6\xdfe \x80", None);
    assert_eq!((text.as_str(), notes), ("Größe €", vec![Repair::Encoding("windows-1252")]));
    let (text, notes) = kinds(b"Gr\xc3\xb6\xdfe \xe2\x82", None);
    assert_eq!((text.as_str(), notes), ("Gr\u{f6}\u{fffd}e \u{fffd}", vec![Repair::InvalidUtf8]));
}

#[test]
fn the_encoding_that_the_sender_names_counts_where_the_bytes_are_no_utf_8() {
    let shift_jis = b"{\"a\": \"\x8f\xe1\x8aQ\"}";
    let decoded = decode_as(shift_jis, Some("Shift_JIS")).unwrap();
    assert_eq!(decoded.value, json!({"a": "障害"}));
    let utf8 = decode_as("{\"a\": \"障害\"}".as_bytes(), Some("iso-8859-1")).unwrap();
    assert_eq!((utf8.value, utf8.notes.len()), (json!({"a": "障害"}), 0));
    for label in ["utf-8", "\"UTF-8\"", "no such encoding"] {
        assert_eq!(kinds(b"\xe9", Some(label)).0, "é");
    }
}

#[test]
fn halves_of_utf_16_in_the_form_of_utf_8_are_joined_or_replaced() {
    let (text, notes) = kinds(b"a \xed\xa0\xbd\xed\xb8\x80 b \xed\xa0\xbd c", None);
    assert_eq!(text, "a \u{1f600} b \u{fffd} c");
    assert_eq!(notes, [Repair::InvalidUtf8, Repair::LoneSurrogate]);
}
