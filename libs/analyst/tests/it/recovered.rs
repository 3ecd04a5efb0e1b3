//! A pod that was restarted and recovered is no cause; one that goes on ending is.

use serde_json::json;
use tarsy_analyst::{CallRecord, Category, Next, Report, Transcript, next};

const ALERT: &str =
    r#"{"title": "PodRestarting", "labels": {"namespace": "shop", "pod": "cart-5d8f-x7k2"}}"#;
const EVENT: &str = "LAST SEEN   TYPE      REASON    OBJECT               MESSAGE\n70m         Warning   BackOff   pod/cart-5d8f-x7k2   Back-off restarting failed container cart in pod cart-5d8f-x7k2\n";

fn call(number: u32, tool: &str, text: &str) -> CallRecord {
    CallRecord {
        number,
        tool: tool.to_owned(),
        arguments: json!({"namespace": "shop"}),
        text: text.to_owned(),
        failed: false,
    }
}

fn report(pods: &str) -> Report {
    conclude(vec![call(1, "cluster.pods_list", pods), call(2, "cluster.events_list", EVENT)])
}

fn conclude(calls: Vec<CallRecord>) -> Report {
    let transcript = Transcript {
        alert: ALERT.to_owned(),
        received_at: Some("2026-05-01T10:00:00Z".parse().unwrap()),
        calls,
        ..Transcript::default()
    };
    match next(&transcript) {
        Next::Conclude(report) => *report,
        Next::Call(calls) => panic!("no call is left: {calls:?}"),
    }
}

fn table(ready: &str, status: &str, restarts: &str) -> String {
    format!(
        "NAME             READY   STATUS    RESTARTS        AGE\ncart-5d8f-x7k2   {ready}     {status}   {restarts}   5d\ncart-5d8f-b2m9   1/1     Running   0               5d\n"
    )
}

/// A pod as a tool of its own writes it.
fn plain(restarts: u32, started: &str) -> String {
    json!({"pods": [{
        "name": "cart-5d8f-x7k2", "namespace": "shop", "phase": "Running",
        "containers": [{"name": "cart", "ready": true, "restart_count": restarts,
            "state": {"running": true, "started_at": started}}],
    }]})
    .to_string()
}

#[test]
fn a_restart_that_is_over_is_no_cause() {
    for pods in [
        table("1/1", "Running", "2 (69m ago)"),
        plain(2, "2026-05-01T08:51:00Z"),
        // Of a record that has no later time.
        plain(1, "2026-05-01T08:51:00Z").replace("2026-05-01", "2025-05-01"),
    ] {
        let report = report(&pods);
        assert_eq!(report.verdict, None, "{pods}\n{}", report.markdown);
    }
}

#[test]
fn a_panic_of_a_pod_that_was_restarted_once_stays_a_cause() {
    let log = "2026-05-01T09:58:01Z panic: runtime error: invalid memory address or nil pointer dereference\n";
    let calls = vec![
        call(1, "cluster.pods_list", &table("1/1", "Running", "1 (90s ago)")),
        CallRecord {
            arguments: json!({"namespace": "shop", "name": "cart-5d8f-x7k2"}),
            ..call(2, "cluster.pods_log", log)
        },
    ];
    let report = conclude(calls);
    assert_eq!(report.recorded.category, Category::Crash, "{}", report.markdown);
}

#[test]
fn restarts_of_a_pod_of_the_same_name_elsewhere_do_not_count() {
    let wide = "NAMESPACE   NAME             READY   STATUS    RESTARTS       AGE\nshop        cart-5d8f-x7k2   1/1     Running   9 (40s ago)   5d\nstage       cart-5d8f-x7k2   1/1     Running   0             5d\n";
    let report = report(wide);
    assert_eq!(report.recorded.category, Category::Crash, "{}", report.markdown);
}

#[test]
fn a_container_that_goes_on_ending_is_a_cause() {
    for pods in [
        table("0/1", "CrashLoopBackOff", "9 (40s ago)"),
        table("1/1", "Running", "9 (40s ago)"),
        plain(9, "2026-05-01T09:59:20Z"),
    ] {
        let report = report(&pods);
        assert_eq!(report.recorded.category, Category::Crash, "{pods}\n{}", report.markdown);
    }
}
