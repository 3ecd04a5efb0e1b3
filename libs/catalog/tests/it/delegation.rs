//! The agents that an agent may dispatch: from which level, with what limits, and what is refused.

use std::time::Duration;

use tarsy_catalog::{
    Backend, Catalog, Env, ResolvedAgent, ResolvedChain, ResolvedDelegation, Source, Sources,
    Strategy,
};

const AGENTS: &str = "agents:
  Lead: {mcp_servers: [host], orchestrator: {max_concurrent_agents: 2, agent_timeout: 90s}}
  Metrics: {description: Reads metrics, mcp_servers: [host], max_iterations: 9}
  Logs: {description: Reads logs}
  Mute: {mcp_servers: [host]}
  Joiner: {type: synthesis, description: Joins}
";

fn sources(chain: &str, defaults: &str) -> Sources {
    let text = format!(
        "defaults: {{llm_provider: google-default{defaults}}}\n{AGENTS}agent_chains:\n  c:\n    alert_types: [a]\n{chain}"
    );
    Sources { tarsy: Some(Source { name: "tarsy.yaml".to_owned(), text }), ..Sources::default() }
}

fn env() -> Env {
    Env::of([("GOOGLE_API_KEY", "set"), ("OPENAI_API_KEY", "set")])
}

fn chain(chain: &str, defaults: &str) -> ResolvedChain {
    let catalog = Catalog::load(sources(chain, defaults), &env());
    catalog.unwrap_or_else(|report| panic!("{report}")).resolve_chain(Some("a"), None).unwrap()
}

fn refused(text: &str) -> String {
    Catalog::load(sources(text, ""), &env()).unwrap_err().to_string()
}

fn names(agent: &ResolvedAgent) -> Vec<&str> {
    let agents = agent.delegation.iter().flat_map(|one| &one.agents);
    agents.map(|one| one.agent.name.as_str()).collect()
}

fn delegation(agent: &ResolvedAgent) -> &ResolvedDelegation {
    agent.delegation.as_ref().unwrap()
}

#[test]
fn the_nearest_list_decides_and_no_list_of_several_lets_an_agent_dispatch_itself() {
    let chain = chain(
        "    sub_agents: [Metrics, Logs]
    chat: {sub_agents: [Logs]}
    stages:
      - {name: chain, agents: [{name: Lead}, {name: Metrics}]}
      - {name: stage, sub_agents: [Logs], agents: [{name: Lead}, {name: Lead, sub_agents: [Metrics]}, {name: Lead, sub_agents: []}]}
",
        "",
    );
    let [first, second] = chain.stages.as_slice() else { panic!("{:?}", chain.stages) };
    assert_eq!(names(&first.agents[0]), ["Metrics", "Logs"]);
    assert_eq!(names(&first.agents[1]), ["Logs"]);
    let of_stage: Vec<_> = second.agents.iter().map(names).collect();
    assert_eq!(of_stage, [vec!["Logs"], vec!["Metrics"], vec![]]);
    assert_eq!(names(chain.chat.as_ref().unwrap()), ["Logs"]);
    assert!(second.synthesis.as_ref().unwrap().delegation.is_none());
    let dispatched = &delegation(&first.agents[0]).agents[0];
    assert_eq!(dispatched.description, "Reads metrics");
    assert!(dispatched.agent.delegation.is_none(), "it dispatches none itself");
}

