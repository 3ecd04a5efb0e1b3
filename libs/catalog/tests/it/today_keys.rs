//! Every key of the Go implementation of today, each by itself: another value makes something else of a session or of a service,
//! or the key is warned of. `today/` has all of them, so that the table cannot lack one.

mod table;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use tarsy_catalog::{Catalog, Endpoint, Env, PROVIDERS_FILE, TARSY_FILE, yaml_value};

use self::table::Does::{Effect, Note, Warning};
use self::table::{KEYS, Key, NESTED, PROVIDERS};
use crate::support::load;

/// A configuration in which the keys of each level decide.
fn base() -> Value {
    json!({
        "system": {"cost_estimation": {"price_list": false}},
        "defaults": {"llm_provider": "google-default"},
        "mcp_servers": {
            "s": {"transport": {"type": "http", "url": "https://s.example.com/mcp"}},
            "p": {"transport": {"type": "stdio", "command": "npx"}},
        },
        "agents": {
            "A": {"mcp_servers": ["s", "p"]},
            "B": {"description": "Looks elsewhere", "mcp_servers": ["s"]},
            "J": {"type": "scoring"},
        },
        "agent_chains": {
            "c": {
                "alert_types": ["a"], "chat": {}, "scoring": {"enabled": true},
                "stages": [{"name": "one", "agents": [{"name": "A"}, {"name": "A"}]}],
            },
            "d": {"alert_types": ["b"], "stages": [{"name": "one", "agents": [{"name": "A"}]}]},
        },
    })
}

fn env() -> Env {
    let names = [
        "GOOGLE_API_KEY",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "SLACK_BOT_TOKEN",
        "OTHER_TOKEN",
        "OTHER_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
        "A",
        "B",
    ];
    Env::of(names.map(|name| (name, "set")))
}

/// Where the key of a row stands in the configuration of [`base`].
fn place(path: &str) -> Vec<String> {
    let path = path.split('#').next().unwrap();
    let mut at: Vec<String> = path.split('.').map(str::to_owned).collect();
    let of_program =
        ["command", "args", "env"].iter().any(|key| at.get(3).is_some_and(|k| k == key));
    let name = match at[0].as_str() {
        "mcp_servers" if of_program => "p",
        "mcp_servers" => "s",
        "agents" if path.ends_with("description") => "B",
        "agents" => "A",
        "agent_chains" => "c",
        _ => "own",
    };
    for index in 0..at.len() {
        if at[index] == "*" {
            let of_names = ["mcp_servers", "agents", "agent_chains", "llm_providers"];
            let before = at[index - 1].clone();
            at[index] = match before.as_str() {
                "model_rates" => "gemini-9".to_owned(),
                "native_tools" => "google_search".to_owned(),
                "env" | "custom_headers" => "X-One".to_owned(),
                outer if index == 1 && of_names.contains(&outer) => name.to_owned(),
                _ => "0".to_owned(),
            };
        }
    }
    at
}

/// Writes a value; what is missing on the way is made.
fn set(root: &mut Value, at: &[String], value: Value) {
    let Some((step, rest)) = at.split_first() else {
        *root = value;
        return;
    };
    if let Ok(index) = step.parse::<usize>() {
        if !root.is_array() {
            *root = json!([]);
        }
        let list = root.as_array_mut().unwrap();
        if list.len() <= index {
            list.push(json!({}));
        }
        set(&mut list[index], rest, value);
        return;
    }
    if !root.is_object() {
        *root = json!({});
    }
    set(&mut root[step.as_str()], rest, value);
}

