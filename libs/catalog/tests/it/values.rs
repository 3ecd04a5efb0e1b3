//! Defaults, overrides, replacement, secrets, folders and the fingerprint.

use std::collections::BTreeMap;
use std::time::Duration;

use tarsy_catalog::{
    Catalog, Endpoint, Env, Isolation, Lifecycle, NotificationStatus, ProviderType, Strategy,
    Subprocess, SuccessPolicy, Target,
};

use crate::support::{load, tarsy};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn the_variables_of_providers_are_those_that_they_name_in_keys_and_templates() {
    let mine = "llm_providers:\n  p: {type: openai, model: m, api_key_env: MY_KEY, base_url: \"http://{{.MY_HOST}}\"}\n";
    let tools = "mcp_servers:\n  s: {transport: {type: http, url: 'http://s', bearer_token: '{{.XAI_API_KEY}}'}}\n  \
                 t: {transport: {type: stdio, command: t, inherit_env: [OPENAI_API_KEY]}}\n";
    let env = Env::of([("MY_HOST", "models"), ("XAI_API_KEY", "k")]);
    let catalog = load(tools, mine, &env).unwrap();
    let names = catalog.provider_variables();
    for name in ["MY_KEY", "MY_HOST", "OPENAI_API_KEY", "GOOGLE_CLOUD_PROJECT"] {
        assert!(names.contains(name), "{names:?}");
    }
    assert!(!names.contains("GITHUB_TOKEN"), "{names:?}");
    let private = catalog.private_variables();
    assert!(private.contains("MY_KEY") && private.contains("ANTHROPIC_API_KEY"), "{private:?}");
    for name in ["MY_HOST", "XAI_API_KEY", "OPENAI_API_KEY"] {
        assert!(!private.contains(name), "a tool server or an address needs it: {private:?}");
    }
}

#[test]
fn without_files_every_default_is_that_of_the_configuration_page() {
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    let queue = &catalog.queue;
    assert_eq!((queue.worker_count, queue.max_concurrent_sessions), (5, 5));
    assert_eq!(queue.session_timeout, 900 * SECOND);
    assert_eq!(queue.heartbeat_interval, 10 * SECOND);
    assert_eq!(queue.orphan_threshold, 30 * SECOND);
    assert_eq!(queue.poll_interval, 5 * SECOND);
    assert_eq!(queue.poll_jitter(), 2 * SECOND);
    let system = &catalog.system;
    assert_eq!(system.dashboard_url, "http://localhost:8080");
    assert!(system.allowed_ws_origins.is_empty());
    assert_eq!(system.github.token_env, "GITHUB_TOKEN");
    assert_eq!(system.runbooks.repo_url, None);
    assert_eq!(system.runbooks.cache_ttl, 60 * SECOND);
    assert_eq!(system.runbooks.allowed_domains, ["github.com", "raw.githubusercontent.com"]);
    assert_eq!((system.slack.enabled, system.slack.token_env.as_str()), (false, "SLACK_BOT_TOKEN"));
    assert_eq!(system.retention.session_retention_days, 365);
    assert_eq!(system.retention.event_ttl, 3600 * SECOND);
    assert_eq!(system.retention.record_retention_days, 90);
    let defaults = &catalog.defaults;
    assert_eq!(defaults.iteration_strategy, Strategy::Langchain);
    assert_eq!((defaults.max_iterations, defaults.success_policy), (20, SuccessPolicy::Any));
    assert_eq!(defaults.alert_type, "kubernetes");
    assert!(defaults.runbook.as_ref().unwrap().contains("No runbook was named"));
    assert!(defaults.alert_masking.enabled);
    assert_eq!(defaults.alert_masking.pattern_group, "security");
}

