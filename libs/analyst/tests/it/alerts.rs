//! The alert is answered first: about another machine, about values that were measured, about what could not be looked at.

use serde_json::{Value, json};
use tarsy_analyst::{CallRecord, Next, Report, Transcript, next};
use tarsy_domain::verdict::{AlertStatement, Outcome};

const OVERVIEW: &str = r#"{"hostname": "vm", "kernel": "6.1", "uptime": "8h", "cpu": {"cores": 2}, "load": {"1m": 0.12, "5m": 0.1},
  "memory_used_percent": 6.6,
  "disks": [{"mount": "/", "used_percent": 25.4, "inodes_used_percent": 4.4}]}"#;
const PROCESSES: &str = r#"{"machine_cpu_percent": {"busy": 41.3}, "processes": [
  {"pid": 7, "name": "cc1", "state": "running", "cpu_percent": 74.2, "memory_percent": 31.0, "parent": 1, "command": "/usr/lib/cc1"}]}"#;
const INTERFACES: &str = r#"[{"name": "eth0", "rx_packets": 2229, "rx_errors": 0, "rx_dropped": 0, "tx_errors": 0, "tx_dropped": 0,
  "state": "up", "mtu": 1400}]"#;

fn call(number: u32, tool: &str, arguments: Value, text: &str) -> CallRecord {
    CallRecord {
        number,
        tool: format!("host.{tool}"),
        arguments,
        text: text.to_owned(),
        failed: false,
    }
}

fn conclude(alert: &str, more: &[(&str, Value, &str)]) -> Report {
    let mut calls = vec![
        call(1, "system_overview", json!({}), OVERVIEW),
        call(2, "top_processes", json!({}), PROCESSES),
        call(3, "network_counters", json!({}), INTERFACES),
    ];
    for (number, (tool, arguments, text)) in (4..).zip(more) {
        calls.push(call(number, tool, arguments.clone(), text));
    }
    let transcript = Transcript { alert: alert.to_owned(), calls, ..Transcript::default() };
    match next(&transcript) {
        Next::Conclude(report) => *report,
        Next::Call(calls) => panic!("no tool was given: {calls:?}"),
    }
}

fn first_sentence(report: &Report) -> &str {
    report.markdown.split(".\n").next().unwrap()
}

#[test]
fn a_machine_that_was_not_examined_gets_no_cause_of_the_one_that_was() {
    for alert in [
        r#"{"labels": {"alertname": "InstanceDown", "severity": "critical", "instance": "db-2:9100"}}"#,
        "db-2 is down",
        "alertname: HostOOMKill\nhost: db-2\nsummary: out of memory on db-2",
        "HighCPU: the processors of server db-2 are busy",
    ] {
        let log = "2026-11-22T01:00:00Z worker: FATAL out of memory: killed process 42";
        let report = conclude(alert, &[("tail_log", json!({"path": "/var/log/worker.log"}), log)]);
        assert_eq!(report.verdict, None, "{}", report.markdown);
        let sentence =
            "Cannot be seen from here: the alert is about `db-2`; only `vm` [call 1] was examined";
        assert_eq!(first_sentence(&report), sentence);
        assert!(report.markdown.contains("### Also seen"), "{}", report.markdown);
    }
}

#[test]
fn what_names_the_alerts_machine_may_be_its_cause() {
    let log = "2026-11-22T01:00:00Z ERROR db-2.example.com:5432: Connection refused";
    let alert = "alertname: DatabaseUnreachable\ninstance: db-2.example.com:5432";
    let report = conclude(alert, &[("tail_log", json!({"path": "/var/log/orders.log"}), log)]);
    let sentence = "Confirmed: results of `vm` [call 1] name `db-2.example.com`";
    assert_eq!(first_sentence(&report), sentence, "{}", report.markdown);
    assert!(report.verdict.unwrap().target.name.contains("db-2"));
}

#[test]
fn what_was_measured_answers_the_alert_in_numbers() {
    for (alert, sentence) in [
        (
            "HostHighLoad on vm",
            "Not confirmed: load is 0.12 on 2 cores [call 1], on host `vm` [call 1]",
        ),
        (
            "alertname: HostDiskFull\nhost: vm\nsummary: / is above 90 %",
            "Not confirmed: the fullest file system `/` has 25.4 % of its space in use [call 1], on host `vm` [call 1]",
        ),
        (
            "HostMemoryHigh: memory above 80 %",
            "Not confirmed: 6.6 % of the memory is in use [call 1], on host `vm` [call 1]",
        ),
        (
            "HostCpuHigh",
            "Not confirmed: the processors are 41.3 % busy [call 2], on host `vm` [call 1]",
        ),
        (
            "alertname: InstanceDown\ninstance: vm:9100",
            "Not confirmed: `vm` answers [call 1], on host `vm` [call 1]",
        ),
        (
            "NetworkErrors: packets are lost",
            "Not confirmed: interface `eth0` has 0 errors and 0 dropped packets [call 3], on host `vm` [call 1]",
        ),
        (
            "HostDiskSpace: more than 20 % of the disk is used",
            "Confirmed: the fullest file system `/` has 25.4 % of its space in use [call 1], on host `vm` [call 1]",
        ),
    ] {
        let report = conclude(alert, &[]);
        assert_eq!(first_sentence(&report), sentence, "{alert}: {}", report.markdown);
        assert_eq!(report.verdict, None, "{alert}: {}", report.markdown);
    }
}

