//! The cases that the dashboard is tested with, too.

use serde::Deserialize;
use tarsy_visible::{arguments, exact, json, line, readable};

#[derive(Deserialize)]
struct Case {
    name: String,
    text: String,
    exact: String,
    arguments: String,
}

#[test]
fn every_character_of_a_text_is_seen() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("cases.json")).unwrap();
    for case in cases {
        assert_eq!(exact(&case.text), case.exact, "{}", case.name);
        assert_eq!(arguments(&case.text), case.arguments, "{}", case.name);
    }
}

#[test]
fn what_is_read_keeps_its_lines_and_commands_no_terminal() {
    let text = "one\ttwo\n\u{1b}]0;title\u{7}\u{9d}52;c;x\u{202e}\u{2066}\r\u{200b}three";
    let expected =
        "one\ttwo\n[U+001B]]0;title[U+0007][U+009D]52;c;x[U+202E][U+2066][U+000D][U+200B]three";
    assert_eq!(readable(text), expected);
    assert_eq!(line("a\nb\tc\r\u{85}d"), "a[U+000A]b[U+0009]c[U+000D][U+0085]d");
    let harmless = "naïve  שלום 👩\u{200d}💻 ❤\u{fe0f} می\u{200c}خواهم";
    assert_eq!((readable(harmless), line(harmless)), (harmless.into(), harmless.into()));
    let hidden = "rm\u{200d}\u{200c} -rf\u{fe0f} /❤\u{fe0f}\u{fe01}1\u{fe0f}";
    let shown = "rm[U+200D][U+200C] -rf[U+FE0F] /❤\u{fe0f}[U+FE01]1\u{fe0f}";
    assert_eq!((readable(hidden), line(hidden)), (shown.into(), shown.into()));
}

#[test]
fn a_document_means_the_same() {
    let value =
        serde_json::json!({ "a": "x\u{9b}2J\u{202e}\u{e0041}\u{e0041}\u{1b}\n", "b": "é\u{200d}" });
    let document = value.to_string();
    let shown = json(&document);
    assert!(shown.contains(r"x\u009b2J\u202e\udb40\udc41\udb40\udc41\u001b\n"), "{shown}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
}
