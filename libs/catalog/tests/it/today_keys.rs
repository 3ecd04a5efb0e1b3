//! Every key of the Go implementation of today, each by itself: another value makes something else of a session or of a service,
//! or the key is warned of. `today/` has all of them, so that this table cannot lack one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use tarsy_catalog::{Catalog, Endpoint, Env, PROVIDERS_FILE, TARSY_FILE, yaml_value};

use crate::support::load;

/// What another value of a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Effect,
    Warning,
}
use Does::{Effect, Warning};

/// A key of `tarsy.yaml`, with two values in JSON.
struct Key(&'static str, &'static str, &'static str, Does);

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

const KEYS: [Key; 119] = [
    Key("queue.worker_count", "3", "4", Effect),
    Key("queue.max_concurrent_sessions", "3", "4", Effect),
    Key("queue.poll_interval", "\"1s\"", "\"2s\"", Effect),
    Key("queue.poll_interval_jitter", "\"100ms\"", "\"200ms\"", Warning),
    Key("queue.session_timeout", "\"40m\"", "\"30m\"", Effect),
    Key("queue.graceful_shutdown_timeout", "\"40m\"", "\"30m\"", Warning),
    Key("queue.scoring_shutdown_timeout", "\"3m\"", "\"4m\"", Effect),
    Key("queue.orphan_detection_interval", "\"5m\"", "\"6m\"", Warning),
    Key("queue.orphan_threshold", "\"5m\"", "\"6m\"", Effect),
    Key("queue.heartbeat_interval", "\"10s\"", "\"5s\"", Effect),
    Key("system.dashboard_url", "\"https://a.example\"", "\"https://b.example\"", Effect),
    Key("system.allowed_ws_origins", "[\"a.example\"]", "[]", Effect),
    Key("system.github.token_env", "\"A\"", "\"B\"", Effect),
    Key("system.runbooks.repo_url", "\"https://github.com/a/b/tree/main/c\"", "null", Effect),
    Key("system.runbooks.cache_ttl", "\"1m\"", "\"2m\"", Effect),
    Key("system.runbooks.allowed_domains", "[\"github.com\"]", "[\"git.example\"]", Effect),
    Key("system.slack.enabled", "false", "true", Effect),
    Key("system.slack.token_env", "\"SLACK_BOT_TOKEN\"", "\"OTHER_TOKEN\"", Effect),
    Key("system.slack.channel", "\"C0123456789\"", "\"C9876543210\"", Effect),
    Key("system.cost_estimation.enabled", "true", "false", Effect),
    Key("system.cost_estimation.model_rates.*.input_per_million", "1", "2", Effect),
    Key("system.cost_estimation.model_rates.*.output_per_million", "1", "2", Effect),
    Key("system.cost_estimation.promotions.*.id", "\"a\"", "\"b\"", Effect),
    Key("system.cost_estimation.promotions.*.model", "\"gemini-9\"", "\"gemini-8\"", Effect),
    Key("system.cost_estimation.promotions.*.start", "\"2026-08-01\"", "\"2026-08-20\"", Effect),
    Key("system.cost_estimation.promotions.*.end", "\"2026-08-31\"", "\"2026-08-02\"", Effect),
    Key("system.cost_estimation.promotions.*.rates.input_per_million", "1", "2", Effect),
    Key("system.cost_estimation.promotions.*.rates.output_per_million", "1", "2", Effect),
    Key("system.cost_estimation.promotions.*.input_per_million", "1", "2", Effect),
    Key("system.cost_estimation.promotions.*.output_per_million", "1", "2", Effect),
    Key("system.retention.session_retention_days", "30", "40", Effect),
    Key("system.retention.event_ttl", "\"1h\"", "\"2h\"", Effect),
    Key("system.retention.cleanup_interval", "\"1h\"", "\"2h\"", Warning),
    Key("system.holidays.*.date", "\"01-01\"", "\"05-01\"", Effect),
    Key("system.holidays.*.name", "\"One\"", "\"Other\"", Effect),
    Key("defaults.llm_provider", "\"google-default\"", "\"openai-default\"", Effect),
    Key("defaults.llm_backend", "\"langchain\"", "\"google-native\"", Effect),
    Key("defaults.max_iterations", "20", "21", Effect),
    Key("defaults.success_policy", "\"any\"", "\"all\"", Effect),
    Key("defaults.alert_type", "\"a\"", "\"b\"", Effect),
    Key("defaults.runbook", "\"one\"", "\"other\"", Effect),
    Key(
        "defaults.fallback_providers.*.provider",
        "\"gemini-2.5-pro\"",
        "\"gemini-2.5-flash\"",
        Effect,
    ),
    Key("defaults.fallback_providers.*.backend", "\"langchain\"", "\"google-native\"", Effect),
    Key("defaults.scoring.enabled", "false", "true", Effect),
    Key("defaults.scoring.agent", "\"ScoringAgent\"", "\"J\"", Effect),
    Key("defaults.scoring.llm_backend", "\"langchain\"", "\"google-native\"", Effect),
    Key("defaults.scoring.llm_provider", "\"google-default\"", "\"gemini-2.5-pro\"", Effect),
    Key("defaults.scoring.mcp_servers", "[\"s\"]", "[\"p\"]", Warning),
    Key("defaults.scoring.max_iterations", "3", "4", Warning),
    Key(
        "defaults.summarization.llm_provider",
        "\"gemini-2.5-pro\"",
        "\"gemini-2.5-flash\"",
        Effect,
    ),
    Key("defaults.summarization.llm_backend", "\"langchain\"", "\"google-native\"", Effect),
    Key("defaults.alert_masking.enabled", "true", "false", Effect),
    Key("defaults.alert_masking.pattern_group", "\"security\"", "\"basic\"", Effect),
    Key("defaults.orchestrator.max_concurrent_agents", "2", "3", Effect),
    Key("defaults.orchestrator.agent_timeout", "\"60s\"", "\"70s\"", Effect),
    Key("defaults.orchestrator.max_budget", "\"600s\"", "\"700s\"", Effect),
    Key("defaults.memory.enabled", "true", "false", Effect),
    Key("defaults.memory.max_inject", "3", "4", Effect),
    Key("defaults.memory.reflector_memory_limit", "20", "30", Warning),
    Key("defaults.memory.embedding.provider", "\"google\"", "\"openai\"", Effect),
    Key("defaults.memory.embedding.model", "\"m\"", "\"n\"", Effect),
    Key("defaults.memory.embedding.api_key_env", "\"GOOGLE_API_KEY\"", "\"OTHER_KEY\"", Warning),
    Key("defaults.memory.embedding.dimensions", "256", "512", Effect),
    Key(
        "defaults.memory.embedding.base_url",
        "\"https://a.example\"",
        "\"https://b.example\"",
        Warning,
    ),
    Key("mcp_servers.*.transport.type", "\"http\"", "\"sse\"", Effect),
    Key("mcp_servers.*.transport.command", "\"npx\"", "\"uvx\"", Effect),
    Key("mcp_servers.*.transport.args", "[\"a\"]", "[\"b\"]", Effect),
    Key("mcp_servers.*.transport.env.*", "\"a\"", "\"b\"", Effect),
    Key("mcp_servers.*.transport.url", "\"https://a.example\"", "\"https://b.example\"", Effect),
    Key("mcp_servers.*.transport.bearer_token", "\"a\"", "\"b\"", Effect),
    Key("mcp_servers.*.transport.verify_ssl", "true", "false", Effect),
    Key("mcp_servers.*.transport.timeout", "30", "40", Effect),
    Key("mcp_servers.*.transport.custom_headers.*", "\"{{.SESSION_ID}}\"", "\"b\"", Effect),
    Key(
        "mcp_servers.*.transport.session_cleanup_url",
        "\"https://a.example/{{.SESSION_ID}}\"",
        "\"https://b.example\"",
        Effect,
    ),
    Key("mcp_servers.*.instructions", "\"a\"", "\"b\"", Effect),
    Key("mcp_servers.*.data_masking.enabled", "true", "false", Effect),
    Key("mcp_servers.*.data_masking.pattern_groups", "[\"basic\"]", "[\"cloud\"]", Effect),
    Key("mcp_servers.*.data_masking.patterns", "[\"email\"]", "[\"token\"]", Effect),
    Key("mcp_servers.*.data_masking.custom_patterns.*.pattern", "\"a+\"", "\"b+\"", Effect),
    Key("mcp_servers.*.data_masking.custom_patterns.*.replacement", "\"x\"", "\"y\"", Effect),
    Key("mcp_servers.*.data_masking.custom_patterns.*.description", "\"x\"", "\"y\"", Effect),
    Key("mcp_servers.*.summarization.enabled", "true", "false", Effect),
    Key("mcp_servers.*.summarization.size_threshold_tokens", "4000", "5001", Effect),
    Key("mcp_servers.*.summarization.summary_max_token_limit", "600", "700", Effect),
    Key(
        "mcp_servers.*.summarization.llm_provider",
        "\"gemini-2.5-pro\"",
        "\"gemini-2.5-flash\"",
        Effect,
    ),
    Key("mcp_servers.*.summarization.llm_backend", "\"langchain\"", "\"google-native\"", Effect),
    Key("agents.*.type", "\"\"", "\"synthesis\"", Effect),
    Key("agents.*.description", "\"a\"", "\"b\"", Effect),
    Key("agents.*.mcp_servers", "[\"s\"]", "[\"p\"]", Effect),
    Key("agents.*.custom_instructions", "\"a\"", "\"b\"", Effect),
    Key("agents.*.llm_backend", "\"langchain\"", "\"google-native\"", Effect),
    Key("agents.*.max_iterations", "3", "4", Effect),
    Key("agents.*.native_tools.*", "true", "false", Effect),
    Key("agents.*.orchestrator.max_concurrent_agents", "2", "3", Effect),
    Key("agents.*.orchestrator.agent_timeout", "\"60s\"", "\"70s\"", Effect),
    Key("agents.*.orchestrator.max_budget", "\"600s\"", "\"700s\"", Effect),
    Key("agents.*.skills", "[\"dns\"]", "[]", Effect),
    Key("agents.*.required_skills", "[\"dns\"]", "[\"tls\"]", Effect),
    Key("agent_chains.*.alert_types", "[\"a\"]", "[\"a\", \"other\"]", Effect),
    Key("agent_chains.*.description", "\"a\"", "\"b\"", Effect),
    Key("agent_chains.*.llm_provider", "\"gemini-2.5-pro\"", "\"gemini-2.5-flash\"", Effect),
    Key("agent_chains.*.llm_backend", "\"langchain\"", "\"google-native\"", Effect),
    Key(
        "agent_chains.*.executive_summary_provider",
        "\"gemini-2.5-pro\"",
        "\"gemini-2.5-flash\"",
        Effect,
    ),
    Key("agent_chains.*.max_iterations", "3", "4", Effect),
    Key("agent_chains.*.mcp_servers", "[\"s\"]", "[\"p\"]", Effect),
    Key(
        "agent_chains.*.fallback_providers.*.provider",
        "\"gemini-2.5-pro\"",
        "\"gemini-2.5-flash\"",
        Effect,
    ),
    Key(
        "agent_chains.*.fallback_providers.*.backend",
        "\"langchain\"",
        "\"google-native\"",
        Effect,
    ),
    Key("agent_chains.*.sub_agents", "[\"B\"]", "[\"GeneralWorker\"]", Effect),
    Key("agent_chains.*.scoring.enabled", "true", "false", Effect),
    Key("agent_chains.*.scoring.agent", "\"ScoringAgent\"", "\"J\"", Effect),
    Key("agent_chains.*.scoring.llm_backend", "\"langchain\"", "\"google-native\"", Effect),
    Key("agent_chains.*.scoring.llm_provider", "\"google-default\"", "\"gemini-2.5-pro\"", Effect),
    Key("agent_chains.*.scoring.mcp_servers", "[\"s\"]", "[\"p\"]", Warning),
    Key("agent_chains.*.scoring.max_iterations", "3", "4", Warning),
    Key("agent_chains.*.stages.*.name", "\"a\"", "\"b\"", Effect),
    Key("agent_chains.*.stages.*.replicas", "2", "3", Effect),
    Key("agent_chains.*.stages.*.success_policy", "\"any\"", "\"all\"", Effect),
    Key("agent_chains.*.stages.*.max_iterations", "3", "4", Effect),
    Key("agent_chains.*.stages.*.mcp_servers", "[\"s\"]", "[\"p\"]", Effect),
];

/// Keys of places that have several of the same: of a chat, a stage, an agent of a stage, a synthesis, a sub-agent.
const NESTED: [Key; 35] = [
    Key("agent_chains.*.chat.enabled", "true", "false", Effect),
    Key("agent_chains.*.chat.agent", "\"ChatAgent\"", "\"B\"", Effect),
    Key("agent_chains.*.chat.llm_backend", "\"langchain\"", "\"google-native\"", Effect),
    Key("agent_chains.*.chat.llm_provider", "\"gemini-2.5-pro\"", "\"gemini-2.5-flash\"", Effect),
    Key("agent_chains.*.chat.mcp_servers", "[\"s\"]", "[\"p\"]", Effect),
    Key("agent_chains.*.chat.max_iterations", "3", "4", Effect),
    Key("agent_chains.*.chat.sub_agents", "[\"B\"]", "[\"GeneralWorker\"]", Effect),
    Key(
        "agent_chains.*.stages.*.fallback_providers.*.provider",
        "\"gemini-2.5-pro\"",
        "\"gemini-2.5-flash\"",
        Effect,
    ),
    Key(
        "agent_chains.*.stages.*.fallback_providers.*.backend",
        "\"langchain\"",
        "\"google-native\"",
        Effect,
    ),
    Key("agent_chains.*.stages.*.sub_agents", "[\"B\"]", "[\"GeneralWorker\"]", Effect),
    Key("agent_chains.*.stages.*.synthesis.agent", "\"SynthesisAgent\"", "\"B\"", Effect),
    Key(
        "agent_chains.*.stages.*.synthesis.llm_backend",
        "\"langchain\"",
        "\"google-native\"",
        Effect,
    ),
    Key(
        "agent_chains.*.stages.*.synthesis.llm_provider",
        "\"gemini-2.5-pro\"",
        "\"gemini-2.5-flash\"",
        Effect,
    ),
    Key("agent_chains.*.stages.*.agents.*.name", "\"A\"", "\"B\"", Effect),
    Key("agent_chains.*.stages.*.agents.*.type", "\"\"", "\"synthesis\"", Effect),
    Key(
        "agent_chains.*.stages.*.agents.*.llm_provider",
        "\"gemini-2.5-pro\"",
        "\"gemini-2.5-flash\"",
        Effect,
    ),
    Key(
        "agent_chains.*.stages.*.agents.*.llm_backend",
        "\"langchain\"",
        "\"google-native\"",
        Effect,
    ),
    Key("agent_chains.*.stages.*.agents.*.max_iterations", "3", "4", Effect),
    Key("agent_chains.*.stages.*.agents.*.mcp_servers", "[\"s\"]", "[\"p\"]", Effect),
    Key(
        "agent_chains.*.stages.*.agents.*.fallback_providers.*.provider",
        "\"gemini-2.5-pro\"",
        "\"gemini-2.5-flash\"",
        Effect,
    ),
    Key(
        "agent_chains.*.stages.*.agents.*.fallback_providers.*.backend",
        "\"langchain\"",
        "\"google-native\"",
        Effect,
    ),
    Key("agent_chains.*.stages.*.agents.*.required_skills", "[\"dns\"]", "[\"tls\"]", Effect),
    Key("agent_chains.*.stages.*.agents.*.skills", "[\"dns\"]", "[]", Effect),
    Key("agent_chains.*.stages.*.agents.*.orchestrator.max_concurrent_agents", "2", "3", Effect),
    Key("agent_chains.*.stages.*.agents.*.sub_agents", "[\"B\"]", "[\"GeneralWorker\"]", Effect),
    Key("agent_chains.*.stages.*.agents.*.sub_agents.*.name", "\"B\"", "\"GeneralWorker\"", Effect),
    Key("agent_chains.*.sub_agents.*.name", "\"B\"", "\"GeneralWorker\"", Effect),
    Key(
        "agent_chains.*.sub_agents.*.llm_provider",
        "\"gemini-2.5-pro\"",
        "\"gemini-2.5-flash\"",
        Effect,
    ),
    Key("agent_chains.*.sub_agents.*.llm_backend", "\"langchain\"", "\"google-native\"", Effect),
    Key("agent_chains.*.sub_agents.*.max_iterations", "3", "4", Effect),
    Key("agent_chains.*.sub_agents.*.mcp_servers", "[\"s\"]", "[\"p\"]", Effect),
    Key("agent_chains.*.sub_agents.*.required_skills", "[\"dns\"]", "[\"tls\"]", Effect),
    Key("agent_chains.*.sub_agents.*.skills", "[\"dns\"]", "[]", Effect),
    Key("agents.*.type#action", "\"\"", "\"action\"", Effect),
    Key("agents.*.type#exec_summary", "\"\"", "\"exec_summary\"", Warning),
];

/// The keys of `llm-providers.yaml`.
const PROVIDERS: [Key; 8] = [
    Key("llm_providers.*.type", "\"google\"", "\"vertexai\"", Effect),
    Key("llm_providers.*.model", "\"gemini-9\"", "\"gemini-8\"", Effect),
    Key("llm_providers.*.api_key_env", "\"GOOGLE_API_KEY\"", "\"OTHER_KEY\"", Effect),
    Key("llm_providers.*.credentials_env", "\"A\"", "\"B\"", Effect),
    Key("llm_providers.*.project_env", "\"A\"", "\"B\"", Effect),
    Key("llm_providers.*.location_env", "\"A\"", "\"B\"", Effect),
    Key("llm_providers.*.base_url", "\"https://a.example\"", "\"https://b.example\"", Effect),
    Key("llm_providers.*.native_tools.*", "true", "false", Effect),
];

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
            (true, _) => Some(Warning),
            (false, true) => Some(Effect),
            (false, false) => None,
        };
        if found != Some(*does) {
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
