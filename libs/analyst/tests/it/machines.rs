//! What the inspector recorded of one machine that is idle, busy and loaded (`tests/machines/capture.py`): the alert is answered
//! about its machine, and a process that works is no cause of what is not so.

use std::fs;
use std::path::Path;

use tarsy_analyst::{CallRecord, Next, Report, Transcript, next};
use tarsy_domain::verdict::{AlertStatement, Outcome};

/// Alerts, each with the machine that its answer names.
const ALERTS: &[(&str, &str)] = &[
    (r#"{"labels": {"alertname": "HostHighLoad", "severity": "critical", "host": "vm"}}"#, "`vm`"),
    ("alertname: HostDiskFull\nhost: vm\nsummary: / is above 90 %", "`vm`"),
    (r#"{"labels": {"alertname": "InstanceDown", "instance": "db-2:9100"}}"#, "`db-2`"),
    ("alertname: HostOOMKill\nhost: db-2\nsummary: out of memory on db-2", "`db-2`"),
    ("alertname: HostClockSkew\nhost: vm\nsummary: the clock of vm is 4 s late", "`vm`"),
    ("NetworkErrors: packets of eth0 are lost on vm", "`vm`"),
    (
        r#"{"labels": {"alertname": "HostHighLoadAndDiskUsage", "instance": "localhost", "mountpoint": "/"},
          "annotations": {"summary": "Load is high and the root file system fills up on localhost",
            "description": "The 5 minute load average stays above the number of CPUs. Find out which processes cause the load."}}"#,
        "`vm`",
    ),
    (
        r#"{"labels": {"alertname": "HostMemoryPressure", "instance": "localhost"},
          "annotations": {"summary": "Little memory is available on localhost",
            "description": "Find the processes with the largest resident memory, and look for kills by the kernel."}}"#,
        "`vm`",
    ),
];

/// The calls of a capture: each with its tool, its arguments and its answer.
fn calls(state: &str) -> Vec<CallRecord> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/machines/{state}.txt"));
    let text = fs::read_to_string(path).unwrap();
    let parts = text.trim_start_matches("$ ").split("\n$ ");
    let call = |(number, part): (u32, &str)| {
        let (head, text) = part.split_once('\n').unwrap();
        let (tool, arguments) = head.split_once(' ').unwrap();
        CallRecord {
            number,
            tool: format!("host.{tool}"),
            arguments: serde_json::from_str(arguments).unwrap(),
            text: text.to_owned(),
            failed: false,
        }
    };
    (1..).zip(parts).map(call).collect()
}

fn conclude(alert: &str, state: &str) -> Report {
    let transcript =
        Transcript { alert: alert.to_owned(), calls: calls(state), ..Transcript::default() };
    match next(&transcript) {
        Next::Conclude(report) => *report,
        Next::Call(calls) => panic!("no tool was given: {calls:?}"),
    }
}

#[test]
fn alerts_about_a_machine_that_works_are_answered_without_a_cause() {
    for state in ["idle", "busy", "loaded"] {
        for (alert, machine) in ALERTS {
            let report = conclude(alert, state);
            assert_eq!(report.verdict, None, "{state}, {alert}: {}", report.markdown);
            let ended = report.recorded.outcome;
            let is_none = matches!(ended, Outcome::NoFaultFound | Outcome::NotExaminable);
            assert!(is_none, "{state}, {alert}: {ended:?}");
            let first = report.markdown.lines().next().unwrap();
            assert!(first.contains(machine), "{state}, {alert}: {first}");
        }
    }
}

#[test]
fn a_busy_process_is_seen_beside_an_alert_that_is_not_so() {
    for (alert, _) in ALERTS {
        let report = conclude(alert, "busy");
        let aside = report.recorded.alternatives;
        let process = aside.iter().find(|one| one.cause.contains("`compile` uses"));
        let process = process.unwrap_or_else(|| panic!("{alert}: {}", report.markdown));
        assert!(!process.evidence.is_empty(), "{alert}: {}", report.markdown);
        assert_ne!(report.recorded.alert_statement, AlertStatement::Confirmed, "{alert}");
    }
}

#[test]
fn a_load_that_is_as_high_as_the_alert_states_is_confirmed() {
    let (alert, _) = ALERTS[0];
    assert_eq!(conclude(alert, "loaded").recorded.alert_statement, AlertStatement::Confirmed);
    assert_eq!(conclude(alert, "idle").recorded.alert_statement, AlertStatement::NotConfirmed);
}
