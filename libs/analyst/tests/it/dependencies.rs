//! What the object of an alert depends on is looked at, and its fault is the cause.

use serde_json::{Value, json};
use tarsy_analyst::{CallRecord, Next, Report, Tool, Transcript, next};

const ALERT: &str =
    "ServiceErrors: the service storefront answers with errors\nservice: storefront";
const GIVEN: &str = "storefront calls payments (team shop, known from tarsy.yaml)";
const OWN: &str =
    "2026-02-11T09:58:00Z storefront ERROR request to payments failed: 503 Service Unavailable";
const CALLED: &str =
    "2026-02-11T09:57:00Z payments ERROR panic: environment variable SETTLEMENT_URL is not set";
const OTHER: &str =
    "2026-02-11T09:57:00Z NAME ERROR panic: environment variable LICENCE is not set";

fn tools() -> Vec<Tool> {
    let path =
        r#"{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}"#;
    vec![
        Tool::new("host.list_logs", "Lists the log files of the machine", "{}"),
        Tool::new("host.read_log", "Reads the last lines of a log file", path),
    ]
}

/// The answer of the machine: many logs with a fault each, of which that of `payments` was written first.
fn answer(tool: &str, arguments: &Value) -> String {
    let path = arguments["path"].as_str().unwrap_or_default();
    let name = path.trim_start_matches("/var/log/").trim_end_matches(".log");
    match (tool, name) {
        ("host.list_logs", _) => {
            let others = (1..=12).map(|at| format!("/var/log/worker{at}.log\n"));
            let named = ["/var/log/storefront.log\n", "/var/log/payments.log\n"];
            others.chain(named.map(str::to_owned)).collect()
        }
        (_, "storefront") => OWN.to_owned(),
        (_, "payments") => CALLED.to_owned(),
        (_, name) => OTHER.replace("NAME", name),
    }
}

/// The report, and the logs that were read.
fn investigate(dependencies: &str) -> (Report, Vec<String>) {
    let mut transcript = Transcript {
        alert: ALERT.to_owned(),
        received_at: Some("2026-02-11T10:00:00Z".parse().unwrap()),
        dependencies: dependencies.to_owned(),
        tools: tools(),
        remaining_calls: 40,
        ..Transcript::default()
    };
    for _ in 0..20 {
        let calls = match next(&transcript) {
            Next::Call(calls) => calls,
            Next::Conclude(report) => {
                let paths = transcript.calls.iter().filter_map(|call| {
                    call.arguments.get("path").and_then(Value::as_str).map(str::to_owned)
                });
                return (*report, paths.collect());
            }
        };
        for call in calls {
            let number = u32::try_from(transcript.calls.len() + 1).unwrap();
            let text = answer(&call.tool, &call.arguments);
            let (tool, arguments) = (call.tool, call.arguments);
            transcript.calls.push(CallRecord { number, tool, arguments, text, failed: false });
        }
    }
    panic!("no end")
}

#[test]
fn the_fault_of_what_the_alerts_object_calls_is_its_cause() {
    let (report, read) = investigate(GIVEN);
    assert!(read.iter().any(|path| path == "/var/log/payments.log"), "{read:?}");
    let verdict = report.verdict.expect("a cause");
    assert!(verdict.cause.contains("SETTLEMENT_URL"), "{}", report.markdown);
    assert!(verdict.cause.contains("which `storefront` calls"), "{}", verdict.cause);
    assert!(report.markdown.contains(GIVEN), "it is cited: {}", report.markdown);
}

#[test]
fn without_the_dependency_the_log_is_one_of_many() {
    let (report, read) = investigate("mail calls relay (known from tarsy.yaml)");
    assert!(!read.iter().any(|path| path == "/var/log/payments.log"), "{read:?}");
    let cause = report.verdict.map(|verdict| verdict.cause).unwrap_or_default();
    assert!(!cause.contains("SETTLEMENT_URL"), "{cause}");
}

#[test]
fn a_dependency_alone_is_no_cause() {
    let transcript = Transcript {
        alert: ALERT.to_owned(),
        dependencies: GIVEN.to_owned(),
        calls: vec![CallRecord {
            number: 1,
            tool: "host.read_log".to_owned(),
            arguments: json!({"path": "/var/log/payments.log"}),
            text: "2026-02-11T09:57:00Z payments INFO ready".to_owned(),
            failed: false,
        }],
        ..Transcript::default()
    };
    let Next::Conclude(report) = next(&transcript) else { panic!("no tool was given") };
    assert_eq!(report.verdict, None, "{}", report.markdown);
}
