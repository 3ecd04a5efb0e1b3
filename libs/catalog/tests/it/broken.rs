//! Broken files: each error names file, line, key and remedy, and all are shown at once.

use tarsy_catalog::{Env, Report};

use crate::support::{load, refused};

/// A broken configuration and the whole report about it.
struct Broken {
    what: &'static str,
    tarsy: &'static str,
    providers: &'static str,
    report: &'static str,
}

const BROKEN: &[Broken] = &[
    Broken {
        what: "an unknown section",
        tarsy: "agent_chain: {}
",
        providers: "",
        report: r#"tarsy.yaml:1:1 agent_chain: unknown key "agent_chain"; did you mean "agent_chains"?"#,
    },
    Broken {
        what: "an unknown key",
        tarsy: "queue:
  worker_cont: 3
",
        providers: "",
        report: r#"tarsy.yaml:2:3 queue.worker_cont: unknown key "worker_cont"; did you mean "worker_count"?"#,
    },
    Broken {
        what: "an unknown key deep inside",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        agents:
          - nme: HostAgent
            name: HostAgent
",
        providers: "",
        report: r#"tarsy.yaml:7:13 agent_chains.foo.stages[0].agents[0].nme: unknown key "nme"; did you mean "name"?"#,
    },
    Broken {
        what: "a number out of its range",
        tarsy: "queue:
  worker_count: 70
",
        providers: "",
        report: "tarsy.yaml:2:17 queue.worker_count: must be between 1 and 50, not 70; the nearest allowed value is 50",
    },
    Broken {
        what: "who takes over: unknown, from itself, twice",
        tarsy: "defaults:
  llm_provider: offline
  fallback_providers: [offlin]
agent_chains:
  foo:
    alert_types: [a]
    llm_provider: offline
    fallback_providers: [offline]
    stages:
      - name: s
        fallback_providers: [offline, offline]
        agents: [{name: HostAgent}]
",
        providers: "",
        report: r#"tarsy.yaml:3:24 defaults.fallback_providers[0]: unknown provider "offlin"; did you mean "offline"?
tarsy.yaml:8:26 agent_chains.foo.fallback_providers[0]: "offline" cannot take over from itself; remove it here: it is llm_provider already
tarsy.yaml:11:39 agent_chains.foo.stages[0].fallback_providers[1]: "offline" is named twice; keep one of them"#,
    },
    Broken {
        what: "a budget of nothing, and silence as long as an iteration",
        tarsy: "defaults:
  budget: {llm_calls: 0, token: 5}
  llm_timeouts: {first_token: 2m, stall: 0s}
",
        providers: "",
        report: r#"tarsy.yaml:2:23 defaults.budget.llm_calls: must be at least 1, not 0; the nearest allowed value is 1
tarsy.yaml:2:26 defaults.budget.token: unknown key "token"; did you mean "tokens"?
tarsy.yaml:3:31 defaults.llm_timeouts.first_token: must be less than the 120s of an iteration; write a duration such as 90s
tarsy.yaml:3:42 defaults.llm_timeouts.stall: must be more than zero; write a duration such as 30s or 15m"#,
    },
    Broken {
        what: "text instead of a number",
        tarsy: "defaults:
  max_iterations: many
",
        providers: "",
        report: r#"tarsy.yaml:2:19 defaults.max_iterations: must be a whole number, not "many"; write a whole number here"#,
    },
    Broken {
        what: "a duration without a unit",
        tarsy: "queue:
  session_timeout: 900
",
        providers: "",
        report: r#"tarsy.yaml:2:20 queue.session_timeout: "900" is not a duration; add a unit: 900s, 900m or 900h"#,
    },
    Broken {
        what: "a duration of nothing",
        tarsy: "queue:
  session_timeout: 0s
",
        providers: "",
        report: "tarsy.yaml:2:20 queue.session_timeout: must be more than zero; write a duration such as 30s or 15m",
    },
    Broken {
        what: "thresholds that contradict each other",
        tarsy: "queue:
  heartbeat_interval: 20s
  orphan_threshold: 30s
",
        providers: "",
        report: "tarsy.yaml:3:21 queue.orphan_threshold: 30s is less than twice heartbeat_interval (20s); write at least 40s, or a shorter heartbeat_interval",
    },
    Broken {
        what: "text instead of a list",
        tarsy: r#"system:
  allowed_ws_origins: "*.example.com"
"#,
        providers: "",
        report: r#"tarsy.yaml:2:23 system.allowed_ws_origins: must be a list, not "*.example.com"; write [a, b], or a line `- a` for each entry"#,
    },
    Broken {
        what: "an address without a scheme",
        tarsy: "system:
  dashboard_url: tarsy.example.com
",
        providers: "",
        report: "tarsy.yaml:2:18 system.dashboard_url: is not a URL (relative URL without a base); write an address such as https://host.example.com",
    },
    Broken {
        what: "a secret instead of a variable's name",
        tarsy: "system:
  github:
    token_env: ghp_0123-4567
",
        providers: "",
        report: "tarsy.yaml:3:16 system.github.token_env: is not the name of a variable; write the name of the environment variable, such as MY_API_KEY, not its value",
    },
    Broken {
        what: "a domain with a path",
        tarsy: "system:
  runbooks:
    allowed_domains:
      - github.com/org
",
        providers: "",
        report: r#"tarsy.yaml:4:9 system.runbooks.allowed_domains[0]: "github.com/org" is not a host name; write the host alone, such as github.com, without scheme or path"#,
    },
    Broken {
        what: "Slack without a channel and a token",
        tarsy: "system:
  slack:
    enabled: true
",
        providers: "",
        report: "tarsy.yaml:3:5 system.slack.channel: is missing although Slack is enabled; add the channel's id, such as `channel: C0123456789`, or write enabled: false
tarsy.yaml:3:5 system.slack.token_env: the variable SLACK_BOT_TOKEN is not set although Slack is enabled; set SLACK_BOT_TOKEN to the bot's token, or write enabled: false",
    },
    Broken {
        what: "destinations of notifications that cannot be told",
        tarsy: "notifications:
  destinations:
    On Call:
      type: slack
      url: https://a.example
    pager:
      type: webhook
      statuses: [failed]
      channel: C1
    tickets:
      type: webhook
      url: ftp://a.example
      secret_env: HOOK_SECRET
      alert_types: [hosst]
",
        providers: "",
        report: r#"tarsy.yaml:4:7 notifications.destinations.On Call: "On Call" cannot be a destination's name; use small letters, digits, `_` and `-`, at most 64 of them
tarsy.yaml:4:7 notifications.destinations.On Call.channel: is missing for a destination of type slack; add the channel's id, such as `channel: C0123456789`
tarsy.yaml:4:7 notifications.destinations.On Call.token_env: the variable SLACK_BOT_TOKEN is not set; set SLACK_BOT_TOKEN, or remove the destination
tarsy.yaml:5:12 notifications.destinations.On Call.url: has no meaning for a destination of type slack; remove it, or write `type: webhook`
tarsy.yaml:7:7 notifications.destinations.pager.secret_env: is missing for a destination of type webhook; add `secret_env:` with the name of the variable that holds the secret
tarsy.yaml:7:7 notifications.destinations.pager.url: is missing for a destination of type webhook; add `url:` with the address that takes the requests
tarsy.yaml:9:16 notifications.destinations.pager.channel: has no meaning for a destination of type webhook; remove it, or write `type: slack`
tarsy.yaml:12:12 notifications.destinations.tickets.url: must be http or https, not ftp; write an address such as https://host.example.com
tarsy.yaml:13:19 notifications.destinations.tickets.secret_env: the variable HOOK_SECRET is not set; set HOOK_SECRET, or remove the destination
tarsy.yaml:14:21 notifications.destinations.tickets.alert_types[0]: unknown alert type "hosst"; did you mean "host"?"#,
    },
    Broken {
        what: "an unknown strategy",
        tarsy: "defaults:
  iteration_strategy: native_thinking
",
        providers: "",
        report: r#"tarsy.yaml:2:23 defaults.iteration_strategy: unknown value "native_thinking"; did you mean "native-thinking"? known: native-thinking, langchain, react, synthesis, synthesis-native-thinking"#,
    },
    Broken {
        what: "an unknown provider",
        tarsy: "defaults:
  llm_provider: gemini-2.5-por
",
        providers: "",
        report: r#"tarsy.yaml:2:17 defaults.llm_provider: unknown provider "gemini-2.5-por"; did you mean "gemini-2.5-pro"?"#,
    },
    Broken {
        what: "a provider without its key",
        tarsy: "defaults:
  llm_provider: openai-default
",
        providers: "",
        report: r#"tarsy.yaml:2:17 defaults.llm_provider: the provider "openai-default" needs the variable OPENAI_API_KEY, which is not set; set OPENAI_API_KEY, or name a provider whose key is set"#,
    },
    Broken {
        what: "an unknown default alert type",
        tarsy: "defaults:
  alert_type: kubernets
",
        providers: "",
        report: r#"tarsy.yaml:2:15 defaults.alert_type: unknown alert type "kubernets"; did you mean "kubernetes"?"#,
    },
    Broken {
        what: "an unknown masking group",
        tarsy: "defaults:
  alert_masking: {pattern_group: securty}
",
        providers: "",
        report: r#"tarsy.yaml:2:34 defaults.alert_masking.pattern_group: unknown masking group "securty"; did you mean "security"?"#,
    },
    Broken {
        what: "an unknown agent",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        agents:
          - name: Kubernets
",
        providers: "",
        report: r#"tarsy.yaml:7:19 agent_chains.foo.stages[0].agents[0].name: unknown agent "Kubernets"; did you mean "KubernetesAgent"?"#,
    },
    Broken {
        what: "an unknown server in an agent",
        tarsy: "agents:
  Mine:
    mcp_servers: [host, kubernetes-servr]
",
        providers: "",
        report: r#"tarsy.yaml:3:25 agents.Mine.mcp_servers[1]: unknown server "kubernetes-servr"; did you mean "kubernetes-server"?"#,
    },
    Broken {
        what: "an alert type in two chains",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        agents:
          - name: HostAgent
  bar:
    alert_types: [b, a]
    stages:
      - name: s
        agents:
          - name: HostAgent
",
        providers: "",
        report: r#"tarsy.yaml:9:22 agent_chains.bar.alert_types[1]: the alert type "a" already belongs to chain "foo"; remove it here or from agent_chains.foo"#,
    },
    Broken {
        what: "a chain without stages",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
",
        providers: "",
        report: "tarsy.yaml:3:5 agent_chains.foo.stages: is missing; add `stages:` here",
    },
    Broken {
        what: "a stage without agents",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        agents: []
",
        providers: "",
        report: "tarsy.yaml:6:17 agent_chains.foo.stages[0].agents: must have at least one entry; add one",
    },
    Broken {
        what: "replicas of several agents",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        replicas: 2
        agents: [{name: HostAgent}, {name: KubernetesAgent}]
",
        providers: "",
        report: "tarsy.yaml:6:19 agent_chains.foo.stages[0].replicas: replicas do not mix with 2 agents; remove replicas, or keep one agent",
    },
    Broken {
        what: "a synthesis with tools",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        replicas: 2
        agents: [{name: HostAgent}]
        synthesis: {iteration_strategy: react}
",
        providers: "",
        report: "tarsy.yaml:8:41 agent_chains.foo.stages[0].synthesis.iteration_strategy: a synthesis is one call without tools, which react is not; write synthesis",
    },
    Broken {
        what: "an unknown agent for chats",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        agents:
          - name: HostAgent
    chat:
      agent: Chatagent
",
        providers: "",
        report: r#"tarsy.yaml:9:14 agent_chains.foo.chat.agent: unknown agent "Chatagent"; did you mean "ChatAgent"?"#,
    },
    Broken {
        what: "Gemini's strategy with another provider",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    llm_provider: gpt
    iteration_strategy: native-thinking
    stages:
      - name: s
        agents:
          - name: HostAgent
",
        providers: "llm_providers:
  gpt: {type: openai, model: m, base_url: 'http://localhost:1'}
",
        report: r#"tarsy.yaml:9:13 agent_chains.foo.stages[0].agents[0]: the strategy native-thinking needs a provider of type google or vertexai, but "gpt" is of type openai; set llm_provider to one of those, or iteration_strategy to langchain"#,
    },
    Broken {
        what: "an unknown transport",
        tarsy: "mcp_servers:
  s:
    transport: {type: stdoi, command: x}
",
        providers: "",
        report: r#"tarsy.yaml:3:23 mcp_servers.s.transport.type: unknown value "stdoi"; did you mean "stdio"? known: stdio, http, sse"#,
    },
    Broken {
        what: "a server without a transport",
        tarsy: "mcp_servers:
  s:
    instructions: hello
",
        providers: "",
        report: "tarsy.yaml:3:5 mcp_servers.s.transport: is missing; add `transport:` here",
    },
    Broken {
        what: "a key of another transport",
        tarsy: "mcp_servers:
  s:
    transport:
      type: http
      url: http://x
      command: npx
",
        providers: "",
        report: "tarsy.yaml:6:16 mcp_servers.s.transport.command: has no meaning for a server of type http; remove it, or write `type: stdio`",
    },
    Broken {
        what: "a server without an address",
        tarsy: "mcp_servers:
  s:
    transport: {type: sse}
",
        providers: "",
        report: "tarsy.yaml:3:16 mcp_servers.s.transport.url: is missing for a server of type sse; add `url:` with the server's address",
    },
    Broken {
        what: "a server's name that breaks tool names",
        tarsy: "mcp_servers:
  my.server:
    transport: {type: stdio, command: x}
",
        providers: "",
        report: r#"tarsy.yaml:2:3 mcp_servers.my.server: "my.server" cannot be a part of a tool's name; use letters, digits, single `_` and `-`, at most 64 of them"#,
    },
    Broken {
        what: "a masking pattern that does not compile",
        tarsy: r"mcp_servers:
  s:
    transport: {type: stdio, command: x}
    data_masking:
      custom_patterns:
        - pattern: 'key=(\w+'
          replacement: x
",
        providers: "",
        report: "tarsy.yaml:6:20 mcp_servers.s.data_masking.custom_patterns[0].pattern: does not compile: unclosed group; correct the regular expression; look-around and back-references do not exist",
    },
    Broken {
        what: "an unknown masking pattern",
        tarsy: "mcp_servers:
  s:
    transport: {type: stdio, command: x}
    data_masking:
      patterns: [api_keys]
",
        providers: "",
        report: r#"tarsy.yaml:5:18 mcp_servers.s.data_masking.patterns[0]: unknown masking pattern "api_keys"; did you mean "api_key"?"#,
    },
    Broken {
        what: "a summary limit below its least",
        tarsy: "mcp_servers:
  s:
    transport: {type: stdio, command: x}
    summarization: {summary_max_token_limit: 10}
",
        providers: "",
        report: "tarsy.yaml:4:46 mcp_servers.s.summarization.summary_max_token_limit: must be at least 50, not 10; the nearest allowed value is 50",
    },
    Broken {
        what: "an unknown provider of summaries",
        tarsy: "defaults:
  summarization: {llm_provider: openai-defualt}
",
        providers: "",
        report: r#"tarsy.yaml:2:33 defaults.summarization.llm_provider: unknown provider "openai-defualt"; did you mean "openai-default"?"#,
    },
    Broken {
        what: "a provider of a server's summaries without its key",
        tarsy: "mcp_servers:
  s:
    transport: {type: stdio, command: x}
    summarization: {llm_provider: openai-default}
",
        providers: "",
        report: r#"tarsy.yaml:4:35 mcp_servers.s.summarization.llm_provider: the provider "openai-default" needs the variable OPENAI_API_KEY, which is not set; set OPENAI_API_KEY, or name a provider whose key is set"#,
    },
    Broken {
        what: "a variable that is not set",
        tarsy: "mcp_servers:
  s:
    transport:
      type: http
      url: http://x
      bearer_token: {{.TOKEN}}
",
        providers: "",
        report: "tarsy.yaml:6:21 mcp_servers.s.transport.bearer_token: the variable TOKEN is not set; set TOKEN in the environment, or write the value here",
    },
    Broken {
        what: "a key that is set twice",
        tarsy: "queue:
  worker_count: 3
  worker_count: 4
",
        providers: "",
        report: "tarsy.yaml:3:3 queue.worker_count: the key is already set in line 2; keep one of the two",
    },
    Broken {
        what: "broken YAML",
        tarsy: "queue:
  worker_count: [1
system: {}
",
        providers: "",
        report: "tarsy.yaml:3:7: not valid YAML: illegal placement of ':' indicator; check indentation, quotes and colons around this line",
    },
    Broken {
        what: "a second document",
        tarsy: "queue: {}
---
system: {}
",
        providers: "",
        report: "tarsy.yaml:2:1: a second document begins here; keep one document in a file: remove the `---`",
    },
    Broken {
        what: "a tag",
        tarsy: "queue: {worker_count: !secret 5}
",
        providers: "",
        report: "tarsy.yaml:1:31: the tag !secret has no meaning here; remove the tag",
    },
    Broken {
        what: "an unknown provider type",
        tarsy: "",
        providers: "llm_providers:
  p:
    type: opnai
    model: m
",
        report: r#"llm-providers.yaml:3:11 llm_providers.p.type: unknown value "opnai"; did you mean "openai"? known: google, openai, anthropic, xai, vertexai, offline"#,
    },
    Broken {
        what: "a provider without a model",
        tarsy: "",
        providers: "llm_providers:
  p:
    type: openai
",
        report: "llm-providers.yaml:3:5 llm_providers.p.model: is missing; add `model:` here",
    },
    Broken {
        what: "the key itself in the file",
        tarsy: "",
        providers: "llm_providers:
  p:
    type: openai
    model: m
    api_key: sk-123
",
        report: r#"llm-providers.yaml:5:5 llm_providers.p.api_key: unknown key "api_key"; did you mean "api_key_env"?"#,
    },
    Broken {
        what: "native tools elsewhere",
        tarsy: "",
        providers: "llm_providers:
  p:
    type: anthropic
    model: m
    native_tools: {google_search: true}
",
        report: "llm-providers.yaml:5:19 llm_providers.p.native_tools: a provider of type anthropic has no tools of its own; remove native_tools",
    },
    Broken {
        what: "another offline",
        tarsy: "",
        providers: "llm_providers:
  offline:
    type: openai
    model: m
",
        report: "llm-providers.yaml:3:11 llm_providers.offline.type: the name offline is taken; choose another name: `offline` is the analyst that needs no model",
    },
];

#[test]
fn every_broken_configuration_is_told_field_and_fix() {
    assert!(BROKEN.len() > 40);
    for broken in BROKEN {
        assert_eq!(refused(broken.tarsy, broken.providers), broken.report, "{}", broken.what);
    }
}

#[test]
fn every_problem_has_a_place_and_a_remedy() {
    for broken in BROKEN {
        let report = load(broken.tarsy, broken.providers, &Env::empty()).unwrap_err();
        for problem in &report.problems {
            assert!(problem.line > 0 && problem.column > 0, "{problem}");
            assert!(problem.suggestion.is_some(), "{problem}");
        }
    }
}

#[test]
fn all_problems_of_both_files_are_shown_at_once_and_in_order() {
    let mut tarsy = String::new();
    for (section, body) in [
        ("queue", "  worker_cont: 1\n  session_timeout: soon\n"),
        ("defaults", "  llm_provider: nobody-knows\n  iteration_strategy: fast\n"),
        ("agents", "  A:\n    mcp_servers: [hosst]\n"),
    ] {
        tarsy.push_str(section);
        tarsy.push_str(":\n");
        tarsy.push_str(body);
    }
    let providers = "llm_providers:\n  p: {type: opnai, model: m}\n  q: {type: xai}\n";
    let report: Report = load(&tarsy, providers, &Env::empty()).unwrap_err();
    let places: Vec<String> = report
        .problems
        .iter()
        .map(|problem| format!("{}:{} {}", problem.file, problem.line, problem.key))
        .collect();
    assert_eq!(
        places,
        [
            "llm-providers.yaml:2 llm_providers.p.type",
            "llm-providers.yaml:3 llm_providers.q.model",
            "tarsy.yaml:2 queue.worker_cont",
            "tarsy.yaml:3 queue.session_timeout",
            "tarsy.yaml:5 defaults.llm_provider",
            "tarsy.yaml:6 defaults.iteration_strategy",
            "tarsy.yaml:9 agents.A.mcp_servers[0]",
        ]
    );
    assert_eq!(report.to_string().lines().count(), 7);
}

#[test]
fn every_missing_variable_of_a_provider_is_named() {
    let report = refused("defaults: {llm_provider: vertexai-default}\n", "");
    for variable in
        ["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"]
    {
        assert!(report.contains(variable), "{report}");
    }
}

#[test]
fn a_secret_in_the_wrong_place_is_not_repeated() {
    let providers = "llm_providers:\n  p: {type: openai, model: m, api_key_env: sk-s3cr3t}\n";
    let report = refused("system: {github: {token_env: ghp-s3cr3t}}\n", providers);
    assert_eq!(report.lines().count(), 2);
    assert!(!report.contains("s3cr3t"), "{report}");
}

#[test]
fn who_takes_over_must_have_its_variables_too() {
    let report =
        refused("defaults: {llm_provider: offline, fallback_providers: [openai-default]}\n", "");
    assert!(report.contains("defaults.fallback_providers[0]"), "{report}");
    assert!(report.contains("OPENAI_API_KEY"), "{report}");
}
