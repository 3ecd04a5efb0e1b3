//! The provider that an alert chooses in place of what its chain configures.

use tarsy_catalog::{
    Backend, Catalog, Env, McpSelection, Requested, ResolveError, ResolvedChain, Sender, Strategy,
};

use crate::support::{load, with_keys};

const PROVIDERS: &str = "llm_providers:\n  gemini: {type: google, model: g, api_key_env: GOOGLE_API_KEY, native_tools: {google_search: true}}\n  \
                         gpt: {type: openai, model: o, api_key_env: OPENAI_API_KEY}\n  grok: {type: xai, model: x, api_key_env: XAI_API_KEY}\n  \
                         keyless: {type: openai, model: o, api_key_env: NOBODY_SET_IT}\n";

/// Two agents and a synthesis with Gemini's own interface, another fallback, a summary of long results, and a chat.
const CHAIN: &str = "mcp_servers:
  one: {transport: {type: stdio, command: x}, summarization: {llm_provider: gemini}}
defaults: {llm_provider: gemini, iteration_strategy: native-thinking, fallback_providers: [gpt, grok]}
agents: {A: {mcp_servers: [one]}}
agent_chains:
  c:
    alert_types: [t]
    rules_first: true
    executive_summary_provider: gemini
    chat: {}
    stages: [{name: s, agents: [{name: A}, {name: A, iteration_strategy: react, llm_provider: gemini}]}]
";

fn catalog(more: &str) -> Catalog {
    with_keys(&format!("{CHAIN}{more}"), PROVIDERS)
}

fn resolve(catalog: &Catalog, provider: &str) -> Result<ResolvedChain, ResolveError> {
    catalog.resolve_requested(
        Some("t"),
        Requested { provider: Some(provider), ..Requested::default() },
    )
}

#[test]
fn it_takes_every_call_of_a_model_with_a_strategy_that_fits_and_the_fallbacks_of_the_chain() {
    let chain = resolve(&catalog(""), "gpt").unwrap();
    assert_eq!(chain.stages[0].agents[0].provider.name, "offline", "rules come first still");
    let stage = &chain.stages[1];
    let synthesis = stage.synthesis.as_ref().unwrap();
    let agents: Vec<_> = stage.agents.iter().chain([synthesis]).chain(&chain.chat).collect();
    for agent in &agents {
        assert_eq!(
            (agent.provider.name.as_str(), agent.provider.backend),
            ("gpt", Backend::Langchain)
        );
        let fallbacks: Vec<_> = agent.fallbacks.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(fallbacks, ["grok"], "{}", agent.name);
    }
    let strategies: Vec<_> = agents.iter().map(|agent| agent.strategy).collect();
    assert_eq!(
        strategies,
        [Strategy::Langchain, Strategy::React, Strategy::Synthesis, Strategy::Langchain]
    );
    assert_eq!(stage.agents[0].servers[0].summarizer.as_ref().unwrap().name, "gpt");
    assert_eq!(chain.executive_summary_provider.name, "gpt");
    let native = resolve(&catalog(""), "gemini").unwrap();
    assert_eq!(native.stages[1].agents[0].strategy, Strategy::NativeThinking);
}

#[test]
fn native_tools_are_judged_by_the_provider_that_was_chosen() {
    let mcp: McpSelection = serde_json::from_str(
        r#"{"without_servers": true, "native_tools": {"google_search": true}}"#,
    )
    .unwrap();
    let with = |provider| {
        let requested = Requested { mcp: Some(&mcp), provider, ..Requested::default() };
        catalog("").resolve_requested(Some("t"), requested)
    };
    assert!(with(None).is_ok());
    let refused = with(Some("gpt")).unwrap_err();
    assert_eq!(refused.field(), "mcp.without_servers");
}

#[test]
fn an_alert_may_choose_what_can_be_called_and_what_its_chain_lists() {
    let allowed = |more: &str| {
        catalog(more).default_tools(Some("t"), Sender::Source).unwrap().allowed.providers
    };
    let every = allowed("");
    assert!(
        ["gemini", "gpt", "grok", "offline"].iter().all(|name| every.iter().any(|one| one == name))
    );
    assert!(!every.contains(&"keyless".to_owned()), "{every:?}");
    let listed = "    allowed_providers: [gpt]\n";
    assert_eq!(allowed(listed), ["gpt"]);
    let refused = |more: &str, name: &str| {
        let error = resolve(&catalog(more), name).unwrap_err();
        assert_eq!(error.field(), "provider");
        error.to_string()
    };
    assert_eq!(
        refused(listed, "grok"),
        r#"provider: alerts of the chain "c" may not choose the provider "grok"; they may choose gpt"#
    );
    assert!(refused("    allowed_providers: []\n", "gpt").ends_with("they may choose none"));
    let keyless = refused("", "keyless");
    let reason =
        r#"provider: "keyless" cannot be called: NOBODY_SET_IT is not set; choose one of "#;
    assert!(keyless.starts_with(reason) && keyless.contains("grok"), "{keyless}");
    assert_eq!(
        refused("", "grokk"),
        r#"provider: there is no provider "grokk"; did you mean "grok"?"#
    );
    let unknown = format!("{CHAIN}    allowed_providers: [gptt]\n");
    let report = load(&unknown, PROVIDERS, &Env::empty()).unwrap_err().to_string();
    assert!(report.contains("agent_chains.c.allowed_providers[0]"), "{report}");
}

#[test]
fn a_replay_with_another_provider_leaves_the_rules_to_the_offline_analyst() {
    let catalog = catalog("");
    let chain = catalog.resolve_chain(Some("t"), None).unwrap();
    let replayed = catalog.with_provider(chain, "gpt").unwrap();
    let providers = replayed.stages.iter().map(|stage| &stage.agents[0].provider.name);
    assert_eq!(providers.collect::<Vec<_>>(), ["offline", "gpt"]);
    let mut own = catalog.resolve_chain(Some("t"), None).unwrap();
    "rules".clone_into(&mut own.stages[1].name);
    let replayed = catalog.with_provider(own, "gpt").unwrap();
    assert_eq!(replayed.stages[1].agents[0].provider.name, "gpt", "it only has the name");
}
