//! Tools of any kind: ranked by the words that they share with the alert, filled by their schemas.

use serde_json::{Map, Value, json};

use super::candidate::Candidate;
use super::policy::words;
use super::realize::is_of_cluster;
use super::schema::{default_value, required};
use super::topics::{significant, topics};
use crate::alert::{Focus, kind_of_key, snake};
use crate::facts::{Facts, Record};
use crate::signal::Signal;
use crate::text::owner_name;
use crate::transcript::{CallRecord, Tool, ToolCall};

/// Sets of arguments of one tool.
const MOST_SETS: usize = 3;
/// Tools without a shared word are worth this much, so that they are called last.
const LEAST: f64 = 20.0;

/// A call of each tool that no question about a cluster uses.
pub(super) fn candidates(
    tools: &[&Tool],
    focus: &Focus,
    facts: &Facts,
    found: &[Signal],
    calls: &[CallRecord],
) -> Vec<Candidate> {
    let interest = Interest::of(focus, found);
    let mut all = Vec::new();
    for tool in tools.iter().filter(|tool| !is_of_cluster(tool)) {
        let score = interest.score(tool);
        let made = calls.iter().filter(|call| call.tool == tool.name).count();
        for (at, arguments) in sets(tool, focus, facts).into_iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "a few sets")]
            let value = (LEAST + score * 4.0).min(99.0) - (at + made) as f64 * 6.0;
            let purpose = words(tool.short_name()).join(" ");
            let call = ToolCall { tool: tool.name.clone(), arguments, purpose };
            all.push(Candidate { value, call });
        }
    }
    all
}

