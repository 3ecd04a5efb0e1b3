//! The forms in which files of the Go implementation write their keys: durations, missing values, anchors, keys that say nothing.
//! Each loads, and what has no effect is warned of.

use std::time::Duration;

use tarsy_catalog::{Backend, Catalog, Endpoint, Strategy};

use crate::support::with_keys;

/// The warnings about keys without an effect.
fn without_effect(catalog: &Catalog) -> Vec<&str> {
    let warnings = catalog.warnings.iter().filter(|one| one.message.contains("no effect"));
    warnings.map(|one| one.key.as_str()).collect()
}

const CHAIN: &str =
    "agent_chains: {c: {alert_types: [a], stages: [{name: s, agents: [{name: GeneralWorker}]}]}}\n";

#[test]
fn durations_are_read_as_go_writes_them() {
    let minutes = |queue: &str| {
        let catalog = with_keys(&format!("queue: {{session_timeout: {queue}}}\n"), "");
        catalog.queue.session_timeout.as_secs_f64() / 60.0
    };
    for (text, expected) in [
        ("1h30m", 90.0),
        ("\"1h30m0s\"", 90.0),
        ("'90m'", 90.0),
        ("1.5h", 90.0),
        ("5400s", 90.0),
        ("1h29m59.999s1ms", 90.0),
        ("5400000000000ns", 90.0),
    ] {
        assert!((minutes(text) - expected).abs() < 1e-9, "{text}");
    }
}

#[test]
fn a_longer_heartbeat_alone_has_a_threshold_that_fits() {
    let queue = |text: &str| with_keys(&format!("queue: {{{text}}}\n"), "").queue;
    let threshold = |text: &str| queue(text).orphan_threshold;
    assert_eq!(threshold("worker_count: 2"), Duration::from_secs(30));
    assert_eq!(threshold("heartbeat_interval: 5s"), Duration::from_secs(30));
    assert_eq!(threshold("heartbeat_interval: 30s"), Duration::from_secs(90));
    assert_eq!(threshold("heartbeat_interval: 30s, orphan_threshold: 1m"), Duration::from_mins(1));
}

