//! What programs report of their own health: at an endpoint, or to what checks them (Consul, a container engine).

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use tarsy_evidence::{Entry, Node, Shape, documents};

use super::health::{Health, HealthState, Part, is_readiness};
use super::host::Place;
use super::kind::canonical_kind;
use super::model::{Facts, Source};
use crate::alert::snake;
use crate::text::regex;
use crate::verdict::Target;

/// Members that hold the state of a program or of a part of it.
const STATES: &[&str] = &["status", "state", "health", "healthy"];
/// Members that hold the parts that a program checks.
const PARTS: &[&str] =
    &["components", "checks", "entries", "details", "results", "error", "dependencies", "services"];
/// Members of a part that say what is wrong, the most exact first.
const WORDS: &[&str] =
    &["error", "exception", "message", "output", "description", "reason", "details", "data"];
/// Parts of one report; a bound on its length.
const MOST_PARTS: usize = 8;
/// Parts in parts.
const DEEPEST: usize = 3;

impl Facts {
    /// What each program reported last, at endpoints of one kind.
    pub(crate) fn health_now(&self) -> impl Iterator<Item = &Health> {
        let same = |one: &Health, other: &Health| {
            one.object == other.object && is_readiness(&one.path) == is_readiness(&other.path)
        };
        self.health
            .iter()
            .enumerate()
            .filter(move |(at, one)| !self.health.iter().skip(at + 1).any(|later| same(one, later)))
            .map(|(_, one)| one)
    }
}

/// An endpoint that a call asked.
struct Endpoint {
    host: String,
    port: String,
    path: String,
    /// Whether its path is one of health checks.
    is_of_health: bool,
}

impl Endpoint {
    fn of(arguments: &Value, alert_urls: &[String]) -> Option<Self> {
        static HEALTH: LazyLock<Regex> = regex!(
            r#"(?i)(?:https?://(?P<host>[^\s/"':\\]+)(?::(?P<port>\d{2,5}))?|["'\s])(?P<path>/(?:[\w.~-]+/)*(?:health(?:z|y|[_-]?checks?)?|livez?|liveness|readyz?|readiness|-/healthy|-/ready|_health|startup)(?:/[\w/-]*)?)(?:[?"'\s\\]|$)"#
        );
        static URL: LazyLock<Regex> = regex!(
            r#"https?://(?P<host>[^\s/"':\\]+)(?::(?P<port>\d{2,5}))?(?P<path>/[^\s"'\\?]*)?"#
        );
        let asked = arguments.to_string();
        let health = HEALTH.captures(&asked);
        let is_of_health = health.is_some();
        let found = health.or_else(|| URL.captures(&asked))?;
        let text = |name| found.name(name).map_or("", |text| text.as_str()).to_owned();
        let (host, port, path) = (text("host"), text("port"), text("path"));
        let is_same = |url: &String| {
            let own = URL.captures(url);
            let own =
                |name| own.as_ref().and_then(|own| own.name(name)).map_or("", |one| one.as_str());
            let same_path = own("path").trim_end_matches('/') == path.trim_end_matches('/');
            !host.is_empty() && own("host") == host && own("port") == port && same_path
        };
        let is_of_alert = alert_urls.iter().any(is_same);
        (is_of_health || is_of_alert).then_some(Self { host, port, path, is_of_health })
    }

    /// What answers there: what the call names if it was made from inside of it.
    fn object(&self, subject: &Target) -> Target {
        let is_here =
            self.host.is_empty() || self.host == "localhost" || self.host.starts_with("127.");
        if is_here && !subject.name.is_empty() && canonical_kind(&subject.kind).is_some() {
            return subject.clone();
        }
        if self.host.is_empty() {
            return Target::default();
        }
        if is_here || self.host.parse::<std::net::Ipv4Addr>().is_ok() {
            let port = if self.port.is_empty() { String::new() } else { format!(":{}", self.port) };
            return Target::new("address", &format!("{}{port}", self.host), "");
        }
        let mut labels = self.host.split('.');
        let (name, namespace) = (labels.next().unwrap_or_default(), labels.next());
        let in_cluster = labels.next().is_none_or(|third| third == "svc");
        match namespace.filter(|_| in_cluster) {
            Some(namespace) => Target::new("service", name, namespace),
            None if namespace.is_none() => Target::new("service", name, ""),
            None => Target::new("address", &self.host, ""),
        }
    }
}

/// Adds the reports of a result.
pub(super) fn add(facts: &mut Facts, nodes: &[Node], source: &Source<'_>, arguments: &Value) {
    let mut found = Vec::new();
    for node in nodes {
        of_checks(node, source, &mut found);
    }
    if found.is_empty() {
        of_list(source, &mut found);
    }
    let endpoint = Endpoint::of(arguments, &facts.urls);
    if found.is_empty() {
        found.extend(of_program(nodes, source, endpoint.as_ref()));
    }
    facts.health.append(&mut found);
}

