//! Captures of machines on which nothing is wrong: no cause is stated, whatever words their processes, settings and logs have.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tarsy_analyst::{CallRecord, Next, Report, Transcript, next};

const ALERTS: &[&str] = &[
    r#"{"alertname": "HostHighLoad", "severity": "critical", "summary": "Load is high and the root file system fills up"}"#,
    r#"{"alertname": "NetworkErrors", "severity": "warning", "summary": "calls fail with errors and timeouts"}"#,
];

/// The captures, each with its command and its output.
fn captures() -> Vec<(String, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/healthy");
    let files = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
    files.sort();
    let read = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        let (head, body) = text.split_once('\n').unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, head.trim_start_matches("$ ").to_owned(), body.to_owned())
    };
    files.iter().map(|path| read(path)).collect()
}

fn conclude(alert: &str, (command, text): (&str, &str)) -> Report {
    let (tool, arguments) = match command.strip_prefix("host.") {
        Some(call) => {
            let (tool, arguments) = call.split_once(' ').unwrap();
            (format!("host.{tool}"), serde_json::from_str(arguments).unwrap())
        }
        None => ("shell.read_command".to_owned(), serde_json::json!({ "command": command })),
    };
    let arguments: Value = arguments;
    let call = CallRecord { number: 1, tool, arguments, text: text.to_owned(), failed: false };
    let transcript =
        Transcript { alert: alert.to_owned(), calls: vec![call], ..Transcript::default() };
    match next(&transcript) {
        Next::Conclude(report) => *report,
        Next::Call(calls) => panic!("no tool was given: {calls:?}"),
    }
}

#[test]
fn no_cause_is_stated_on_healthy_captures() {
    let captures = captures();
    assert!(captures.len() >= 40, "{}", captures.len());
    let mut wrong = Vec::new();
    for (name, command, text) in &captures {
        for alert in ALERTS {
            let report = conclude(alert, (command, text));
            if let Some(verdict) = report.verdict {
                wrong.push(format!("{name}: {}: {}", verdict.category, verdict.cause));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_no_evidence_decides_is_a_hint_and_no_cause() {
    const LOG: &str = "2026-11-22T01:00:00Z INFO started, version 2.14.0\n\
        2026-11-22T01:05:00Z WARN the cache is cold\n\
        2026-11-22T01:20:00Z ERROR template of the invoice has no footer\n";
    let alert = r#"{"alertname": "QueueGrows", "summary": "the queue of orders grows"}"#;
    let report = conclude(alert, ("cat /var/log/orders.log", LOG));
    assert!(report.verdict.is_none(), "{}", report.markdown);
    let (before, hints) = report.markdown.split_once("### Weak hints").unwrap();
    assert!(before.contains("## No cause found"), "{before}");
    assert!(hints.contains("template of the invoice has no footer"), "{hints}");
    assert!(!report.markdown.contains("Confidence"), "{}", report.markdown);
}
