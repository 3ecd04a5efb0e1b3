use serde_json::{Value, json};
use tarsy_lenient::{MAX_DEPTH, Repair, Unreadable, decode};

fn read(text: &str) -> (Value, Vec<(Repair, usize)>) {
    let decoded = decode(text.as_bytes()).unwrap();
    let notes = decoded.notes.iter().map(|note| (note.repair, note.count)).collect();
    (decoded.value, notes)
}

#[test]
fn valid_json_has_no_notes() {
    for text in
        [" {\"a\": [1, -2.5e3, true, null, \"\\ud83d\\ude00 \\\"x\\\"\"]} ", "3", "\"\"", "[]"]
    {
        let (value, notes) = read(text);
        assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(notes, []);
    }
}

#[test]
fn control_characters_and_backslashes_inside_texts_are_escaped() {
    let (value, notes) = read("{\"a\": \"one\ntwo\t\u{1}\", \"path\": \"C:\\Users\\new\\x\"}");
    assert_eq!(value, json!({"a": "one\ntwo\t\u{1}", "path": "C:\\Users\new\\x"}));
    assert_eq!(notes, [(Repair::ControlCharacter, 3), (Repair::UnknownEscape, 2)]);
}

#[test]
fn half_a_character_is_replaced_and_a_whole_one_stays() {
    let (value, notes) =
        read(r#"["cut \ud83d", "\ude00 x", "\ud83d\u0041", "\ud83d\ude00", "\u12 \u00e9"]"#);
    assert_eq!(value, json!(["cut \u{fffd}", "\u{fffd} x", "\u{fffd}A", "\u{1f600}", "\\u12 é"]));
    assert_eq!(notes, [(Repair::LoneSurrogate, 3), (Repair::UnknownEscape, 1)]);
}

#[test]
fn what_is_no_number_is_null() {
    let (value, notes) = read("{\"a\": NaN, \"b\": [-Infinity, Infinity, 1e999, 1], \"c\": nan}");
    assert_eq!(value, json!({"a": null, "b": [null, null, null, 1], "c": null}));
    assert_eq!(notes, [(Repair::NoNumber, 5)]);
}

#[test]
fn commas_too_many_are_left_out() {
    let (value, notes) = read("{\"a\": [1, 2, ], \"b\": [,1,,2],\n}");
    assert_eq!(value, json!({"a": [1, 2], "b": [1, 2]}));
    assert_eq!(notes, [(Repair::Comma, 4)]);
}

#[test]
fn values_of_python_and_javascript_are_read() {
    let (value, notes) =
        read("{'a': None, 'it': 'it\\'s \"x\"', b: True, \"c\": undefined, \"n\": 007}");
    assert_eq!(value, json!({"a": null, "it": "it's \"x\"", "b": true, "c": null, "n": "007"}));
    let expected = [
        (Repair::UnknownEscape, 1),
        (Repair::SingleQuotes, 3),
        (Repair::BareWord, 2),
        (Repair::NoValue, 2),
        (Repair::TruthValue, 1),
    ];
    assert_eq!(notes, expected);
}

#[test]
fn what_a_template_left_empty_is_null() {
    let (value, notes) = read("{\"a\": , \"b\": }");
    assert_eq!(value, json!({"a": null, "b": null}));
    assert_eq!(notes, [(Repair::NoValue, 2)]);
}

#[test]
fn quotation_marks_that_a_template_did_not_escape_stay_in_the_text() {
    let (value, notes) = read("{\"a\": \"disk \"/var\" is full\", \"b\": 1}");
    assert_eq!(value, json!({"a": "disk \"/var\" is full", "b": 1}));
    assert_eq!(notes, [(Repair::QuotationMark, 2)]);
}

#[test]
fn what_is_nested_too_deeply_is_kept_as_text() {
    let depth = 50_000;
    let text = format!("{}{}{}", "[".repeat(depth), r#"{"]": "\""}"#, "]".repeat(depth));
    let (mut value, notes) = read(&text);
    assert_eq!(notes, [(Repair::Depth, 1)]);
    for _ in 0..MAX_DEPTH {
        value = value[0].take();
    }
    let rest = depth - MAX_DEPTH;
    let expected = format!("{}{}{}", "[".repeat(rest), r#"{"]": "\""}"#, "]".repeat(rest));
    assert_eq!(value, json!(expected));
}

#[test]
fn what_is_no_document_is_refused_with_its_place() {
    for (text, reason) in [
        ("", "is empty"),
        (" \u{feff} ", "is empty"),
        ("hello", "is no JSON: expected value at line 1 column 1"),
        ("<html>", "is no JSON: expected value at line 1 column 1"),
        ("{\"a\": 1", "is no JSON: EOF while parsing an object at line 1 column 7"),
        ("{\"a\": 1} {}", "is no JSON: trailing characters at line 1 column 10"),
        ("{\"a\": [1 2]}", "is no JSON: expected `,` or `]` at line 1 column 10"),
        ("{\"a\":\n1 2}", "is no JSON: expected `,` or `}` at line 2 column 3"),
    ] {
        assert_eq!(decode(text.as_bytes()).unwrap_err().to_string(), reason);
    }
    assert_eq!(decode(b"\n"), Err(Unreadable::Empty));
}

#[test]
fn notes_are_short_sentences() {
    let notes = decode(b"\xef\xbb\xbf[1,,2,]").unwrap().notes;
    let texts: Vec<_> = notes.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["byte order mark left out", "comma too many (2 times)"]);
}