/// Words and topics of the alert, and of what was found.
struct Interest {
    title: Vec<String>,
    words: Vec<String>,
    topics: Vec<(&'static str, f64)>,
}

impl Interest {
    fn of(focus: &Focus, found: &[Signal]) -> Self {
        let (title, words) = (significant(&focus.title), significant(focus.words()));
        let strong = topics(&title);
        let mut all: Vec<(&'static str, f64)> = strong.iter().map(|topic| (*topic, 2.0)).collect();
        let weaker = topics(&words).into_iter().filter(|topic| !strong.contains(topic));
        all.extend(weaker.map(|topic| (topic, 0.7)));
        if focus.of("url").next().is_some() {
            all.extend([("dns", 1.5), ("http", 1.5)]);
        }
        for signal in found.iter().filter(|signal| signal.weight > 60.0).take(4) {
            all.extend(topics(&significant(&signal.cause)).into_iter().map(|topic| (topic, 1.0)));
        }
        Self { title, words, topics: all }
    }

    fn score(&self, tool: &Tool) -> f64 {
        let name = words(tool.short_name());
        let described: String = tool.description.chars().take(600).collect();
        let described = significant(&described);
        let in_name = |word: &&String| name.contains(word);
        #[expect(clippy::cast_precision_loss, reason = "words of an alert")]
        let count = |number: usize| number as f64;
        let mut total = 4.0 * count(self.title.iter().filter(in_name).count());
        total += 1.5 * count(self.words.iter().filter(in_name).count());
        total +=
            count(self.title.iter().filter(|word| described.contains(word)).count()).min(3.0) * 0.8;
        let (of_name, of_text) = (topics(&name), topics(&described));
        for (topic, weight) in &self.topics {
            total += weight
                * if of_name.contains(topic) {
                    3.0
                } else if of_text.contains(topic) {
                    0.8
                } else {
                    0.0
                };
        }
        let useful =
            ["overview", "status", "events", "load", "uptime", "log", "top", "summary", "health"];
        let rare = [
            "config",
            "configuration",
            "view",
            "help",
            "schema",
            "version",
            "capabilities",
            "install",
        ];
        total += if name.iter().any(|word| useful.contains(&word.as_str())) { 1.5 } else { 0.0 };
        total - if name.iter().any(|word| rare.contains(&word.as_str())) { 6.0 } else { 0.0 }
    }
}

/// The sets of arguments worth calling a tool with, the best first; none if a required one has no value.
fn sets(tool: &Tool, focus: &Focus, facts: &Facts) -> Vec<Value> {
    let mut sets = vec![Map::new()];
    let required = required(tool);
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let needed = required.contains(&name.as_str());
        let values = values(name, schema, tool, (focus, facts), needed);
        if values.is_empty() {
            if needed {
                return Vec::new();
            }
            continue;
        }
        sets = sets
            .iter()
            .flat_map(|set| {
                values.iter().take(MOST_SETS).map(|value| {
                    let mut set = set.clone();
                    set.insert(name.clone(), value.clone());
                    set
                })
            })
            .take(MOST_SETS)
            .collect();
    }
    sets.into_iter().map(Value::Object).collect()
}

/// The required arguments that nothing names.
pub(super) fn missing(tool: &Tool, focus: &Focus, facts: &Facts) -> Vec<String> {
    if is_of_cluster(tool) {
        return Vec::new();
    }
    let properties = tool.schema.get("properties");
    let no_value = |name: &&str| {
        let schema = properties.and_then(|all| all.get(*name)).unwrap_or(&Value::Null);
        values(name, schema, tool, (focus, facts), true).is_empty()
    };
    required(tool).into_iter().filter(no_value).map(str::to_owned).collect()
}

fn values(
    name: &str,
    schema: &Value,
    tool: &Tool,
    (focus, facts): (&Focus, &Facts),
    needed: bool,
) -> Vec<Value> {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let named = texts(name, tool, focus, facts, needed);
        let met = met(choices, &named, focus);
        return if met.is_empty() && needed {
            default_value(name, schema).into_iter().collect()
        } else {
            met
        };
    }
    let is = |kind: &str| match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => false,
    };
    if is("integer") || is("number") {
        let port = kind_of_key(name) == Some("port");
        let ports =
            focus.of("port").filter_map(|port| port.parse::<u16>().ok()).map(|port| json!(port));
        return match (port, needed) {
            (true, _) => ports.collect(),
            (false, true) => default_value(name, schema).into_iter().collect(),
            (false, false) => Vec::new(),
        };
    }
    if is("boolean") || is("object") {
        return if needed { default_value(name, schema).into_iter().collect() } else { Vec::new() };
    }
    if is("array") {
        let inner = texts(name.trim_end_matches('s'), tool, focus, facts, needed);
        return if needed {
            inner.into_iter().take(1).map(|one| json!([one])).collect()
        } else {
            Vec::new()
        };
    }
    let found = texts(name, tool, focus, facts, needed);
    if found.is_empty() && needed {
        return default_value(name, schema).into_iter().collect();
    }
    found.into_iter().map(|one| json!(one)).collect()
}

/// The choices that the alert has as words or topics, then those that are named by the alert or by results.
fn met(choices: &[Value], named: &[String], focus: &Focus) -> Vec<Value> {
    let words = significant(focus.words());
    let about = topics(&words);
    let is_met = |choice: &&Value| {
        let text = choice.as_str().unwrap_or_default().to_lowercase();
        words.contains(&text) || about.contains(&text.as_str())
    };
    let mut met: Vec<Value> = choices.iter().filter(is_met).cloned().collect();
    for name in named.iter().map(|name| json!(name)).filter(|name| choices.contains(name)) {
        if !met.contains(&name) {
            met.push(name);
        }
    }
    met
}

