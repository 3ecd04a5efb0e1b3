//! Broken files: each error names file, line, key and remedy, and all are shown at once.

use tarsy_catalog::{Catalog, Env};

use crate::support::{load, refused, sources};

/// A broken `tarsy.yaml` and the whole report about it.
const TARSY: &[(&str, &str)] = &[
    // 1: an unknown section
    (
        "agent_chain: {}\n",
        r#"tarsy.yaml:1:1 agent_chain: unknown key "agent_chain"; did you mean "agent_chains"?"#,
    ),
];

#[test]
fn dump() {
    for (text, _) in TARSY {
        println!("{}\n", refused(text, ""));
    }
    let text = r#"
queue:
  worker_cont: 3
  worker_count: 70
  max_concurrent_sessions: 0
  session_timeout: 900
  graceful_shutdown_timeout: 0s
  heartbeat_interval: 20s
  orphan_threshold: 30s
  poll_interval: soon
system:
  dashboard_url: localhost:8080
  allowed_ws_origins: "*.example.com"
  github: {token_env: "ghp_abc-def"}
  runbooks: {repo_url: "https://gitlab.com/x", allowed_domains: [github.com, "https://x.y/z"]}
  slack: {enabled: yes}
  retention: {session_retention_days: -1}
defaults:
  llm_provider: gogle-default
  iteration_strategy: native_thinking
  max_iterations: many
  success_policy: most
  alert_type: kubernets
  alert_masking: {enabled: maybe, pattern_group: securty}
mcp_servers:
  "bad.name":
    transport: {type: stdio, command: x}
  one:
    transport: {type: stdoi, command: x}
  two:
    transport: {type: http, command: npx}
  three:
    instructions: hi
  four:
    transport: {type: stdio, url: http://x, env: {A: "{{.MISSING}}"}, init_timeout: 0s}
    policy: {allow: ["a b"], require_readonly: true}
    data_masking:
      pattern_groups: [kube]
      patterns: [api_keys]
      custom_patterns: [{pattern: "(", replacement: x}, {pattern: "a*"}, {replacement: y}]
    summarization: {size_threshold_tokens: 10, summary_max_token_limit: 5000}
agents:
  Mine:
    mcp_servers: [kubernetes-servr, host, host, ~]
    max_iterations: 0
agent_chains:
  foo:
    alert_types: [a, a]
    llm_provider: openai-default
    stages:
      - name: s
        agents: [{name: Kubernets}, {nme: HostAgent}]
        replicas: 3
        synthesis: {agent: SynthAgent, iteration_strategy: react}
      - name: s
        agents: []
      -
    chat: {agent: Chatter, mcp_servers: [nope]}
  bar:
    alert_types: [a]
    stages: {}
  baz:
"#;
    println!("{}\n", refused(text, "llm_providers:\n  a: {type: opena, model: x}\n  b: {model: ''}\n  c: {type: openai, model: m, base_url: foo, api_key_env: 'sk-123', native_tools: {google_search: true}}\n  offline: {type: google, model: x}\n"));
}