fn member<'n>(node: &'n Node, names: &[&str]) -> Option<&'n Entry> {
    let of = |name: &&str| node.entries().iter().find(|entry| snake(&entry.key) == **name);
    names.iter().find_map(of)
}

fn text_of<'n>(node: &'n Node, names: &[&str]) -> &'n str {
    member(node, names).and_then(|entry| entry.value.text()).unwrap_or_default()
}

/// Checks of Consul, and containers that an engine checks.
fn of_checks(node: &Node, source: &Source<'_>, found: &mut Vec<Health>) {
    if let Shape::List(items) = &node.shape {
        for item in items {
            of_checks(item, source, found);
        }
        return;
    }
    let health = node.at(&["State", "Health"]);
    let (object, of, words) = if let Some(health) = health {
        let log = member(health, &["log"]).map(|entry| &entry.value.shape);
        let last = if let Some(Shape::List(items)) = log { items.last() } else { None };
        let name = text_of(node, &["name"]).trim_matches('/');
        let words = last.map_or("", |item| text_of(item, &["output"]));
        (Target::new("container", name, ""), health, words)
    } else if member(node, &["check_id"]).is_some() {
        let name = text_of(node, &["service_name", "node"]);
        (Target::new("service", name, ""), node, text_of(node, &["output"]))
    } else {
        return;
    };
    let Some((state, line)) = state_of(of) else { return };
    let name = text_of(node, &["name", "check_id"]).trim_matches('/').to_owned();
    let part = Part { name, words: first_line(words), line };
    let parts = if state == HealthState::Healthy { Vec::new() } else { vec![part] };
    let place = Place { result: source.result, line };
    found.push(Health { object, path: String::new(), state, code: None, parts, place });
}

/// Containers of the list that an engine prints: `Up 3 minutes (unhealthy)`, with the name last.
fn of_list(source: &Source<'_>, found: &mut Vec<Health>) {
    static ROW: LazyLock<Regex> = regex!(
        r"\bUp .{1,40} \((?P<state>unhealthy|healthy|health: starting)\).*?(?P<name>[\w.-]+)\s*$"
    );
    for (at, line) in source.lines.iter().enumerate() {
        let Some(row) = ROW.captures(line) else { continue };
        let part = |name| row.name(name).map_or("", |part| part.as_str());
        let state = part("state").trim_start_matches("health: ");
        let Some(state) = HealthState::of_word(state) else { continue };
        let object = Target::new("container", part("name"), "");
        let place = Place { result: source.result, line: at + 1 };
        let path = String::new();
        found.push(Health { object, path, state, code: None, parts: Vec::new(), place });
    }
}

/// What a program answers at an endpoint, or in the form of a report with parts.
fn of_program(nodes: &[Node], source: &Source<'_>, endpoint: Option<&Endpoint>) -> Option<Health> {
    let body = body(source);
    let whole = if let [node] = nodes { Some(node) } else { None };
    let mut readings = whole.into_iter().chain(&body);
    let report = readings.find_map(report_of);
    let code = code_of(whole.or(body.as_ref()), source);
    let line = |line| Place { result: source.result, line };
    let subject = source.subject;
    let Some(endpoint) = endpoint else {
        let (state, parts, at) = report.filter(|(_, parts, _)| !parts.is_empty())?;
        let named = !subject.name.is_empty() && canonical_kind(&subject.kind).is_some();
        let (object, path) = (subject.clone(), String::new());
        return named.then_some(Health { object, path, state, code: None, parts, place: line(at) });
    };
    let of_lines = || of_lines(source);
    let found = match report.filter(|_| endpoint.is_of_health) {
        Some(report) => Some(report),
        None => of_lines().filter(|_| endpoint.is_of_health),
    };
    // Other errors of an address are those of one request.
    let code =
        code.filter(|(code, _)| endpoint.is_of_health || !matches!(*code, 500 | 501 | 505..));
    let code = code.filter(|_| found.is_none());
    let of_code = || {
        let (code, at) = code?;
        Some((HealthState::of_code(code)?, Vec::new(), at))
    };
    let (state, parts, at) = found.or_else(of_code)?;
    let (object, path) = (endpoint.object(subject), endpoint.path.clone());
    let code = code.map(|(code, _)| code);
    Some(Health { object, state: state.at(&path), path, code, parts, place: line(at) })
}

type Report = (HealthState, Vec<Part>, usize);

/// The document behind the headers of an answer.
fn body(source: &Source<'_>) -> Option<Node> {
    let begins = |line: &&String| line.trim_start().starts_with('{');
    let at = source.lines.iter().position(|line| begins(&line))?;
    let text = source.lines.get(at..)?.join("\n");
    let found = documents(&text).into_iter().find(|node| !node.entries().is_empty())?;
    Some(found)
}

