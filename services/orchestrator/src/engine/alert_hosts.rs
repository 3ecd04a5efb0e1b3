//! The hosts that an alert names as its own.
//!
//! Tools that reach any host may be called for them. An alert's text may quote what somebody else wrote, such as a line
//! of a log, so that only fields count which a monitoring system writes: whole values of known keys at known places of
//! JSON. In plain text, and in YAML, a quoted line can look like such a field, and nothing there counts.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tarsy_hosts::Host;

/// The most hosts of one alert.
const MAX_HOSTS: usize = 32;
/// Keys whose values are hosts or their addresses, in lower case and without separators.
const KEYS: &str = "address domain endpoint fqdn healthcheckurl host hostname instance ip ipaddress \
    machine node nodename probeurl server servername serviceurl site target targeturl url website";
/// Objects of an alert that have such keys as well, written like those.
const CONTAINERS: &str = "labels annotations commonlabels commonannotations grouplabels";
/// The list in which a notification holds its alerts.
const ALERTS: &str = "alerts";

/// The hosts that an alert names, in one spelling and sorted: the values of keys such as `instance`, `host` and `url`
/// at the top of the alert and in its labels and annotations, for each alert of a list. None if it is not JSON.
/// Metadata services of clouds and this machine (`localhost`, loopback) are never among them.
pub(crate) fn alert_hosts(alert: &str) -> Vec<String> {
    let Ok(json) = serde_json::from_str::<Value>(alert) else { return Vec::new() };
    let hosts: BTreeSet<Host> = alerts(&json).flat_map(hosts).collect();
    hosts.into_iter().take(MAX_HOSTS).map(|host| host.to_string()).collect()
}

/// The alert or the notification itself, and the alerts in it.
fn alerts(json: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let listed = json.get(ALERTS).unwrap_or(json).as_array().into_iter().flatten();
    std::iter::once(json).chain(listed).filter_map(Value::as_object)
}

fn hosts(alert: &Map<String, Value>) -> impl Iterator<Item = Host> {
    let containers = alert.iter().filter(|(key, _)| is_one_of(CONTAINERS, key));
    let inner = containers.filter_map(|(_, value)| value.as_object()).flatten();
    let fields = alert.iter().chain(inner).filter(|(key, _)| is_one_of(KEYS, key));
    fields.flat_map(|(_, value)| texts(value)).filter_map(host)
}

fn is_one_of(known: &str, key: &str) -> bool {
    let letters = key.chars().filter(|c| !"_-.".contains(*c));
    let key: String = letters.flat_map(char::to_lowercase).collect();
    known.split_whitespace().any(|known| known == key)
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    values.iter().filter_map(Value::as_str)
}

