//! What the alert names: in fields and labels, never in words of prose.

use std::sync::LazyLock;

use regex::Regex;
use tarsy_evidence::{Node, Shape, documents};

use crate::called::Called;
use crate::text::{bare_name, regex, same_name};

/// The kinds of names that arguments are filled from, with the keys that name them.
const KEYS: &[(&str, &[&str])] = &[
    (
        "namespace",
        &[
            "namespace",
            "ns",
            "kubernetes_namespace",
            "exported_namespace",
            "pod_namespace",
            "k8s_namespace_name",
        ],
    ),
    ("pod", &["pod", "pod_name", "podname", "kubernetes_pod_name", "exported_pod", "k8s_pod_name"]),
    (
        "service",
        &[
            "service",
            "svc",
            "service_name",
            "app",
            "application",
            "component",
            "app_name",
            "unit",
            "systemd_unit",
        ],
    ),
    ("host", &["host", "hostname", "host_name", "server", "machine", "instance", "target", "fqdn"]),
    ("node", &["node", "node_name", "nodename"]),
    ("container", &["container", "container_name"]),
    (
        "deployment",
        &["deployment", "deployment_name", "workload", "statefulset", "daemonset", "replicaset"],
    ),
    ("path", &["path", "file", "filename", "log_path", "logfile", "log_file", "file_path"]),
    ("mount", &["mountpoint", "mount", "mount_point", "filesystem", "volume"]),
    ("url", &["url", "uri", "endpoint", "probe_url", "health_url", "target_url"]),
    ("port", &["port"]),
    ("cluster", &["cluster", "cluster_name", "context"]),
    ("database", &["database", "db", "datname"]),
    ("device", &["device", "interface", "iface"]),
    ("queue", &["queue", "topic", "stream"]),
    ("title", &["alertname", "alert_name", "alert", "title", "summary", "name"]),
];

/// Names of one kind; a bound on calls.
const MOST_NAMES: usize = 8;

/// What the alert is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Focus {
    names: Vec<(&'static str, String)>,
    /// The whole alert in small letters.
    text: String,
    /// The title's words in small letters.
    pub(crate) title: String,
    /// What its objects depend on.
    called: Vec<Called>,
}

/// The kind of name that a key or parameter holds.
pub(crate) fn kind_of_key(key: &str) -> Option<&'static str> {
    let key = snake(key);
    let last = key.rsplit('_').next().unwrap_or(&key);
    let find = |key: &str| KEYS.iter().find(|(_, keys)| keys.contains(&key)).map(|(kind, _)| *kind);
    find(&key).or_else(|| find(last))
}