#[test]
fn only_the_tool_gateway_needs_the_variables_of_tool_servers() {
    let text = "mcp_servers:
  remote:
    transport:
      type: http
      url: \"{{.JIRA_URL}}\"
      bearer_token: {{.JIRA_TOKEN}}
      custom_headers: {X-Key: \"{{.JIRA_KEY}}\"}
  local:
    transport: {type: stdio, command: x, env: {TOKEN: \"{{.LOCAL_TOKEN}}\"}}
";
    let strict = load(text, "", &Env::empty()).unwrap_err();
    assert_eq!(strict.problems.len(), 5, "{strict}");
    let other = load(text, "", &Env::empty().without_tool_secrets()).unwrap();
    assert!(
        other.servers.contains_key("remote") && other.servers.contains_key("local"),
        "{:?}",
        other.servers.keys()
    );
    let set = ["JIRA_TOKEN", "JIRA_KEY", "LOCAL_TOKEN"].map(|name| (name, "v"));
    let set = Env::of(set.into_iter().chain([("JIRA_URL", "https://jira.example/mcp")]));
    let gateway = load(text, "", &set).unwrap();
    assert_eq!(other.config_hash(), gateway.config_hash(), "all have loaded the same");
}

#[test]
fn only_the_notifier_needs_the_variables_of_destinations() {
    let text = "system:
  slack: {enabled: true, channel: \"{{.CHANNEL}}\", api_url: \"{{.SLACK_URL}}\"}
notifications:
  destinations:
    hook: {type: webhook, url: \"{{.HOOK_URL}}\", secret_env: HOOK_SECRET}
    pager: {type: slack, channel: \"{{.PAGER}}\", token_env: PAGER_TOKEN}
";
    let strict = load(text, "", &Env::empty()).unwrap_err().to_string();
    for name in ["CHANNEL", "SLACK_URL", "HOOK_URL", "HOOK_SECRET", "PAGER", "PAGER_TOKEN"] {
        assert!(strict.contains(name), "{name}: {strict}");
    }
    let other = load(text, "", &Env::empty().without_slack_token()).unwrap();
    let set = Env::of([
        ("CHANNEL", "C1"),
        ("SLACK_URL", "https://slack.example/api"),
        ("SLACK_BOT_TOKEN", "t"),
        ("HOOK_URL", "https://hook.example/secret-path"),
        ("HOOK_SECRET", "s"),
        ("PAGER", "C2"),
        ("PAGER_TOKEN", "t"),
    ]);
    let notifier = load(text, "", &set).unwrap();
    assert_eq!(notifier.destinations.len(), 3);
    assert_eq!(other.config_hash(), notifier.config_hash(), "all have loaded the same");
}

#[test]
fn members_of_slack_have_a_name_and_a_role() {
    let text = "system:
  slack:
    signing_secret_env: SLACK_SIGNING_SECRET
    users:
      U0ROSA: {name: rosa, role: responder}
      W0VERA: {name: vera, role: viewer}
";
    let catalog = load(text, "", &Env::empty()).unwrap();
    let slack = &catalog.system.slack;
    assert_eq!(slack.signing_secret_env.as_deref(), Some("SLACK_SIGNING_SECRET"));
    assert_eq!(slack.users["W0VERA"].name, "vera");
    assert_eq!(slack.approvers().collect::<Vec<_>>(), ["rosa"]);
}

#[test]
fn other_mistakes_in_destinations_are_reported_everywhere() {
    let text = "defaults: {runbook: \"{{.WORDS}}\"}
notifications:
  destinations:
    hook: {type: webhook, url: nonsense, secret_env: HOOK_SECRET}
    other: {type: webhook, url: \"{{.HOOK_URL}}\"}
";
    let report = load(text, "", &Env::empty().without_slack_token()).unwrap_err().to_string();
    for expected in ["hook.url", "other.secret_env", "WORDS"] {
        assert!(report.contains(expected), "{expected}: {report}");
    }
    assert!(!report.contains("HOOK_URL"), "{report}");
}

#[test]
fn other_mistakes_in_a_tool_server_are_reported_everywhere() {
    let text = "mcp_servers:
  remote:
    transport: {type: http, url: nonsense, bearer_token: \"{{.JIRA_TOKEN}}\"}
    instructions: \"{{.WORDS}}\"
";
    let report = load(text, "", &Env::empty().without_tool_secrets()).unwrap_err().to_string();
    assert!(report.contains("transport.url") && report.contains("WORDS"), "{report}");
    assert!(!report.contains("JIRA_TOKEN"), "{report}");
}

#[test]
fn a_server_has_the_defaults_of_the_configuration_page() {
    let catalog =
        tarsy("mcp_servers:\n  s:\n    transport: {type: http, url: 'https://x.example/mcp'}\n");
    let server = &catalog.servers["s"];
    let Endpoint::Http(remote) = &server.transport.endpoint else {
        panic!("{:?}", server.transport)
    };
    assert!(remote.verify_ssl && remote.timeout.is_none() && remote.bearer_token.is_none());
    assert_eq!(
        (server.transport.init_timeout, server.transport.call_timeout),
        (30 * SECOND, 90 * SECOND)
    );
    assert_eq!(
        (server.transport.isolation, server.transport.lifecycle),
        (Isolation::Auto, Lifecycle::Auto)
    );
    assert!(!remote.pooling && !server.policy.require_read_only && server.policy.allow.is_empty());
    assert!(server.data_masking.enabled);
    assert_eq!(server.data_masking.pattern_groups, ["security"]);
    let summarization = server.summarization.limits;
    assert!(summarization.enabled);
    assert_eq!(
        (summarization.size_threshold_tokens, summarization.summary_max_token_limit),
        (5000, 1000)
    );
}

#[test]
fn an_explicit_false_zero_or_empty_list_overrides_a_default() {
    let catalog = tarsy(
        "system: {runbooks: {allowed_domains: [], cache_ttl: 0s}}\n\
         defaults: {alert_masking: {enabled: false}, runbook: ''}\n\
         mcp_servers:\n  s:\n    transport: {type: sse, url: 'http://x', verify_ssl: no, timeout: 5}\n\
         \x20   data_masking: {enabled: off, pattern_groups: []}\n\
         \x20   summarization: {enabled: False}\n",
    );
    assert_eq!(catalog.system.runbooks.cache_ttl, Duration::ZERO);
    assert!(catalog.system.runbooks.allowed_domains.is_empty());
    assert!(!catalog.defaults.alert_masking.enabled);
    assert_eq!(catalog.defaults.runbook.as_deref(), Some(""));
    let server = &catalog.servers["s"];
    let Endpoint::Sse(remote) = &server.transport.endpoint else {
        panic!("{:?}", server.transport)
    };
    assert!(!remote.verify_ssl);
    assert_eq!(remote.timeout, Some(5 * SECOND));
    assert!(!server.data_masking.enabled && server.data_masking.pattern_groups.is_empty());
    assert!(!server.summarization.limits.enabled);
    assert_eq!(server.summarization.limits.size_threshold_tokens, 5000);
}

#[test]
fn an_entry_replaces_the_built_in_one_of_its_name_as_a_whole() {
    let catalog = load(
        "agents:\n  HostAgent:\n    custom_instructions: mine\n\
         mcp_servers:\n  host:\n    transport: {type: stdio, command: /opt/mine}\n",
        "llm_providers:\n  google-default: {type: google, model: mine, api_key_env: MY_KEY}\n",
        &Env::empty(),
    )
    .unwrap();
    let agent = &catalog.agents["HostAgent"];
    assert_eq!((agent.custom_instructions.as_str(), &agent.mcp_servers), ("mine", &None));
    assert!(!catalog.servers["host"].builtin && catalog.servers["host"].instructions.is_empty());
    let provider = &catalog.providers["google-default"];
    assert_eq!((provider.model.as_str(), provider.native_tools.google_search), ("mine", false));
    assert!(catalog.providers["xai-default"].builtin);
}

#[test]
fn a_chain_takes_an_alert_type_over_from_a_built_in_one() {
    let catalog = tarsy(
        "agent_chains:\n  mine:\n    alert_types: [kubernetes]\n    stages:\n      - name: s\n        \
         agents: [{name: KubernetesAgent}]\n",
    );
    assert_eq!(catalog.default_chain_id(), "mine");
    assert!(!catalog.chains.contains_key("kubernetes"));
    let types: Vec<(String, String)> =
        catalog.alert_types().into_iter().map(|t| (t.alert_type, t.chain_id)).collect();
    assert_eq!(types, [("host".into(), "host".into()), ("kubernetes".into(), "mine".into())]);
}

#[test]
fn secrets_are_in_the_transport_and_never_in_its_debug_text() {
    use secrecy::ExposeSecret;
    let env = Env::of([("TOKEN", "s3cr3t-$HOME: #x"), ("DB", "s3cr3t-db"), ("ARG", "s3cr3t-arg")]);
    let text = "mcp_servers:\n  a:\n    transport:\n      type: http\n      url: https://u:s3cr3t-url@x/?k=s3cr3t\n      \
                bearer_token: {{.TOKEN}}\n      custom_headers: {X-Key: '{{.DB}}'}\n  b:\n    transport:\n      \
                type: stdio\n      command: x\n      args: ['--token={{.ARG}}']\n      env: {DB_PASSWORD: {{.DB}}}\n";
    let catalog = load(text, "", &env).unwrap();
    let Endpoint::Http(remote) = &catalog.servers["a"].transport.endpoint else { panic!() };
    assert_eq!(remote.bearer_token.as_ref().unwrap().expose_secret(), "s3cr3t-$HOME: #x");
    let Endpoint::Stdio(Subprocess { args, env: vars, .. }) =
        &catalog.servers["b"].transport.endpoint
    else {
        panic!()
    };
    assert_eq!(args, &["--token=s3cr3t-arg"]);
    assert_eq!(vars["DB_PASSWORD"].expose_secret(), "s3cr3t-db");
    assert!(!format!("{catalog:?}").contains("s3cr3t"));
}

#[test]
fn a_problem_shows_the_variable_and_not_its_value() {
    let env = Env::of([("STRATEGY", "s3cr3t-value"), ("SPAN", "s3cr3t")]);
    let text =
        "defaults: {iteration_strategy: '{{.STRATEGY}}'}\nqueue: {session_timeout: '{{.SPAN}}'}\n";
    let report = load(text, "", &env).unwrap_err().to_string();
    assert!(report.contains("{{.STRATEGY}}") && report.contains("{{.SPAN}}"), "{report}");
    assert!(!report.contains("s3cr3t"), "{report}");
}

#[test]
fn the_fingerprint_follows_the_configuration_and_not_the_secrets() {
    let text = |limit: u32, token: &str| {
        format!(
            "defaults: {{max_iterations: {limit}}}\nmcp_servers:\n  s:\n    transport: {{type: http, url: \
             'https://x', bearer_token: '{token}'}}\n"
        )
    };
    let hash = |text: &str, env: &Env| load(text, "", env).unwrap().config_hash();
    let first = hash(&text(7, "one"), &Env::empty());
    assert_eq!(first.len(), 16);
    assert_eq!(first, hash(&text(7, "two"), &Env::of([("GOOGLE_API_KEY", "k")])));
    assert_ne!(first, hash(&text(8, "one"), &Env::empty()));
    assert_ne!(first, Catalog::builtin(&Env::empty()).unwrap().config_hash());
    assert_eq!(
        hash("queue: {worker_count: 1}\nsystem: {dashboard_url: 'http://a'}\n", &Env::empty()),
        hash(
            "system: {dashboard_url: 'http://a'}\n# x\nqueue:\n  worker_count: 1\n",
            &Env::empty()
        ),
    );
}

#[test]
fn the_operators_own_provider_comes_before_the_built_in_ones() {
    let env = Env::of([("GOOGLE_API_KEY", "k"), ("MY_KEY", "k")]);
    let mine = "llm_providers:\n  zulu: {type: openai, model: m, api_key_env: UNSET}\n  \
                mike: {type: openai, model: m, api_key_env: MY_KEY}\n  \
                alpha: {type: openai, model: m, api_key_env: MY_KEY}\n";
    let catalog = load("", mine, &env).unwrap();
    assert_eq!(catalog.llm_info().provider, "mike");
    let native = load("defaults: {iteration_strategy: native-thinking}\n", mine, &env).unwrap();
    assert_eq!(native.llm_info().provider, "google-default");
}

#[test]
fn a_local_model_needs_no_key() {
    let local =
        "llm_providers:\n  local: {type: openai, model: qwen, base_url: 'http://localhost:1/v1'}\n";
    let catalog = load("defaults: {llm_provider: local}\n", local, &Env::empty()).unwrap();
    let info = catalog.llm_info();
    assert_eq!((info.provider.as_str(), info.offline), ("local", false));
    assert_eq!(catalog.providers["local"].provider_type, ProviderType::Openai);
    assert!(info.message.contains("http://localhost:1"), "{}", info.message);
}

#[test]
fn credentials_are_asked_for_only_where_a_provider_is_named() {
    let unused = "llm_providers:\n  p: {type: openai, model: m, api_key_env: NOT_SET}\n";
    assert!(load("", unused, &Env::empty()).is_ok());
    let used = "defaults: {llm_provider: p}\n";
    assert!(load(used, unused, &Env::empty()).is_err());
    let catalog = load(used, unused, &Env::empty().without_llm_credentials()).unwrap();
    assert_eq!(catalog.defaults.llm_provider.as_deref(), Some("p"));
    assert_eq!(catalog.llm_info().provider, "p");
    let slack = "system: {slack: {enabled: true, channel: C1}}\n";
    assert!(load(slack, "", &Env::empty()).is_err());
    assert!(load(slack, "", &Env::empty().without_slack_token()).is_ok());
}

#[test]
fn a_folder_is_read_and_named_in_its_problems() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Catalog::load_dir(Some(dir.path()), &Env::empty()).is_ok());
    std::fs::write(dir.path().join("tarsy.yaml"), "queue: {worker_count: 9}\n").unwrap();
    let catalog = Catalog::load_dir(Some(dir.path()), &Env::empty()).unwrap();
    assert_eq!(catalog.queue.worker_count, 9);
    std::fs::write(dir.path().join("tarsy.yaml"), "queue: {worker_count: no}\n").unwrap();
    std::fs::write(dir.path().join("llm-providers.yaml"), "providers: {}\n").unwrap();
    let report = Catalog::load_dir(Some(dir.path()), &Env::empty()).unwrap_err();
    let files: Vec<bool> = report
        .problems
        .iter()
        .map(|problem| problem.file.starts_with(dir.path().to_str().unwrap()) && problem.line == 1)
        .collect();
    assert_eq!(files, [true, true], "{report}");
}

#[test]
fn a_missing_folder_and_a_nearly_right_file_name_are_problems() {
    let dir = tempfile::tempdir().unwrap();
    let report = Catalog::load_dir(Some(&dir.path().join("nope")), &Env::empty()).unwrap_err();
    assert!(report.to_string().contains("TARSY_CONFIG_DIR"), "{report}");
    std::fs::write(dir.path().join("tarsy.yml"), "queue: {}\n").unwrap();
    let report = Catalog::load_dir(Some(dir.path()), &Env::empty()).unwrap_err();
    assert!(report.to_string().ends_with("rename it to tarsy.yaml"), "{report}");
}

#[test]
fn the_channel_of_the_simple_form_is_a_destination_among_others() {
    let text = "system: {slack: {enabled: true, channel: C1, api_url: 'http://localhost:1/api/'}}\n\
         notifications:\n  destinations:\n\
         \x20   pager: {type: slack, channel: C2, token_env: PAGER, statuses: [failed, timed_out]}\n\
         \x20   hook: {type: webhook, url: 'https://a.example/x', secret_env: HOOK}\n";
    let env = Env::of([("SLACK_BOT_TOKEN", "t"), ("PAGER", "t"), ("HOOK", "s")]);
    let catalog = load(text, "", &env).unwrap();
    let names: Vec<&str> = catalog.destinations.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["slack", "hook", "pager"]);
    let Target::Slack(slack) = &catalog.destinations[0].target else { panic!("{names:?}") };
    assert_eq!(
        (slack.api_url.as_str(), slack.token_env.as_str()),
        ("http://localhost:1/api", "SLACK_BOT_TOKEN")
    );
    assert_eq!(
        catalog.destinations[2].statuses,
        [NotificationStatus::Failed, NotificationStatus::TimedOut]
    );
    let report = load(text, "", &Env::empty()).unwrap_err().to_string();
    for variable in ["SLACK_BOT_TOKEN", "PAGER", "HOOK"] {
        assert!(report.contains(&format!("the variable {variable} is not set")), "{report}");
    }
    assert!(load(text, "", &Env::empty().without_slack_token()).is_ok());
}

#[test]
fn a_key_without_effect_is_a_warning_with_its_place() {
    let catalog = tarsy("queue:\n  graceful_shutdown_timeout: 10m0s\n  poll_interval: 1m0s\n");
    let warnings: Vec<String> = catalog.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "tarsy.yaml:2:3 queue.graceful_shutdown_timeout: has no effect; remove it: how long a stop waits is TARSY_GRACE_SECONDS"
        ]
    );
    assert_eq!(catalog.queue.poll_interval, 60 * SECOND);
    let text = "system: {retention: {usage_retention_days: [x], change_retention_days: }}\nagent_chains: {c: {alert_types: \
                [a], remediation: {deadline: x}, stages: [{name: s, agents: [{name: HostAgent}]}]}}\n";
    let warnings = tarsy(text).warnings;
    let keys: Vec<&str> = warnings.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(
        keys,
        ["system.retention.usage_retention_days", "agent_chains.c.remediation.deadline"],
        "whatever they say, unless it is nothing"
    );
    assert!(warnings[0].remedy().contains("record_retention_days"), "{warnings:?}");
    assert!(Catalog::builtin(&Env::empty()).unwrap().warnings.is_empty());
}

fn missing(lists: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    lists.iter().map(|&(name, names)| (name.to_owned(), owned(names))).collect()
}

#[test]
fn the_first_usable_provider_is_the_one_that_llm_service_reports() {
    let mine = "llm_providers:\n  mine: {type: openai, model: m, api_key_env: MY_KEY}\n";
    // Whatever the process that resolves chains has.
    let env = Env::of([("XAI_API_KEY", "k")]);
    let catalog = load("", mine, &env).unwrap();
    assert_eq!(catalog.llm_info().provider, "xai-default");
    let keyed = catalog.with_missing(missing(&[
        ("mine", &[]),
        ("anthropic-default", &[]),
        ("xai-default", &["XAI_API_KEY"]),
    ]));
    assert_eq!(keyed.llm_info().provider, "mine");
    assert_eq!(keyed.resolve_chain(None, None).unwrap().executive_summary_provider.name, "mine");
    assert_eq!(keyed.config_hash(), catalog.config_hash());
    assert!(catalog.with_missing(missing(&[("mine", &["MY_KEY"])])).llm_info().offline);

    let named = load("defaults: {llm_provider: xai-default}\n", mine, &env).unwrap();
    assert!(!named.chooses_provider());
    let named = named.with_missing(missing(&[("mine", &[])]));
    assert_eq!(named.llm_info().provider, "xai-default");
}

#[test]
fn an_unusable_provider_has_a_reason_and_the_key_that_names_it() {
    let tarsy = "agent_chains:\n  a:\n    alert_types: [a]\n    llm_provider: xai-default\n    stages: [{name: s, agents: \
                 [{name: HostAgent, llm_provider: xai-default}]}]\n";
    let env = Env::empty().without_llm_credentials();
    let catalog = load(tarsy, "llm_providers: {bare: {type: openai, model: m}}\n", &env).unwrap();
    let reported = catalog.with_missing(missing(&[
        ("xai-default", &["XAI_API_KEY", "OTHER"]),
        ("anthropic-default", &["ANTHROPIC_API_KEY"]),
        ("bare", &["api_key_env"]),
    ]));
    let states = reported.provider_states();
    let state = |name: &str| states.iter().find(|state| state.name == name).unwrap();
    let reason = |name: &str| state(name).unusable.as_ref().map(ToString::to_string);
    assert_eq!(reason("xai-default").unwrap(), "XAI_API_KEY, OTHER are not set");
    assert_eq!(state("xai-default").named_at.as_deref(), Some("agent_chains.a.llm_provider"));
    assert_eq!(reason("anthropic-default").unwrap(), "ANTHROPIC_API_KEY is not set");
    assert_eq!(state("anthropic-default").named_at, None);
    assert!(reason("bare").unwrap().contains("api_key_env"));
    assert!(reason("openai-default").unwrap().contains("llm-providers.yaml"));
    assert_eq!(reason("offline"), None);
}
