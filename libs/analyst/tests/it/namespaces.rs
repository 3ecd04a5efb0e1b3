//! A cluster that others share: what fails in their namespaces is no cause of an alert about another one.

use serde_json::json;
use tarsy_analyst::{CallRecord, Next, Report, Transcript, next};

const HEADING: &str = "NAMESPACE   APIVERSION   KIND   NAME                   READY   STATUS                       RESTARTS   AGE";
const OF_OTHERS: &str = "billing     v1           Pod    web-5d9cb9ff55-qlnw9   0/1     CreateContainerConfigError   0          4m";

fn conclude(alert: &str, rows: &[&str]) -> Report {
    let call = CallRecord {
        number: 1,
        tool: "kubernetes-server.pods_list".to_owned(),
        arguments: json!({}),
        text: format!("{HEADING}\n{}\n", rows.join("\n")),
        failed: false,
    };
    let transcript =
        Transcript { alert: alert.to_owned(), calls: vec![call], ..Transcript::default() };
    match next(&transcript) {
        Next::Conclude(report) => *report,
        Next::Call(calls) => panic!("no tool was given: {calls:?}"),
    }
}

#[test]
fn what_fails_in_the_namespaces_of_others_is_no_cause() {
    let whole = "shop        v1           Pod    web-7d9cb9ff55-aaaaa   1/1     Running                      0          4m";
    let alert = r#"{"labels": {"alertname": "KubePodNotReady", "namespace": "shop", "pod": "web-7d9cb9ff55-aaaaa"}}"#;
    let report = conclude(alert, &[whole, OF_OTHERS]);
    assert!(report.verdict.is_none(), "{:?}", report.verdict);
    assert!(report.markdown.contains("in namespace `billing`"), "{}", report.markdown);
}

#[test]
fn what_fails_in_the_namespace_of_the_alert_is_its_cause() {
    let own = OF_OTHERS.replace("billing", "shop   ");
    let alert = r#"{"labels": {"alertname": "KubePodNotReady", "namespace": "shop", "pod": "web-5d9cb9ff55-qlnw9"}}"#;
    let report = conclude(alert, &[&own, OF_OTHERS]);
    let verdict = report.verdict.expect("a cause");
    assert_eq!(verdict.target.namespace, "shop", "{verdict:?}");
}

#[test]
fn a_pod_that_the_alert_names_may_be_in_another_namespace_than_its_metric() {
    let alert = r#"{"labels": {"alertname": "KubePodNotReady", "namespace": "monitoring", "exported_pod": "web-5d9cb9ff55-qlnw9"}}"#;
    let report = conclude(alert, &[OF_OTHERS]);
    let verdict = report.verdict.expect("a cause");
    assert_eq!(verdict.target.namespace, "billing", "{verdict:?}");
}

#[test]
fn what_fails_among_the_components_of_the_cluster_may_be_the_cause() {
    let alert = r#"{"labels": {"alertname": "KubePodNotReady", "namespace": "shop", "pod": "web-7d9cb9ff55-aaaaa"}}"#;
    for namespace in ["calico-system", "ingress-nginx", "openshift-dns", "kube-flannel"] {
        let row = OF_OTHERS.replace("billing    ", namespace).replace("web-", "core-");
        let report = conclude(alert, &[&row]);
        let verdict = report.recorded;
        assert_eq!(verdict.object.namespace.as_deref(), Some(namespace), "{verdict:?}");
    }
}