#[test]
fn a_busy_process_is_a_cause_only_where_the_alert_can_follow_from_it() {
    let busy = OVERVIEW.replace("0.12", "3.4");
    let overview = ("load_average", json!({}), busy.as_str());
    let report = conclude("HostHighLoad on vm", std::slice::from_ref(&overview));
    assert!(first_sentence(&report).starts_with("Confirmed: load is 3.4"), "{}", report.markdown);
    assert!(report.verdict.is_some(), "{}", report.markdown);
    let report = conclude("HostDiskFull on vm", &[overview]);
    assert_eq!(report.verdict, None, "{}", report.markdown);
}

#[test]
fn a_process_that_takes_much_of_a_machine_is_a_cause_only_of_what_it_uses_up() {
    let overview = |load: &str, cores: &str, memory: &str, disk: &str| {
        let text = OVERVIEW.replace("0.12", load).replace("\"cores\": 2", cores);
        text.replace("6.6", memory).replace("25.4", disk)
    };
    let (two, many) = ("\"cores\": 2", "\"cores\": 64");
    let of_process = |alert: &str, overview: &str| {
        let report = conclude(alert, &[("overview", json!({}), overview)]);
        let ended = report.recorded.outcome;
        assert_eq!(report.verdict.is_some(), ended == Outcome::CauseFound, "{alert}");
        report.verdict.is_some_and(|one| one.target.name == "cc1")
    };
    let load = "alertname: HostHighLoadAndDiskUsage\nsummary: Load is high and / fills up";
    for (alert, overview, expected) in [
        (load, overview("3.4", two, "6.6", "25.4"), true),
        // The disk is full, and the load is not high.
        (load, overview("0.4", two, "6.6", "96.4"), false),
        // It uses a small part of 64 cores.
        (load, overview("80.4", many, "6.6", "25.4"), false),
        ("HostMemoryPressure: little memory is left", overview("0.4", two, "95.5", "25.4"), true),
        ("HostMemoryPressure: little memory is left", overview("0.4", two, "41.2", "25.4"), false),
        ("HostMemoryHigh: one process uses the memory", overview("0.4", two, "41.2", "25.4"), true),
        ("Requests are slow", overview("3.4", two, "6.6", "25.4"), true),
        ("Requests are slow", overview("0.4", two, "6.6", "25.4"), false),
    ] {
        assert_eq!(of_process(alert, &overview), expected, "{alert}: {overview}");
    }
}

#[test]
fn a_busy_process_does_not_confirm_an_alert_by_itself() {
    let processes = PROCESSES.replace("\"machine_cpu_percent\": {\"busy\": 41.3}, ", "");
    for alert in ["HostHighLoad on vm", "HostCpuHigh", "HostMemoryHigh", "Requests are slow"] {
        let call = call(1, "top_processes", json!({}), &processes);
        let transcript =
            Transcript { alert: alert.to_owned(), calls: vec![call], ..Transcript::default() };
        let Next::Conclude(report) = next(&transcript) else { panic!("no tool was given") };
        assert_eq!(report.verdict, None, "{alert}: {}", report.markdown);
        assert_ne!(report.recorded.alert_statement, AlertStatement::Confirmed, "{alert}");
        assert!(report.markdown.contains("### Also seen"), "{alert}: {}", report.markdown);
    }
}

#[test]
fn what_no_result_shows_cannot_be_seen() {
    let report =
        conclude("alertname: HostClockSkew\nhost: vm\nsummary: the clock is 4 s late", &[]);
    let sentence = "Not confirmed: no result about `vm` shows a fault, on host `vm` [call 1]";
    assert_eq!(first_sentence(&report), sentence, "{}", report.markdown);
    let report = conclude("the invoices of November are missing", &[]);
    let sentence =
        "Cannot be seen from here: no result shows what the alert states, on host `vm` [call 1]";
    assert_eq!(first_sentence(&report), sentence, "{}", report.markdown);
}

#[test]
fn a_pod_that_is_being_removed_explains_less_than_one_that_stays() {
    let pods = "NAMESPACE   NAME                    READY   STATUS                       RESTARTS   AGE\n\
        shop        a-6f7d9c8b5f-x2x8p      0/1     Terminating                  0          9m\n\
        shop        b-6f7d9c8b5f-k7k2q      0/1     CreateContainerConfigError   0          9m\n";
    let event = |pod: &str| {
        format!(
            r#"{{"reason": "Failed", "message": "Error: secret \"{pod}-key\" not found", "type": "Warning", "namespace": "shop",
            "involved_object": "Pod/{pod}", "last_time": "2026-05-01T09:59:00Z"}}"#
        )
    };
    let events = format!("[{}, {}]", event("a-6f7d9c8b5f-x2x8p"), event("b-6f7d9c8b5f-k7k2q"));
    let alert = "alertname: PodsNotReady\nnamespace: shop";
    let report =
        conclude(alert, &[("pods_list", json!({}), pods), ("events_list", json!({}), &events)]);
    let verdict = report.verdict.expect("a cause");
    assert!(verdict.target.name.starts_with('b'), "{}", report.markdown);
}
