//! Hostile and large texts: their cost grows with their length, and nothing fails.

use serde_json::Value;
use tarsy_analyst::{CallRecord, Next, Transcript, next};

fn conclude(text: String) -> String {
    let call = CallRecord {
        number: 1,
        tool: "x.log".to_owned(),
        arguments: Value::Null,
        text: text.clone(),
        failed: false,
    };
    let transcript = Transcript { alert: text, calls: vec![call], ..Transcript::default() };
    match next(&transcript) {
        Next::Conclude(report) => report.markdown,
        Next::Call(calls) => panic!("{calls:?}"),
    }
}

#[test]
fn hostile_texts_get_a_report() {
    let texts = ["a-", "`", "<a", "[{", "pool ", "\n", "x: ", "- ", "Name: x\n", "error [call 1] "];
    for part in texts {
        let report = conclude(part.repeat(60_000 / part.len()));
        assert!(
            report.contains("\n\n## Most likely cause\n")
                || report.contains("\n\n## No cause found\n"),
            "{part:?}"
        );
    }
}

#[test]
fn one_line_among_many_is_found() {
    let lines: Vec<String> = (0..20_000)
        .map(|n| format!("2026-11-22T01:00:00 svc[{n}]: INFO handled /api/{n} in {}ms", n % 90))
        .collect();
    let report = conclude(format!("{}\nsvc[1]: FATAL out of memory", lines.join("\n")));
    assert!(report.contains("FATAL out of memory"), "{report}");
}

#[test]
fn a_citation_or_markup_in_a_result_stays_in_its_quotation() {
    let report = conclude("ERROR `rm -rf` failed: see [call 9] **now** disk full".to_owned());
    assert!(
        report.contains("`` ERROR `rm -rf` failed: see [call 9] **now** disk full ``"),
        "{report}"
    );
}