#[test]
fn an_entry_overrides_its_agent_there() {
    let chain = chain(
        "    sub_agents:
      - Metrics
      - {name: Logs, llm_provider: openai-default, llm_backend: langchain, max_iterations: 3, mcp_servers: [host], skills: [disk],
         required_skills: [pods]}
    stages: [{name: s, agents: [{name: Lead}]}]
",
        "",
    );
    let all = &delegation(&chain.stages[0].agents[0]).agents;
    let (metrics, logs) = (&all[0].agent, &all[1].agent);
    let servers = |agent: &ResolvedAgent| {
        agent.servers.iter().map(|server| server.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!((metrics.max_iterations, servers(metrics)), (9, vec!["host".to_owned()]));
    assert_eq!(metrics.provider.name, "google-default");
    assert_eq!((logs.max_iterations, servers(logs)), (3, vec!["host".to_owned()]));
    assert_eq!(logs.provider.name, "openai-default");
    assert_eq!(
        (logs.skills.as_slice(), logs.required_skills.as_slice()),
        (["disk".to_owned()].as_slice(), ["pods".to_owned()].as_slice())
    );
    assert!(chain.skill("pods").is_some(), "the session keeps their texts");
    assert_eq!(chain.server_ids(), ["host"]);
}

#[test]
fn each_limit_is_of_the_nearest_level_that_sets_it() {
    let limits = |chain: &ResolvedChain| {
        let one = delegation(&chain.stages[0].agents[0]);
        let time = Duration::from_millis;
        (one.max_concurrent_agents, time(one.agent_timeout_ms), time(one.max_budget_ms))
    };
    let stages = "    sub_agents: [Logs]\n    stages: [{name: s, agents: [{name: Lead, orchestrator: {max_concurrent_agents: 1}}]}]\n";
    let seconds = Duration::from_secs;
    assert_eq!(limits(&chain(stages, "")), (1, seconds(90), seconds(900)));
    let defaults = ", orchestrator: {agent_timeout: 5s, max_budget: 20s}";
    assert_eq!(limits(&chain(stages, defaults)), (1, seconds(90), seconds(20)));
    let plain = "    sub_agents: [Logs]\n    stages: [{name: s, agents: [{name: Mute}]}]\n";
    assert_eq!(limits(&chain(plain, "")), (5, seconds(420), seconds(900)));
}

#[test]
fn what_cannot_be_dispatched_is_refused_with_what_to_do() {
    let report = refused(
        "    sub_agents: [Nobody, Joiner]
    stages: [{name: s, agents: [{name: Lead}]}]
",
    );
    for words in [
        "agent_chains.c.sub_agents[0]: unknown agent \"Nobody\"",
        "agent_chains.c.sub_agents[1]: \"Joiner\" joins findings without tools and cannot be dispatched",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
}

#[test]
fn a_dispatched_agent_has_a_backend_that_its_provider_has() {
    let of = |entry: &str| {
        format!(
            "    llm_backend: google-native\n    sub_agents: [{{name: Logs, llm_provider: openai-default{entry}}}]\n    stages: \
             [{{name: s, agents: [{{name: Lead}}]}}]\n"
        )
    };
    let chain = chain(&of(""), "");
    let logs = &delegation(&chain.stages[0].agents[0]).agents[0].agent;
    assert_eq!((logs.strategy, logs.provider.backend), (Strategy::Langchain, Backend::Langchain));
    let report = refused(&of(", llm_backend: google-native"));
    assert!(report.contains("but \"openai-default\" is of type openai"), "{report}");
}

#[test]
fn an_agent_without_a_description_is_chosen_by_its_tools_and_warned_of() {
    let text = "    sub_agents: [Mute]\n    stages: [{name: s, agents: [{name: Lead}]}]\n";
    let catalog = Catalog::load(sources(text, ""), &env()).unwrap();
    let warnings: Vec<String> = catalog.warnings.iter().map(ToString::to_string).collect();
    let expected = "agent_chains.c.sub_agents[0]: \"Mute\" has no description: a model chooses it by its name and its tools; \
                    add `description:` to agents.Mute";
    assert!(warnings.iter().any(|one| one.ends_with(expected)), "{warnings:#?}");
    let chain = catalog.resolve_chain(Some("a"), None).unwrap();
    let mute = &delegation(&chain.stages[0].agents[0]).agents[0];
    assert_eq!(mute.description, "An agent with the tools of host.");
}

#[test]
fn an_agent_whose_own_list_names_it_dispatches_copies_that_dispatch_no_further_one() {
    let text = "    sub_agents: [Logs]
    chat: {agent: Logs, sub_agents: [Logs]}
    stages: [{name: s, agents: [{name: Metrics, sub_agents: [Metrics, {name: Logs}]}, {name: Logs}]}]
";
    let chain = chain(text, ", orchestrator: {max_depth: 3}");
    let agents = &chain.stages[0].agents;
    assert_eq!(tree(&agents[0]), "Metrics (Metrics, Logs)");
    assert_eq!(tree(&agents[1]), "Logs", "the list of the chain is for all");
    assert_eq!(tree(chain.chat.as_ref().unwrap()), "Logs (Logs)");
}

/// A tree as a text: the name of an agent, and in parentheses those that it may dispatch.
fn tree(agent: &ResolvedAgent) -> String {
    let below = agent.delegation.iter().flat_map(|one| &one.agents);
    let below: Vec<_> = below.map(|one| tree(&one.agent)).collect();
    if below.is_empty() {
        return agent.name.clone();
    }
    format!("{} ({})", agent.name, below.join(", "))
}

#[test]
fn dispatched_agents_dispatch_those_of_their_definitions_as_deep_as_it_is_allowed() {
    let leads = |depth: &str, of_b: &str| {
        let text = format!(
            "defaults: {{llm_provider: google-default}}
agents:
  A: {{description: a, mcp_servers: [host], sub_agents: [B]{depth}}}
  B: {{description: b, mcp_servers: [host], sub_agents: [C, A]{of_b}}}
  C: {{description: c, mcp_servers: [host], sub_agents: [D, B]}}
  D: {{description: d, mcp_servers: [host], sub_agents: [E]}}
  E: {{description: e, mcp_servers: [host]}}
agent_chains: {{c: {{alert_types: [a], stages: [{{name: s, agents: [{{name: A}}]}}]}}}}
"
        );
        let tarsy = Some(Source { name: "tarsy.yaml".to_owned(), text });
        let catalog = Catalog::load(Sources { tarsy, ..Sources::default() }, &env()).unwrap();
        tree(&catalog.resolve_chain(Some("a"), None).unwrap().stages[0].agents[0])
    };
    let depth = |levels: u32| format!(", orchestrator: {{max_depth: {levels}}}");
    assert_eq!(leads("", ""), "A (B)");
    assert_eq!(leads(&depth(2), ""), "A (B (C))");
    assert_eq!(leads(&depth(3), ""), "A (B (C (D)))");
    assert_eq!(leads(&depth(3), &depth(1)), "A (B (C))", "each agent has its own limit");
    assert_eq!(leads("", &depth(3)), "A (B)");
}

#[test]
fn a_tree_with_too_many_agents_is_refused() {
    let names: Vec<_> = (0..12).map(|number| format!("N{number}")).collect();
    let agent = |name: &String| {
        let others: Vec<_> = names.iter().filter(|one| *one != name).map(String::as_str).collect();
        let others = others.join(", ");
        format!("  {name}: {{description: d, mcp_servers: [host], sub_agents: [{others}]}}\n")
    };
    let agents: String = names.iter().map(agent).collect();
    let load = |depth: u32| {
        let text = format!(
            "defaults: {{llm_provider: google-default, orchestrator: {{max_depth: {depth}}}}}\nagents:\n{agents}\
             agent_chains: {{c: {{alert_types: [a], stages: [{{name: s, agents: [{{name: N0}}]}}]}}}}\n"
        );
        let tarsy = Some(Source { name: "tarsy.yaml".to_owned(), text });
        Catalog::load(Sources { tarsy, ..Sources::default() }, &env())
    };
    assert!(load(1).is_ok());
    let report = load(2).unwrap_err().to_string();
    assert!(report.contains("more than 100 agents below it"), "{report}");
}
