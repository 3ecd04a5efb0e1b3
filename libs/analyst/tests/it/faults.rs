//! Classes of faults, each in the forms in which tools show them, beside twins in which nothing is wrong.

#![expect(clippy::print_stdout, reason = "a report on demand")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tarsy_analyst::{CallRecord, Next, Report, Tool, Transcript, next};

const ALERT: &str = "Requests of the shop fail.\nnamespace: mall";

/// What a case must end with.
pub(crate) enum Expected {
    /// The categories that are right, the names of the object, words of the cause, what becomes of the alert's statement,
    /// how sure it is.
    Cause([Vec<String>; 5]),
    /// No cause: what becomes of the alert's statement, and words of the sentence about it.
    None([Vec<String>; 2]),
}

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) expected: Expected,
    pub(crate) transcript: Transcript,
    /// What stands above the first result.
    pub(crate) head: String,
}

/// `a,b` as a list.
fn words(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The cases of a file: each begins with `== name`, then `? categories | objects | words | statements | confidence`
/// or `? none | statements | words`, of which the last parts may be left out; each result with `$ kubectl …`, `$ host …` (a
/// command on a machine), or `$ tool {arguments}`.
pub(crate) fn cases(text: &str) -> Vec<Case> {
    text.split("\n== ").map(|one| case(one.trim_start_matches("== "))).collect()
}

fn case(text: &str) -> Case {
    let (head, results) = text.split_once("\n$ ").unwrap();
    let mut lines = head.lines();
    let name = lines.next().unwrap().to_owned();
    let line = |mark: &str| head.lines().find_map(|line| line.strip_prefix(mark));
    let mut parts: Vec<Vec<String>> = line("? ").unwrap().split('|').map(words).collect();
    parts.resize(5, Vec::new());
    let [first, second, third, fourth, fifth] = parts.try_into().unwrap();
    let expected = if first == ["none"] {
        Expected::None([second, third])
    } else {
        Expected::Cause([first, second, third, fourth, fifth])
    };
    let calls = results.split("\n$ ").zip(1_u32..).map(|(result, number)| call(number, result));
    let transcript = Transcript {
        alert: line("! ").map_or_else(|| ALERT.to_owned(), |alert| alert.replace("\\n", "\n")),
        received_at: Some("2026-05-01T10:00:00Z".parse().unwrap()),
        calls: calls.collect(),
        ..Transcript::default()
    };
    Case { name, expected, transcript, head: head.to_owned() }
}

fn call(number: u32, result: &str) -> CallRecord {
    let (head, text) = result.split_once('\n').unwrap();
    let (tool, arguments) = match head.split_once(' ').unwrap() {
        ("kubectl", _) => ("ops.exec_kubectl_cmd_safely".to_owned(), json!({ "cmd": head })),
        ("host", command) => ("shell.read_command".to_owned(), json!({ "command": command })),
        (tool, arguments) => (format!("k8s.{tool}"), serde_json::from_str(arguments).unwrap()),
    };
    let arguments: Value = arguments;
    CallRecord { number, tool, arguments, text: text.trim_end().to_owned() + "\n", failed: false }
}

fn all() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    let mut files: Vec<_> = fs::read_dir(root).unwrap().map(|one| one.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| cases(&fs::read_to_string(file).unwrap())).collect()
}

pub(crate) fn report(transcript: &Transcript) -> Report {
    match next(transcript) {
        Next::Conclude(report) => *report,
        Next::Call(calls) => panic!("no tool was given: {calls:?}"),
    }
}

pub(crate) fn wrong(case: &Case, report: &Report) -> Option<String> {
    let stated = report.verdict.as_ref();
    let shown = stated.map(|one| {
        format!(
            "{} at {} `{}` ({}): {}",
            one.category, one.target.kind, one.target.name, one.confidence, one.cause
        )
    });
    let recorded = &report.recorded;
    let statement = recorded.alert_statement.to_string();
    let any = |list: &[String], fits: &dyn Fn(&str) -> bool| {
        list.is_empty() || list.iter().any(|word| fits(word))
    };
    let is_right = match (&case.expected, stated) {
        (Expected::None(_), Some(_)) | (Expected::Cause(_), None) => false,
        (Expected::None([statements, words]), None) => {
            any(statements, &|kind| kind == statement)
                && any(words, &|word| recorded.answer.contains(word))
        }
        (Expected::Cause([categories, objects, words, statements, sure]), Some(one)) => {
            any(categories, &|name| name == one.category.to_string())
                && any(objects, &|name| one.target.name.starts_with(name))
                && any(words, &|word| one.cause.contains(word))
                && any(statements, &|kind| kind == statement)
                && any(sure, &|confidence| confidence == one.confidence.to_string())
        }
    };
    let hint = || format!("none; {statement}: {}; hint: {}", recorded.answer, recorded.cause);
    (!is_right).then(|| format!("{}: {}", case.name, shown.unwrap_or_else(hint)))
}

#[test]
fn every_class_of_faults_is_named_and_no_healthy_twin_is() {
    let all = all();
    let wrong: Vec<String> =
        all.iter().filter_map(|case| wrong(case, &report(&case.transcript))).collect();
    println!("{} of {} cases", all.len() - wrong.len(), all.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// The calls that follow on results, with these tools.
fn asked(tools: &[Tool], results: &[(&str, &str)]) -> Vec<String> {
    let calls = results
        .iter()
        .zip(1_u32..)
        .map(|((head, text), number)| call(number, &format!("{head}\n{text}")));
    let mut transcript = Transcript {
        alert: ALERT.to_owned(),
        tools: tools.to_vec(),
        calls: calls.collect(),
        remaining_calls: 40,
        ..Transcript::default()
    };
    let mut asked = Vec::new();
    while let Next::Call(calls) = next(&transcript) {
        for one in calls {
            asked.push(one.arguments["cmd"].as_str().unwrap().to_owned());
            let number = u32::try_from(transcript.calls.len() + 1).unwrap();
            let (tool, arguments) = (one.tool, one.arguments);
            let text = "Error: not recorded".to_owned();
            transcript.calls.push(CallRecord { number, tool, arguments, text, failed: true });
        }
    }
    asked
}

#[test]
fn what_made_an_object_and_what_an_entry_names_is_asked_for() {
    let schema =
        r#"{"type": "object", "properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}"#;
    let tool =
        Tool::new("ops.exec_kubectl_cmd_safely", "Runs a kubectl command that reads", schema);
    let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: cache\n  namespace: mall\n  ownerReferences:\n  - apiVersion: stores.example.com/v1\n    kind: Cache\n    name: sessions\n";
    let entries = "NAME         CLASS   HOSTS              ADDRESS   PORTS   AGE\nshop-entry   nginx   shop.example.com             80      20m\n";
    let asked = asked(
        &[tool],
        &[
            ("kubectl get statefulset cache -n mall -o yaml", set),
            ("kubectl get ingresses -n mall", entries),
        ],
    );
    for expected in [
        "kubectl get Cache.stores.example.com sessions -n mall -o yaml",
        "kubectl get ingress shop-entry -n mall -o yaml",
        "kubectl get ingressclasses -A",
    ] {
        assert!(asked.iter().any(|one| one == expected), "{expected}: {asked:?}");
    }
}