/// What a key needs beside it to mean anything.
fn beside(tarsy: &mut Value, path: &str) {
    let mut add = |at: &str, value: Value| {
        let at: Vec<String> = at.split('.').map(str::to_owned).collect();
        set(tarsy, &at, value);
    };
    let promotion = "system.cost_estimation.promotions";
    if path.starts_with(promotion) {
        let mut whole = json!({"model": "gemini-9", "end": "2026-08-31"});
        if path.contains(".rates.") {
            whole["rates"] = json!({"input_per_million": 5, "output_per_million": 5});
        } else {
            whole["input_per_million"] = json!(5);
            whole["output_per_million"] = json!(5);
        }
        add(&format!("{promotion}.0"), whole);
    }
    match path {
        "system.cost_estimation.enabled" => add(
            "system.cost_estimation.model_rates.gemini-9",
            json!({"input_per_million": 5, "output_per_million": 5}),
        ),
        _ if path.contains("model_rates") => add(
            "system.cost_estimation.model_rates.gemini-9",
            json!({"input_per_million": 5, "output_per_million": 5}),
        ),
        _ if path.contains("holidays") => {
            add("system.holidays.0", json!({"date": "03-03", "name": "x"}));
        }
        _ if path.starts_with("system.slack") => {
            add("system.slack", json!({"enabled": true, "channel": "C0123456789"}));
        }
        "defaults.alert_masking.pattern_group" => {
            add("defaults.alert_masking.enabled", json!(true));
        }
        _ if path.contains("fallback_providers.*.backend") => {
            let list = path.split(".*.backend").next().unwrap().to_owned();
            let list = place(&list).join(".");
            add(&format!("{list}.0.provider"), json!("gemini-2.5-pro"));
        }
        _ if path.contains("scoring") && path.starts_with("defaults") => {
            add("agent_chains.c.scoring", Value::Null);
            if path != "defaults.scoring.enabled" {
                add("defaults.scoring.enabled", json!(true));
            }
        }
        "defaults.summarization.llm_backend" => {
            add("defaults.summarization.llm_provider", json!("google-default"));
        }
        "mcp_servers.*.summarization.llm_backend" => {
            add("mcp_servers.s.summarization.llm_provider", json!("google-default"));
        }
        _ if path.starts_with("defaults.memory") => {
            add("defaults.memory.enabled", json!(true));
            if path.contains("embedding") {
                add("defaults.memory.embedding", json!({"provider": "google"}));
            }
        }
        _ if path.contains("custom_patterns") => add(
            "mcp_servers.s.data_masking.custom_patterns.0",
            json!({"pattern": "z+", "replacement": "z"}),
        ),
        "agents.*.native_tools.*" => {
            add("agents.A.llm_backend", json!("google-native"));
        }
        _ if path.contains("orchestrator") => add("agent_chains.c.sub_agents", json!(["B"])),
        "agents.*.description" => add("agent_chains.c.sub_agents", json!(["B"])),
        _ if path.contains("sub_agents.*.") => {
            let list = path.split(".*.").collect::<Vec<_>>();
            let list = place(&list[..list.len() - 1].join(".*.")).join(".");
            add(&format!("{list}.0"), json!({"name": "B"}));
        }
        "agent_chains.*.stages.*.replicas" => {
            add("agent_chains.c.stages.0.agents", json!([{"name": "A"}]));
        }
        _ => {}
    }
}

/// The two files with a key at one of its values.
fn with(key: &Key, written: &str) -> (String, String) {
    let Key(path, ..) = key;
    let mut tarsy = base();
    let mut providers = json!({"llm_providers": {"own":
        {"type": "google", "model": "gemini-9", "api_key_env": "GOOGLE_API_KEY"}}});
    if path.contains("credentials_env")
        || path.contains("project_env")
        || path.contains("location_env")
    {
        providers["llm_providers"]["own"] = json!({"type": "vertexai", "model": "gemini-9",
            "project_env": "GOOGLE_CLOUD_PROJECT", "location_env": "GOOGLE_CLOUD_LOCATION"});
    }
    if path.starts_with("llm_providers") || path.contains("cost_estimation") {
        tarsy["defaults"]["llm_provider"] = json!("own");
    }
    beside(&mut tarsy, path);
    let value: Value = serde_json::from_str(written).unwrap();
    let at = place(path);
    if path.starts_with("llm_providers") {
        if *path == "llm_providers.*.type" && value == "vertexai" {
            providers["llm_providers"]["own"] = json!({"model": "gemini-9",
                "project_env": "GOOGLE_CLOUD_PROJECT", "location_env": "GOOGLE_CLOUD_LOCATION"});
        }
        set(&mut providers, &at, value);
    } else {
        set(&mut tarsy, &at, value);
    }
    (tarsy.to_string(), providers.to_string())
}

