//! The cases of `tests/cases`: how often the offline analyst names the cause, and that its reports state nothing false.
//!
//! `make eval` runs the same cases through the whole product. Here the analyst is played with the recorded calls alone.

#![expect(clippy::print_stdout, reason = "the figures of the run, and a report on demand")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::Value;
use tarsy_analyst::{CallRecord, Next, Report, Tool, Transcript, next};
use tarsy_contracts::change::lines;
use tarsy_contracts::recording::{RecordedAlert, RecordedCall, RecordedServer};
use tarsy_domain::event::CallStatus;
use tarsy_evaluation::{Expected, Score, score};
use tarsy_evidence::{Call, Evidence};

/// Rounds after which an investigation must have ended.
const MOST_ROUNDS: usize = 60;
/// Calls that an investigation may make.
const MOST_CALLS: usize = 40;
/// What was measured on 71 cases with a fault; a change of the rules must not fall below it.
const AT_1: usize = 67;
const AT_3: usize = 68;
/// Cases of changes in which the cause is not the first one, or its change is not named.
const MISSING_CHANGES: usize = 1;

struct Case {
    name: String,
    alert: RecordedAlert,
    tools: Vec<Tool>,
    recorded: Vec<RecordedCall>,
    expected: Expected,
}

/// An investigation that has ended.
struct Played {
    report: Report,
    calls: Vec<CallRecord>,
}

impl Case {
    fn load(folder: &Path) -> Self {
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let servers: Vec<RecordedServer> = serde_json::from_str(&read("tools.json")).unwrap();
        let tools = servers.iter().flat_map(|server| &server.tools).map(|tool| {
            let name = format!("{}.{}", tool.server, tool.name);
            Tool::new(&name, &tool.description, &tool.input_schema.to_string())
        });
        let calls = read("calls.jsonl");
        Self {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            alert: serde_json::from_str(&read("alert.json")).unwrap(),
            tools: tools.collect(),
            recorded: calls.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
            expected: serde_json::from_str(&read("expected.json")).unwrap(),
        }
    }

    fn call(&self, number: u32, tool: String, arguments: Value) -> CallRecord {
        let name = tool.rsplit('.').next().unwrap_or_default();
        let mut same =
            self.recorded.iter().filter(|call| call.tool == name && call.arguments == arguments);
        let (text, failed) = match same.next() {
            Some(call) => (call.result.clone(), call.status != CallStatus::Completed),
            None => ("not recorded".to_owned(), true),
        };
        CallRecord { number, tool, arguments, text, failed }
    }

    fn play(&self) -> Played {
        let mut transcript = Transcript {
            alert: self.alert.data.clone(),
            received_at: Some(self.alert.received_at),
            changes: lines(&self.alert.changes),
            tools: self.tools.clone(),
            remaining_calls: MOST_CALLS,
            ..Transcript::default()
        };
        for _ in 0..MOST_ROUNDS {
            match next(&transcript) {
                Next::Conclude(report) => {
                    return Played { report: *report, calls: transcript.calls };
                }
                Next::Call(calls) => {
                    for call in calls {
                        let number = u32::try_from(transcript.calls.len() + 1).unwrap();
                        transcript.calls.push(self.call(number, call.tool, call.arguments));
                    }
                }
            }
        }
        panic!("{}: no end", self.name)
    }

    fn score(&self, played: &Played) -> Score {
        score(&played.report.markdown, Some(&played.report.recorded), &self.expected)
    }
}

/// All cases, played once for all tests.
fn played() -> &'static [(Case, Played)] {
    static ALL: LazyLock<Vec<(Case, Played)>> = LazyLock::new(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
        let below =
            |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut folders: Vec<PathBuf> = below(root.join("kubernetes")).chain(below(root)).collect();
        folders.retain(|folder| folder.join("calls.jsonl").is_file());
        folders.sort();
        let cases = folders.iter().map(|folder| Case::load(folder));
        cases.map(|case| (case.play(), case)).map(|(played, case)| (case, played)).collect()
    });
    &ALL
}

