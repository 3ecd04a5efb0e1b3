//! Results of the host inspector of a node, which begin with the name of the node.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tarsy_analyst::{CallRecord, Next, Report, Transcript, next};

use crate::toolbox::flagged;

const NODE: &str = "web-1.example.com";

/// The recorded cases of one machine.
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let found = fs::read_dir(root).unwrap().map(|one| one.unwrap().path());
    let mut found: Vec<PathBuf> = found.filter(|path| path.join("calls.jsonl").exists()).collect();
    found.sort();
    found
}

/// All recorded calls of a case, after which the report must be written.
fn transcript(folder: &Path) -> Transcript {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let call = |line: &str| {
        let call: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| call[key].as_str().unwrap_or_default().to_owned();
        CallRecord {
            number: u32::try_from(call["number"].as_u64().unwrap()).unwrap(),
            tool: format!("{}.{}", text("server"), text("tool")),
            arguments: call["arguments"].clone(),
            text: text("result"),
            failed: text("status") == "failed",
        }
    };
    let calls = read("calls.jsonl").lines().map(call).collect();
    Transcript { alert: read("alert.json"), calls, ..Transcript::default() }
}

/// The same as the inspector of a node answers.
fn of_node(mut transcript: Transcript) -> Transcript {
    for call in &mut transcript.calls {
        if let Some(rest) = call.text.strip_prefix("{\n") {
            call.text = format!("{{\n  \"inspected_node\": {},\n{rest}", json!(NODE));
        }
    }
    transcript
}

fn report(transcript: &Transcript) -> Report {
    match next(transcript) {
        Next::Conclude(report) => *report,
        Next::Call(calls) => panic!("no call is left: {calls:?}"),
    }
}

#[test]
fn the_name_of_the_node_changes_neither_the_cause_nor_what_the_checks_find() {
    let folders = folders();
    assert!(folders.len() > 20, "{folders:?}");
    let mut named = 0;
    for folder in folders {
        let alone = transcript(&folder);
        let on_node = of_node(alone.clone());
        named += on_node.calls.iter().filter(|call| call.text.contains(NODE)).count();
        let (own, other) = (report(&alone), report(&on_node));
        let cause = |report: &Report| {
            let verdict = report.verdict.as_ref();
            verdict.map(|one| (one.category, one.target.clone(), one.cause.clone()))
        };
        assert_eq!(cause(&own), cause(&other), "{}", folder.display());
        let found = |report: &Report, transcript: &Transcript| {
            flagged(&report.markdown, &transcript.calls, &transcript.alert)
        };
        assert_eq!(found(&own, &alone), found(&other, &on_node), "{}", folder.display());
    }
    assert!(named > 100, "{named}");
}