fn loaded(key: &Key, written: &str) -> Catalog {
    let (tarsy, providers) = with(key, written);
    load(&tarsy, &providers, &env()).unwrap_or_else(|report| panic!("{}: {report}\n{tarsy}", key.0))
}

/// What sessions and services get of a configuration. Raw sections of the file are left out where something is resolved of them.
fn effects(catalog: &Catalog) -> String {
    let mut text = String::new();
    let queue = &catalog.queue;
    let system = &catalog.system;
    let shown =
        (&system.dashboard_url, &system.allowed_ws_origins, &system.github, &system.runbooks);
    write!(text, "{queue:?} {shown:?} {:?} ", system.retention).unwrap();
    // The name of a promotion is for its problems.
    let promotions = system.cost_estimation.promotions.iter();
    write!(text, "{:?} ", promotions.map(|one| &one.id).collect::<Vec<_>>()).unwrap();
    write!(text, "{:?} {:?} ", catalog.destinations, catalog.defaults.alert_masking).unwrap();
    write!(text, "{} {:?} ", catalog.default_alert_type(), catalog.alert_types()).unwrap();
    for time in ["2026-08-10T00:00:00Z", "2026-12-01T00:00:00Z"] {
        let at = time.parse().unwrap();
        for alert_type in ["a", "b"] {
            let mut chain = catalog.resolve_chain(Some(alert_type), None).unwrap();
            catalog.promote(&mut chain, at);
            write!(text, "{} ", serde_json::to_value(&chain).unwrap()).unwrap();
        }
        write!(text, "{:?} ", catalog.resolve_scoring("c", at)).unwrap();
    }
    write!(text, "{:?} ", catalog.embedding()).unwrap();
    write!(text, "{:?} ", catalog.providers.get("own")).unwrap();
    for server in catalog.servers.values() {
        let mut server = server.clone();
        server.data_masking.custom_patterns.iter_mut().for_each(|one| one.description.clear());
        write!(text, "{server:?} ").unwrap();
        match &server.transport.endpoint {
            Endpoint::Stdio(program) => {
                let env = program.env.iter().map(|(name, value)| (name, value.expose_secret()));
                write!(text, "{:?} {:?} ", program.args, env.collect::<Vec<_>>()).unwrap();
            }
            Endpoint::Http(remote) | Endpoint::Sse(remote) => {
                let token =
                    remote.bearer_token.as_ref().map(|token| token.expose_secret().to_owned());
                let headers = &remote.custom_headers;
                let headers = headers.iter().map(|(name, value)| (name, value.expose_secret()));
                let headers: Vec<_> = headers.collect();
                write!(text, "{token:?} {headers:?} {:?} ", remote.session_cleanup_url).unwrap();
            }
        }
    }
    text
}