/// Names for a parameter of text: by its name, or for a bare `name` by the tool's.
fn texts(name: &str, tool: &Tool, focus: &Focus, facts: &Facts, needed: bool) -> Vec<String> {
    let of_tool = words(tool.short_name());
    let resolves = of_tool.iter().any(|word| word == "dns" || word.starts_with("resolv"));
    if resolves && matches!(snake(name).as_str(), "name" | "hostname" | "host" | "domain" | "query")
    {
        return host_names(focus);
    }
    let kind = if matches!(snake(name).as_str(), "name" | "id" | "resource_name") {
        of_tool.iter().find_map(|word| kind_of_key(word))
    } else {
        kind_of_key(name)
    };
    let Some(kind) = kind.filter(|kind| *kind != "title") else { return Vec::new() };
    // What a call may be narrowed by, and is not if nothing names it.
    if !needed
        && !matches!(
            kind,
            "namespace"
                | "pod"
                | "service"
                | "container"
                | "deployment"
                | "mount"
                | "queue"
                | "database"
        )
    {
        return Vec::new();
    }
    let mut found: Vec<String> = focus.of(kind).map(str::to_owned).collect();
    if matches!(kind, "service" | "deployment") {
        found.extend(focus.called_services().map(|one| one.name.clone()));
    }
    if kind == "path"
        && of_tool
            .iter()
            .any(|word| matches!(word.as_str(), "disk" | "filesystem" | "inode" | "du" | "mount"))
    {
        found.extend(focus.of("mount").map(str::to_owned));
    }
    if kind == "path" && found.is_empty() {
        found = super::logs::near(focus, facts);
    }
    if kind == "service" && found.is_empty() && needed {
        found.extend(focus.of("deployment").map(str::to_owned));
        found.extend(failed_units(facts));
    }
    if kind == "namespace" && found.is_empty() && needed {
        found = super::questions::namespaces(focus, facts);
    }
    if found.is_empty() && needed {
        found = seen(kind, focus, facts);
    }
    found
}

/// The names of objects that results show, of a kind that arguments name: what the alert mentions first, then what is not
/// healthy.
fn seen(kind: &str, focus: &Focus, facts: &Facts) -> Vec<String> {
    let kinds: &[&str] = match kind {
        "service" => &["service", "deployment", "statefulset"],
        "deployment" => &["deployment", "statefulset", "daemonset"],
        "pod" => &["pod"],
        "node" => &["node"],
        _ => return Vec::new(),
    };
    let spaces = super::questions::namespaces(focus, facts);
    let is_near = |one: &&Record| one.namespace.is_empty() || spaces.contains(&one.namespace);
    let mut records: Vec<&Record> =
        kinds.iter().flat_map(|kind| facts.latest(kind)).filter(is_near).collect();
    records.sort_by_key(|one| {
        let owner = owner_name(&one.name);
        (!focus.mentions(owner), !super::questions::is_unwell(one))
    });
    let mut names: Vec<String> = Vec::new();
    for one in records {
        if !names.contains(&one.name) {
            names.push(one.name.clone());
        }
    }
    names
}

fn host_names(focus: &Focus) -> Vec<String> {
    let of_urls = focus
        .of("url")
        .filter_map(|url| url.split("://").nth(1)?.split(['/', ':', '?', '#']).next());
    // The field of an alert may have an address or a port.
    let hosts = focus.of("host").filter(|host| host.contains('.') && !host.contains([':', '/']));
    let is_name = |host: &&str| host.contains(|c: char| c.is_ascii_alphabetic());
    let mut found: Vec<String> = of_urls.chain(hosts).filter(is_name).map(str::to_owned).collect();
    let in_text = focus.words().split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-')));
    let is_domain = |word: &&str| {
        let labels: Vec<&str> = word.split('.').collect();
        let last = labels.last().copied().unwrap_or_default();
        let files =
            ["log", "yaml", "json", "conf", "service", "sh", "py", "go", "js", "txt", "local"];
        labels.len() > 2
            && last.len() > 1
            && last.bytes().all(|byte| byte.is_ascii_alphabetic())
            && !files.contains(&last)
    };
    found.extend(in_text.filter(is_domain).map(str::to_owned));
    found.dedup();
    found
}

/// Units that a result shows as failed.
fn failed_units(facts: &Facts) -> Vec<String> {
    let lines = facts.results.iter().flat_map(|one| &one.lines);
    let failed = lines.filter(|line| line.contains("failed"));
    let units = failed.flat_map(|line| line.split(|c: char| c.is_whitespace() || c == '"'));
    let mut found: Vec<String> =
        units.filter(|word| word.ends_with(".service")).map(str::to_owned).collect();
    found.dedup();
    found
}