#[test]
fn the_analyst_names_the_cause_of_as_many_cases_as_when_they_were_recorded() {
    let scores: Vec<Score> = played().iter().map(|(case, played)| case.score(played)).collect();
    for ((case, played), score) in played().iter().zip(&scores) {
        if score.healthy {
            assert_eq!(score.stated, None, "{}: nothing fails there", case.name);
        } else if !score.is_at(1) || score.object == Some(false) || score.category == Some(false) {
            let found = played.report.verdict.as_ref();
            let found =
                found.map(|one| format!("{} `{}`: {}", one.category, one.target.name, one.cause));
            println!("{}: {score:?}, found {found:?}", case.name);
        }
    }
    let count =
        |is_hit: &dyn Fn(&Score) -> bool| scores.iter().filter(|score| is_hit(score)).count();
    let (first, three) = (count(&|score| score.is_at(1)), count(&|score| score.is_at(3)));
    let object = count(&|score| score.object == Some(true));
    let category = count(&|score| score.category == Some(true));
    let cases = scores.len();
    println!("cases {cases}, A@1 {first}, A@3 {three}, object {object}, category {category}");
    assert!(first >= AT_1 && three >= AT_3, "A@1 {first} of {AT_1}, A@3 {three} of {AT_3}");
}

/// The expected evidence of such a case has the text of the change at fault.
#[test]
fn the_cause_that_a_change_explains_is_the_first_one_and_the_change_a_fact_of_the_verdict() {
    let mut missing = Vec::new();
    let of_changes = played().iter().filter(|(case, _)| !case.alert.changes.is_empty());
    assert!(of_changes.clone().count() >= 10);
    for (case, played) in of_changes {
        let change = played.report.recorded.change.as_ref();
        let at_fault = case.expected.required_evidence.iter().flatten();
        let is_it = change.is_some_and(|change| {
            let text = format!("{} {}", change.describe(), change.text);
            at_fault.clone().any(|part| text.contains(part.as_str()))
        });
        let is_first = case.score(played).is_at(1);
        if !is_it || !is_first {
            missing.push(format!("{}: first {is_first}, {change:?}", case.name));
        }
    }
    assert!(missing.len() <= MISSING_CHANGES, "{}", missing.join("\n"));
}

#[test]
fn no_report_about_a_case_has_a_false_statement() {
    let mut wrong = Vec::new();
    for (case, played) in played() {
        let arguments: Vec<String> =
            played.calls.iter().map(|call| call.arguments.to_string()).collect();
        let calls = played.calls.iter().zip(&arguments).map(|(call, arguments)| Call {
            number: call.number,
            tool: &call.tool,
            arguments,
            text: &call.text,
            answered_at: None,
        });
        let report = &played.report.markdown;
        let calls: Vec<Call<'_>> = calls.collect();
        let checked =
            Evidence::new(&calls, &[&case.alert.data, &lines(&case.alert.changes)]).check(report);
        wrong.extend(checked.flagged().map(|one| {
            format!("{}: {:?} {:?}", case.name, one.verdict, report.get(one.claim.range.clone()))
        }));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Prints one report: `CASE=name cargo test -p tarsy-evaluation one_report -- --nocapture`.
#[test]
fn one_report_is_printed_on_demand() {
    #[expect(clippy::disallowed_methods, reason = "a switch for the author of cases")]
    let Ok(name) = std::env::var("CASE") else { return };
    let (_, played) =
        played().iter().find(|(case, _)| case.name == name).expect("a case of this name");
    for CallRecord { number, tool, arguments, failed, .. } in &played.calls {
        println!("[call {number}] {tool} {arguments} {}", if *failed { "FAILED" } else { "" });
    }
    println!("{}", played.report.markdown);
}