#[test]
fn each_key_has_an_effect_or_a_warning() {
    let mut wrong = Vec::new();
    for key in KEYS.iter().chain(&NESTED).chain(&PROVIDERS) {
        let Key(path, one, other, does) = key;
        let (one, other) = (loaded(key, one), loaded(key, other));
        let name = place(path).pop().unwrap();
        let is_warned = other.warnings.iter().any(|warning| {
            let words = warning.remedy();
            warning.key.ends_with(&name) && words.contains("no effect")
        });
        let found = match (is_warned, effects(&one) != effects(&other)) {
            (true, _) => Warning,
            (false, true) => Effect,
            (false, false) => Note,
        };
        if found != *does {
            wrong.push(format!("{path}: {found:?}, not {does:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The paths of all values, with `*` for names and places in lists.
fn paths(value: &Value, at: &str, found: &mut BTreeSet<String>) {
    let named = [
        "mcp_servers",
        "agents",
        "agent_chains",
        "llm_providers",
        "model_rates",
        "env",
        "custom_headers",
        "native_tools",
    ];
    let is_named = named.iter().any(|name| at == *name || at.ends_with(&format!(".{name}")));
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                let step = if is_named { "*" } else { name };
                let path = if at.is_empty() { step.to_owned() } else { format!("{at}.{step}") };
                paths(inner, &path, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                match item {
                    Value::Object(_) => paths(item, &format!("{at}.*"), found),
                    _ => {
                        found.insert(at.to_owned());
                    }
                }
            }
            if items.is_empty() {
                found.insert(at.to_owned());
            }
        }
        _ => {
            found.insert(at.to_owned());
        }
    }
}

#[test]
fn the_table_has_every_key_and_the_files_do() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/today");
    let mut written = BTreeSet::new();
    for name in [TARSY_FILE, PROVIDERS_FILE] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        paths(&yaml_value(name, &text).unwrap(), "", &mut written);
    }
    let rows = KEYS.iter().chain(&NESTED).chain(&PROVIDERS);
    let table: BTreeSet<String> =
        rows.map(|key| key.0.split('#').next().unwrap().to_owned()).collect();
    let missing: Vec<_> = written.difference(&table).collect();
    assert!(missing.is_empty(), "without a row: {missing:#?}");
    // A scoring block of a chain has all keys of that of the defaults, and an entry of a stage those of other entries.
    let elsewhere = [
        "agent_chains.*.scoring.",
        "agent_chains.*.stages.*.fallback_providers.*.backend",
        "agent_chains.*.stages.*.agents.*.sub_agents",
    ];
    let unwritten = table.difference(&written);
    let unwritten = unwritten.filter(|path| !elsewhere.iter().any(|one| path.starts_with(one)));
    let unwritten: Vec<_> = unwritten.collect();
    assert!(unwritten.is_empty(), "not in the files: {unwritten:#?}");
}

#[test]
fn keys_of_later_versions_are_warned_of_and_no_mistake() {
    let mut tarsy = base();
    for (at, value) in [
        ("defaults.compose_provider", json!("google-default")),
        ("defaults.compose", json!({"llm_provider": "google-default"})),
        ("agent_chains.c.fallback_list", json!("fast")),
        ("fallback_lists", json!({"fast": [{"provider": "google-default"}]})),
        ("label_maps", json!({"own": {"labels": []}})),
        ("system.prompt_caching", json!({"enabled": true})),
    ] {
        let at: Vec<String> = at.split('.').map(str::to_owned).collect();
        set(&mut tarsy, &at, value);
    }
    let providers = json!({"llm_providers": {"own": {"type": "google", "model": "gemini-9",
        "api_key_env": "GOOGLE_API_KEY", "reasoning_effort": "high"}}});
    let catalog = load(&tarsy.to_string(), &providers.to_string(), &env()).unwrap();
    // The servers have no policy.
    let later = || catalog.warnings.iter().filter(|one| !one.key.starts_with("mcp_servers"));
    let keys: BTreeSet<&str> = later().map(|one| one.key.as_str()).collect();
    let expected = [
        "agent_chains.c.fallback_list",
        "defaults.compose",
        "defaults.compose_provider",
        "fallback_lists",
        "label_maps",
        "llm_providers.own.reasoning_effort",
        "system.prompt_caching",
    ];
    assert_eq!(keys.into_iter().collect::<Vec<_>>(), expected);
    assert!(later().all(|one| one.line > 0 && one.remedy().contains("no effect")));
    set(&mut tarsy, &["defaults".to_owned(), "compose_providr".to_owned()], json!("x"));
    let report = load(&tarsy.to_string(), "", &env()).unwrap_err().to_string();
    assert!(report.contains("unknown key \"compose_providr\""), "{report}");
}
