//! Broken files: each error names file, line, key and remedy, and all are shown at once.

mod chains;
mod intake;
mod providers;
mod servers;
mod settings;
mod shape;

use tarsy_catalog::{Env, Report};

use crate::support::{load, refused};

/// A broken configuration and the whole report about it.
struct Broken {
    what: &'static str,
    tarsy: &'static str,
    providers: &'static str,
    report: &'static str,
}
const BROKEN: [&[Broken]; 6] = [
    shape::BROKEN,
    settings::BROKEN,
    chains::BROKEN,
    servers::BROKEN,
    providers::BROKEN,
    intake::BROKEN,
];

#[test]
fn every_broken_configuration_is_reported_with_field_and_fix() {
    assert!(BROKEN.into_iter().flatten().count() > 40);
    for broken in BROKEN.into_iter().flatten() {
        assert_eq!(refused(broken.tarsy, broken.providers), broken.report, "{}", broken.what);
    }
}

#[test]
fn every_problem_has_a_place_and_a_remedy() {
    for broken in BROKEN.into_iter().flatten() {
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

#[test]
fn what_is_wrong_around_a_missing_or_wrong_key_is_shown_too() {
    let text = "agent_chains:
  c:
    llm_provider: nobody
    max_iterations: many
    chat: {agent: Nobody, enabled: perhaps}
    stages:
      -
      - agents: [{nme: x}, {name: HostAgent, max_iterations: 0}]
mcp_servers:
  s:
    transport: {type: stdoi, command: x, call_timeout: soon}
    data_masking: [a]
";
    let report = load(text, "", &Env::empty()).unwrap_err();
    let keys: Vec<&str> = report.problems.iter().map(|problem| problem.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "agent_chains.c.alert_types",
            "agent_chains.c.llm_provider",
            "agent_chains.c.max_iterations",
            "agent_chains.c.chat.agent",
            "agent_chains.c.chat.enabled",
            "agent_chains.c.stages[0]",
            "agent_chains.c.stages[1].name",
            "agent_chains.c.stages[1].agents[0].name",
            "agent_chains.c.stages[1].agents[0].nme",
            "agent_chains.c.stages[1].agents[1].max_iterations",
            "mcp_servers.s.transport.type",
            "mcp_servers.s.transport.call_timeout",
            "mcp_servers.s.data_masking",
        ],
        "{report}"
    );
}