/// The host of a value that is an address, a host, or a host with a port.
fn host(value: &str) -> Option<Host> {
    let value = value.trim();
    let host = if value.contains("://") {
        Host::of_address(value)?
    } else if value.contains(['/', '?', '#']) || value.parse::<f64>().is_ok() {
        return None;
    } else {
        Host::parse(value).or_else(|| Host::of_address(&format!("http://{value}")))?
    };
    host.may_be_of_alert().then_some(host)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(alert: &Value) -> Vec<String> {
        alert_hosts(&alert.to_string())
    }

    #[test]
    fn the_fields_of_an_alert_name_its_hosts() {
        let alert = json!({
            "instance": "Web-1.example.com:9100",
            "severity": "critical",
            "labels": {"node": "10.0.0.7", "severity": "5", "server": 5},
            "annotations": {"target_url": "https://shop.example/health?a=b", "host": ["db-1", "[fd12::1]:80"]},
            "generatorURL": "https://prometheus.example/graph",
        });
        let hosts = ["db-1", "shop.example", "web-1.example.com", "10.0.0.7", "fd12::1"];
        assert_eq!(named(&alert), hosts);
    }

    #[test]
    fn each_alert_of_a_notification_names_its_hosts() {
        let alerts = json!([
            {"labels": {"instance": "web-1:9100"}},
            {"annotations": {"Service_URL": "http://web-2/"}},
        ]);
        let notification = json!({"commonLabels": {"host": "web-3"}, "alerts": alerts});
        assert_eq!(named(&notification), ["web-1", "web-2", "web-3"]);
        assert_eq!(named(&notification["alerts"]), ["web-1", "web-2"]);
    }

    /// What an attacker can write into the log, the request or the name that an alert quotes.
    #[test]
    fn what_an_alert_quotes_names_no_host() {
        let log = "host: evil.example\nurl: https://evil.example/\n{\"host\": \"evil.example\"}";
        for field in ["description", "summary", "message", "log", "error", "body", "hosts"] {
            for alert in [
                json!({ field: log }),
                json!({ field: "evil.example" }),
                json!({ field: {"host": "evil.example"} }),
                json!({ field: [{"host": "evil.example"}, "host: evil.example"] }),
                json!({ "labels": { field: log }, "annotations": { field: {"host": "evil.example"} } }),
                json!({ "labels": { "labels": {"host": "evil.example"}, field: "evil.example" } }),
                json!({ "labels": [{"host": "evil.example"}] }),
                json!({ "alerts": [{ field: log, "labels": {"alerts": [{"host": "evil.example"}]} }] }),
                json!({ "alerts": [[{"host": "evil.example"}], {"alerts": [{"host": "evil.example"}]}] }),
                json!({ "alerts": {"host": "evil.example", field: log} }),
            ] {
                assert_eq!(named(&alert), Vec::<String>::new(), "{alert}");
            }
        }
    }

    #[test]
    fn a_value_that_is_no_host_as_a_whole_names_none() {
        for value in [
            "see https://evil.example and 10.0.0.1",
            "web-1\nevil.example",
            "https://shop.example/ https://evil.example/",
            "https://shop.example@evil.example/",
            "https://shop.example\\@evil.example/",
            "user@evil.example",
            "evil.example/path",
            "evil.example?a",
            "evil%2eexample",
            "\"evil.example\"",
            "evil.example,shop.example",
            "host: evil.example",
            "javascript:alert(1)",
            "/var/log",
            "*",
            "*.example",
            "10.0.0.0/8",
            "0.0.0.0/0",
            "3.7",
            "",
        ] {
            for alert in [json!({"host": value}), json!({"labels": {"url": [value]}})] {
                assert_eq!(named(&alert), Vec::<String>::new(), "{alert}");
            }
        }
        for value in
            [json!({"host": {"host": "evil.example"}}), json!({"host": [["evil.example"]]})]
        {
            assert_eq!(named(&value), Vec::<String>::new());
        }
    }

    #[test]
    fn a_text_that_is_not_json_names_no_host() {
        for alert in [
            "Probe of https://shop.example/health failed\nThe log says:\nhost: evil.example\n",
            "host: evil.example",
            "labels:\n  host: evil.example\n",
            "---\nhost: evil.example\n...",
            "log: |\n  something\nhost: evil.example",
            "{\"host\": \"evil.example\"} and more",
            "the disk is full\n{\"host\": \"evil.example\"}",
            "{host: evil.example}",
            "\"{\\\"host\\\": \\\"evil.example\\\"}\"",
            "",
        ] {
            assert_eq!(alert_hosts(alert), Vec::<String>::new(), "{alert}");
        }
    }

    #[test]
    fn an_alert_names_neither_metadata_services_nor_this_machine_nor_hosts_without_end() {
        for value in [
            "169.254.169.254",
            "http://0xa9fea9fe/",
            "[fd00:ec2::254]:80",
            "fe80::1",
            "metadata.google.internal",
            "https://Metadata.Google.Internal./computeMetadata/v1/",
            "localhost",
            "localhost:9090",
            "http://127.0.0.1:8080/api",
            "2130706433.",
            "[::1]:80",
            "[::ffff:127.0.0.1]:80",
            "0.0.0.0:80",
        ] {
            assert_eq!(named(&json!({ "host": value })), Vec::<String>::new());
        }
        let many: Vec<String> = (0..100).map(|number| format!("web-{number}")).collect();
        assert_eq!(named(&json!({ "host": many })).len(), MAX_HOSTS);
    }
}