#[test]
fn keys_without_a_value_and_empty_lists_are_not_set() {
    let text = "---
# A comment with {{.SOMETHING}} in it, and {{ braces }}.
queue:
system: {slack: ~, runbooks: {repo_url: null}, cost_estimation: {model_rates: {}, promotions: []}, retention: }
defaults:
  llm_provider: google-default
  fallback_providers: []
  scoring:
  memory: null
  orchestrator: {max_budget: }
  summarization: {}
mcp_servers:
  s:
    transport: {type: http, url: https://s.example.com/mcp, bearer_token: '', verify_ssl: , custom_headers: , timeout: ~}
    data_masking: {enabled: True, pattern_groups: [], custom_patterns: }
    summarization: ~
  p: {transport: {type: stdio, command: npx, args: [8080, true], env: {A: , B: ''}}, instructions: ''}
agents:
  Mine:
  Other: {type: '', description: ~, mcp_servers: [], native_tools: {google_search: ~}, skills: ~, required_skills: []}
agent_chains:
  c:
    alert_types: [a]
    sub_agents: []
    chat: {enabled: No, agent: }
    stages:
      - {name: s, replicas: , synthesis: ~, agents: [{name: Mine, type: , sub_agents: , orchestrator: ~}, {name: Other}]}
...
";
    let catalog = with_keys(text, "llm_providers:\n");
    assert_eq!(without_effect(&catalog), [""; 0]);
    let chain = catalog.resolve_chain(Some("a"), None).unwrap();
    assert!(chain.chat.is_none() && chain.scoring.is_none());
    let agent = &chain.stages[0].agents[0];
    assert!(agent.delegation.is_none() && agent.fallbacks.is_empty());
    let masking = &catalog.servers["s"].data_masking;
    assert!(masking.enabled && masking.pattern_groups.is_empty());
}

#[test]
fn an_empty_text_is_not_set_and_warned_of() {
    let text = format!(
        "system: {{dashboard_url: '', runbooks: {{repo_url: '', cache_ttl: ''}}, slack: {{token_env: '', channel: ''}}}}\n\
         defaults: {{llm_provider: openai-default, llm_backend: \"\", success_policy: '', summarization: {{llm_provider: ''}}}}\n\
         mcp_servers: {{s: {{transport: {{type: http, url: 'https://s.example.com', session_cleanup_url: ''}}}}}}\n\
         {}",
        CHAIN.replace("stages", "llm_provider: '', executive_summary_provider: '', stages")
    );
    let own = "llm_providers: {own: {type: openai, model: m, api_key_env: OPENAI_API_KEY, base_url: '', credentials_env: ''}}\n";
    let catalog = with_keys(&text, own);
    assert_eq!(
        without_effect(&catalog),
        [
            "system.dashboard_url",
            "system.runbooks.repo_url",
            "system.runbooks.cache_ttl",
            "system.slack.token_env",
            "defaults.llm_backend",
            "defaults.success_policy",
            "defaults.summarization.llm_provider",
            "mcp_servers.s.transport.session_cleanup_url",
            "agent_chains.c.llm_provider",
            "agent_chains.c.executive_summary_provider",
            "llm_providers.own.base_url",
            "llm_providers.own.credentials_env",
        ]
    );
    assert!(catalog.warnings.iter().all(|one| one.line > 0));
    assert_eq!(catalog.system.dashboard_url, "http://localhost:8080");
    assert_eq!(catalog.system.slack.token_env, "SLACK_BOT_TOKEN");
    let chain = catalog.resolve_chain(Some("a"), None).unwrap();
    assert_eq!(chain.executive_summary_provider.name, "openai-default");
    let error = crate::support::refused("", "llm_providers: {p: {type: openai, model: ''}}\n");
    assert!(error.contains("llm_providers.p.model: is empty"), "{error}");
}

#[test]
fn a_variable_that_is_empty_is_no_empty_text() {
    let env = tarsy_catalog::Env::of([("NOTHING", "")]);
    let text = "system: {dashboard_url: '{{.NOTHING}}'}\n";
    let error = crate::support::load(text, "", &env).unwrap_err().to_string();
    assert!(error.contains("system.dashboard_url: is not a URL"), "{error}");
}

#[test]
fn anchors_stand_at_the_top_or_where_they_are_used_first() {
    let text = "
x-masking: &masking {enabled: true, pattern_groups: [kubernetes]}
.limits: &limits {size_threshold_tokens: 9000}
_headers: &headers {X-Team: sre}
mcp_servers:
  one: &one
    transport: &http {type: http, url: https://one.example.com/mcp, custom_headers: *headers}
    data_masking: *masking
    summarization: {<<: *limits, summary_max_token_limit: 500}
  two:
    <<: *one
    transport: {<<: *http, url: https://two.example.com/mcp}
agents:
  A: &agent {mcp_servers: [one, two], max_iterations: 7}
  B: {<<: [*agent, {max_iterations: 9, description: Reads}], llm_backend: langchain}
";
    let catalog = with_keys(&format!("{text}{CHAIN}"), "");
    let two = &catalog.servers["two"];
    assert_eq!(two.data_masking.pattern_groups, ["kubernetes"]);
    assert_eq!(two.summarization.limits.size_threshold_tokens, 9000);
    let Endpoint::Http(remote) = &two.transport.endpoint else { panic!("an address") };
    assert_eq!(remote.url.host_str(), Some("two.example.com"));
    assert!(remote.custom_headers.contains_key("X-Team"));
    let agent = &catalog.agents["B"];
    assert_eq!((agent.max_iterations, &*agent.description), (Some(7), "Reads"));
}

#[test]
fn keys_of_another_transport_are_warned_of() {
    let text = format!(
        "mcp_servers:\n  s: {{transport: {{type: stdio, command: npx, timeout: 60, verify_ssl: true, url: ''}}}}\n  t: {{transport: \
         {{type: http, url: https://t.example.com, command: npx, args: [a], env: {{A: b}}}}}}\n{CHAIN}"
    );
    let catalog = with_keys(&text, "");
    let at = |names: &[&str], server: &str| -> Vec<String> {
        names.iter().map(|name| format!("mcp_servers.{server}.transport.{name}")).collect()
    };
    let mut found = without_effect(&catalog);
    found.sort_unstable();
    let expected =
        [at(&["timeout", "url", "verify_ssl"], "s"), at(&["args", "command", "env"], "t")];
    assert_eq!(found, expected.concat());
}

#[test]
fn tools_of_a_provider_that_has_none_are_warned_of() {
    let own = "llm_providers: {own: {type: openai, model: m, api_key_env: OPENAI_API_KEY, native_tools: {google_search: true}}}\n";
    let catalog = with_keys(&format!("defaults: {{llm_provider: own}}\n{CHAIN}"), own);
    assert_eq!(without_effect(&catalog), ["llm_providers.own.native_tools"]);
    let chain = catalog.resolve_chain(Some("a"), None).unwrap();
    assert!(chain.stages[0].agents[0].provider.native_tools.is_off());
}

#[test]
fn sub_agents_providers_and_backends_are_mixed_as_files_mix_them() {
    let text = "
defaults:
  llm_provider: google-default
  llm_backend: google-native
  fallback_providers: [{provider: google-default, backend: langchain}, {provider: openai-default, backend: langchain}, xai-default]
  orchestrator: {max_concurrent_agents: 3, agent_timeout: 7m0s, max_budget: 15m}
agents:
  Lead: {description: Leads, custom_instructions: 'Cost: $5, {not a template}', sub_agents: [GeneralWorker]}
agent_chains:
  c:
    alert_types: [a]
    scoring: {enabled: true, llm_provider: openai-default}
    sub_agents:
      - name: GeneralWorker
        llm_provider: xai-default
        mcp_servers: []
        required_skills: [pods]
      - WebResearcher
    stages:
      - name: s
        agents: [{name: Lead, llm_provider: openai-default}, {name: Lead}]
        synthesis: {agent: SynthesisAgent, llm_provider: openai-default}
";
    let chain = with_keys(text, "").resolve_chain(Some("a"), None).unwrap();
    let of = |at: usize| {
        let agent = &chain.stages[0].agents[at];
        let others = agent.fallbacks.iter().map(|one| (one.name.as_str(), one.backend));
        (agent.strategy, others.collect::<Vec<_>>())
    };
    let (google, openai, xai) = ("google-default", "openai-default", "xai-default");
    let langchain = Backend::Langchain;
    assert_eq!(of(0), (Strategy::Langchain, vec![(google, langchain), (xai, langchain)]));
    assert_eq!(
        of(1),
        (
            Strategy::NativeThinking,
            vec![(google, langchain), (openai, langchain), (xai, langchain)]
        )
    );
    let delegation = chain.stages[0].agents[1].delegation.as_ref().unwrap();
    let dispatched: Vec<_> = delegation
        .agents
        .iter()
        .map(|one| (one.agent.name.as_str(), one.agent.provider.backend))
        .collect();
    assert_eq!(
        dispatched,
        [("GeneralWorker", langchain), ("WebResearcher", Backend::GoogleNative)]
    );
    assert_eq!(chain.scoring.unwrap().agent.provider.backend, langchain);
    assert_eq!(chain.stages[0].synthesis.as_ref().unwrap().provider.backend, langchain);
}