/// A key in small letters with `_` between its words.
pub(crate) fn snake(key: &str) -> String {
    let mut out = String::new();
    let mut was_lower = false;
    for c in key.trim().chars() {
        if c.is_ascii_uppercase() && was_lower {
            out.push('_');
        }
        was_lower = c.is_ascii_lowercase();
        out.push(if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    out
}

impl Focus {
    pub(crate) fn read(alert: &str) -> Self {
        let mut focus = Self { text: alert.to_lowercase(), ..Self::default() };
        let found = documents(alert);
        for node in &found {
            focus.walk("", node);
        }
        if found.iter().all(|node| node.entries().is_empty()) {
            focus.add_pairs(alert);
        }
        focus.add_marked(alert);
        let title = focus.of("title").next().map(str::to_owned);
        let first =
            || alert.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
        focus.title = title.unwrap_or_else(first);
        focus
    }

    /// The names of a kind, in the order of the alert.
    pub(crate) fn of<'f>(&'f self, kind: &'f str) -> impl Iterator<Item = &'f str> {
        self.names.iter().filter(move |(known, _)| *known == kind).map(|(_, name)| name.as_str())
    }

    /// Whether the alert mentions this name of an object, as a whole word or as its fields do.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        if name.len() < 3 {
            return false;
        }
        let bare = bare_name(&name);
        let in_field = self.names.iter().any(|(kind, value)| {
            !matches!(*kind, "title" | "namespace") && (value == &name || bare_name(value) == bare)
        });
        in_field || is_word(&self.text, &name) || bare.len() > 4 && self.text.contains(&bare)
    }

    /// Whether a field of the alert holds this name.
    pub(crate) fn names(&self, name: &str) -> bool {
        let bare = bare_name(name);
        self.names.iter().any(|(kind, value)| {
            !matches!(*kind, "title" | "namespace") && !bare.is_empty() && bare_name(value) == bare
        })
    }

    /// What the objects of the alert depend on, the nearest first.
    pub(crate) fn called(&self) -> &[Called] {
        &self.called
    }

    pub(crate) fn set_called(&mut self, called: Vec<Called>) {
        self.called = called;
    }

    /// That of it which has this name.
    pub(crate) fn called_as(&self, name: &str) -> Option<&Called> {
        self.called.iter().find(|one| same_name(&one.name, name))
    }

    /// The names of services that the objects of the alert call.
    pub(crate) fn called_services(&self) -> impl Iterator<Item = &Called> {
        self.called.iter().filter(|one| one.is_service() && !self.names(&one.name))
    }

    /// The names of DNS that the alert mentions.
    pub(crate) fn domain_names(&self) -> Vec<String> {
        static NAME: LazyLock<Regex> =
            regex!(r"\b[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)*\.(?:[a-z]{3,}|io|de|eu|us|uk)\b");
        let mut found: Vec<String> =
            NAME.find_iter(&self.text).map(|name| name.as_str().to_owned()).collect();
        found.sort();
        found.dedup();
        found
    }

    pub(crate) fn words(&self) -> &str {
        &self.text
    }

    fn add(&mut self, key: &str, value: &str) {
        let value = value.trim().trim_matches(['"', '\'', '`', ',', ';', '.']);
        let Some(kind) = kind_of_key(key).filter(|_| !value.is_empty() && value.len() < 300) else {
            return;
        };
        if kind != "title" && value.contains(char::is_whitespace) {
            return;
        }
        let value = match kind {
            "host" | "node" => without_port(value),
            "url" if !value.contains("://") => return,
            "port" if value.parse::<u16>().is_err() => return,
            _ => value,
        };
        if self.of(kind).count() < MOST_NAMES && !self.of(kind).any(|known| known == value) {
            self.names.push((kind, value.to_owned()));
        }
    }

    fn walk(&mut self, key: &str, node: &Node) {
        match &node.shape {
            Shape::Scalar(value) => {
                self.add(key, value);
                if value.contains(['\n', '=']) {
                    self.add_pairs(value);
                }
            }
            Shape::List(items) => items.iter().for_each(|item| self.walk(key, item)),
            Shape::Map(entries) => {
                for entry in entries {
                    self.walk(&entry.key, &entry.value);
                }
            }
        }
    }

    /// `key: value` on a line of its own, and `key=value`.
    fn add_pairs(&mut self, text: &str) {
        static LINE: LazyLock<Regex> = regex!(
            r#"(?m)^[ \t>*-]*["'`*]*([A-Za-z][\w .-]{0,30}?)["'`*]*[ \t]*:[* \t]+["'`]?([^\n]+?)["'`]?[ \t]*$"#
        );
        static PAIR: LazyLock<Regex> = regex!(r#"\b([A-Za-z_][\w.]{0,40})=["']?([^\s"',}]+)"#);
        for captures in LINE.captures_iter(text).chain(PAIR.captures_iter(text)) {
            let part = |at| captures.get(at).map_or("", |found| found.as_str());
            self.add(part(1), part(2));
        }
    }

    /// What is marked as a name in any text: addresses, names of pods, and a namespace that is quoted or hyphenated.
    fn add_marked(&mut self, text: &str) {
        static URL: LazyLock<Regex> = regex!(r#"https?://[^\s"'`<>()\[\],;]+[^\s"'`<>()\[\],;.]"#);
        static POD: LazyLock<Regex> = regex!(r"\b[a-z][a-z0-9-]*-[a-f0-9]{7,10}-[a-z0-9]{5}\b");
        static NAMESPACE: LazyLock<Regex> = regex!(
            r#"(?i)\bnamespace:?\s+(?:["'`]([a-z0-9][a-z0-9-]*)["'`]|([a-z0-9]+(?:-[a-z0-9]+)+))"#
        );
        for found in URL.find_iter(text).take(MOST_NAMES) {
            self.add("url", found.as_str());
        }
        for found in POD.find_iter(text).take(MOST_NAMES) {
            self.add("pod", found.as_str());
        }
        for captures in NAMESPACE.captures_iter(text).take(MOST_NAMES) {
            let name =
                captures.get(1).or_else(|| captures.get(2)).map_or("", |found| found.as_str());
            self.add("namespace", name);
        }
    }
}

fn without_port(value: &str) -> &str {
    match value.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => value,
    }
}

/// Whether a name stands in a text with no letter, digit or hyphen beside it.
pub(crate) fn is_word(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '-';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(alert: &str, kind: &str) -> Vec<String> {
        Focus::read(alert).of(kind).map(str::to_owned).collect()
    }

    #[test]
    fn words_of_prose_name_nothing() {
        let alert = "Service Availability Disruption in the shop: pod restarts of service are high";
        for kind in ["service", "pod", "namespace", "deployment", "host"] {
            assert_eq!(of(alert, kind), Vec::<String>::new(), "{kind}");
        }
    }

    #[test]
    fn fields_and_labels_name_objects() {
        assert_eq!(of("alertname: X\nnamespace: shop\npod: web-1", "namespace"), ["shop"]);
        assert_eq!(
            of(r#"{"labels": {"namespace": "shop", "service": "cart"}}"#, "service"),
            ["cart"]
        );
        assert_eq!(of("firing: X{namespace=\"shop\",pod=\"web-1\"}", "pod"), ["web-1"]);
        assert_eq!(of("instance: web-1:9100", "host"), ["web-1"]);
    }

    #[test]
    fn marked_names_are_taken_from_prose() {
        assert_eq!(
            of("look at namespace test-hotel-reservation now", "namespace"),
            ["test-hotel-reservation"]
        );
        assert_eq!(of("pod cart-7d4b9c6f5d-x2x8p fails", "pod"), ["cart-7d4b9c6f5d-x2x8p"]);
        assert_eq!(
            of("https://shop.example.com/health answers slowly", "url"),
            ["https://shop.example.com/health"]
        );
    }

    #[test]
    fn known_names_are_found_in_prose() {
        let focus = Focus::read("Checkout failures in the store");
        assert!(focus.mentions("checkoutservice"));
        assert!(!focus.mentions("cart"));
    }
}