/// A report with its state and what is not healthy in it.
fn report_of(node: &Node) -> Option<Report> {
    let (state, line) = state_of(node)?;
    let mut parts = Vec::new();
    if state > HealthState::Degraded {
        add_parts(node, DEEPEST, &mut parts);
    }
    parts.truncate(MOST_PARTS);
    Some((state, parts, line))
}

fn state_of(node: &Node) -> Option<(HealthState, usize)> {
    let entry = member(node, STATES)?;
    Some((HealthState::of_word(entry.value.text()?)?, entry.value.line))
}

fn add_parts(node: &Node, depth: usize, parts: &mut Vec<Part>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for entry in node.entries().iter().filter(|entry| PARTS.contains(&snake(&entry.key).as_str())) {
        match &entry.value.shape {
            Shape::Map(entries) => {
                for one in entries {
                    add_part(&one.key, &one.value, depth, parts);
                }
            }
            Shape::List(items) => {
                for item in items {
                    add_part(text_of(item, &["name", "id", "component_id"]), item, depth, parts);
                }
            }
            Shape::Scalar(_) => {}
        }
    }
}

/// Adds a part that is not healthy; what it consists of comes in its place.
fn add_part(name: &str, node: &Node, depth: usize, parts: &mut Vec<Part>) {
    if let Shape::List(items) = &node.shape {
        for item in items {
            add_part(name, item, depth, parts);
        }
        return;
    }
    let of_text = || Some((HealthState::of_word(node.text()?)?, node.line));
    let Some((state, line)) = state_of(node).or_else(of_text) else { return };
    let is_known = parts.iter().any(|part| part.name == name);
    if state != HealthState::Unhealthy || is_known || name.is_empty() {
        return;
    }
    let before = parts.len();
    add_parts(node, depth, parts);
    if parts.len() == before {
        parts.push(Part { name: name.to_owned(), words: words_of(node), line });
    }
}

/// What a part says of its fault.
fn words_of(node: &Node) -> String {
    let text = WORDS.iter().find_map(|name| {
        let value = &member(node, &[name])?.value;
        let inner = || member(value, WORDS).and_then(|entry| entry.value.text());
        value.text().or_else(inner).filter(|text| !text.is_empty() && *text != "null")
    });
    first_line(text.unwrap_or_default())
}

fn first_line(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

/// The status code of an answer, with its line: of its headers, of a probe, or alone.
fn code_of(node: Option<&Node>, source: &Source<'_>) -> Option<(u16, usize)> {
    static STATUS: LazyLock<Regex> = regex!(r"^(?:< )?HTTP/\d(?:\.\d)? (?P<code>[1-5]\d\d)\b");
    let lines = source.lines.iter().enumerate();
    let mut of_headers = lines.filter_map(|(at, line)| {
        let code = STATUS.captures(line)?.name("code")?.as_str().parse().ok()?;
        Some((code, at + 1))
    });
    let of_probe = || {
        let entry = member(node?, &["status", "status_code", "http_status"])?;
        Some((entry.value.text()?.parse().ok()?, entry.value.line))
    };
    let alone = || {
        let (at, line) =
            source.lines.iter().enumerate().rfind(|(_, line)| !line.trim().is_empty())?;
        let code: u16 = line.trim().parse().ok().filter(|code| (100..600).contains(code))?;
        Some((code, at + 1))
    };
    of_headers.next_back().or_else(of_probe).or_else(alone)
}

/// Reports in lines: `[-]etcd failed: reason withheld`, and an answer that is one word.
fn of_lines(source: &Source<'_>) -> Option<Report> {
    static CHECK: LazyLock<Regex> =
        regex!(r"^\[(?P<mark>[+-])\](?P<name>\S+) (?:ok|failed:? ?(?P<words>.*))$");
    let checks = source.lines.iter().enumerate().filter_map(|(at, line)| {
        let found = CHECK.captures(line.trim())?;
        let part = |name| found.name(name).map_or("", |part| part.as_str()).to_owned();
        let part_of = Part { name: part("name"), words: part("words"), line: at + 1 };
        Some((part("mark") == "-", part_of))
    });
    let checks: Vec<(bool, Part)> = checks.collect();
    if let Some(first) = checks.first().map(|(_, part)| part.line) {
        let failed: Vec<Part> =
            checks.into_iter().filter(|(is_failed, _)| *is_failed).map(|(_, part)| part).collect();
        let at = failed.first().map_or(first, |part| part.line);
        let state = if failed.is_empty() { HealthState::Healthy } else { HealthState::Unhealthy };
        return Some((state, failed, at));
    }
    let (at, line) = source.lines.iter().enumerate().rfind(|(_, line)| !line.trim().is_empty())?;
    Some((HealthState::of_word(line)?, Vec::new(), at + 1))
}
