//! From configuration to what a session runs: which layer wins, for every field.

use tarsy_catalog::{Backend, Catalog, Requested, ResolvedAgent, Strategy, SuccessPolicy, Tokens};

use crate::support::{tarsy, with_keys};

const SERVERS: &str = "mcp_servers:\n  one: &s {transport: {type: stdio, command: x}, instructions: about one}\n  \
                       two: *s\n  three: *s\n  four: *s\n  five: *s\n";

/// A chain `c` (alert type `t`) of these lines beside one agent `A` of these.
pub(crate) fn catalog(defaults: &str, agent: &str, chain: &str, stages: &str) -> Catalog {
    with_keys(
        &format!(
            "{SERVERS}defaults: {{{defaults}}}\nagents:\n  A: {{{agent}}}\n  B: {{}}\nagent_chains:\n  c:\n    \
             alert_types: [t]\n{chain}    stages:\n{stages}"
        ),
        "llm_providers:\n  gemini: {type: google, model: g, api_key_env: GOOGLE_API_KEY, native_tools: \
         {google_search: true}}\n  gpt: {type: openai, model: o, api_key_env: OPENAI_API_KEY}\n  \
         grok: {type: xai, model: x, api_key_env: XAI_API_KEY}\n",
    )
}

pub(crate) fn first(catalog: &Catalog) -> ResolvedAgent {
    catalog.resolve_chain(Some("t"), None).unwrap().stages[0].agents[0].clone()
}

pub(crate) fn servers(agent: &ResolvedAgent) -> Vec<&str> {
    agent.servers.iter().map(|server| server.id.as_str()).collect()
}

pub(crate) const PLAIN: &str = "      - {name: s, agents: [{name: A}]}\n";

#[test]
fn the_strategy_is_that_of_the_nearest_layer() {
    let of =
        |defaults, agent, chain, stages| first(&catalog(defaults, agent, chain, stages)).strategy;
    let (defaults, agent) = ("iteration_strategy: react", "iteration_strategy: native-thinking");
    let chain = "    iteration_strategy: synthesis\n    llm_provider: gemini\n";
    let here = "      - {name: s, agents: [{name: A, iteration_strategy: langchain}]}\n";
    assert_eq!(of("", "", "", PLAIN), Strategy::Langchain);
    assert_eq!(of(defaults, "", "", PLAIN), Strategy::React);
    assert_eq!(of(defaults, agent, "    llm_provider: gemini\n", PLAIN), Strategy::NativeThinking);
    assert_eq!(of(defaults, agent, chain, PLAIN), Strategy::Synthesis);
    assert_eq!(of(defaults, agent, chain, here), Strategy::Langchain);
}

#[test]
fn the_limit_is_that_of_the_nearest_layer() {
    let of = |defaults, agent, chain, stages| {
        first(&catalog(defaults, agent, chain, stages)).max_iterations
    };
    let stage = "      - {name: s, max_iterations: 5, agents: [{name: A}]}\n";
    let here = "      - {name: s, max_iterations: 5, agents: [{name: A, max_iterations: 6}]}\n";
    assert_eq!(of("", "", "", PLAIN), 20);
    assert_eq!(of("max_iterations: 2", "", "", PLAIN), 2);
    assert_eq!(of("max_iterations: 2", "max_iterations: 3", "", PLAIN), 3);
    let chain = "    max_iterations: 4\n";
    assert_eq!(of("max_iterations: 2", "max_iterations: 3", chain, PLAIN), 4);
    assert_eq!(of("max_iterations: 2", "max_iterations: 3", chain, stage), 5);
    assert_eq!(of("max_iterations: 2", "max_iterations: 3", chain, here), 6);
}

#[test]
fn the_provider_is_that_of_the_nearest_layer() {
    let of = |defaults, chain, stages| first(&catalog(defaults, "", chain, stages)).provider.name;
    let here = "      - {name: s, agents: [{name: A, llm_provider: grok}]}\n";
    assert_eq!(of("", "", PLAIN), "gemini");
    assert_eq!(of("llm_provider: xai-default", "", PLAIN), "xai-default");
    assert_eq!(of("llm_provider: xai-default", "    llm_provider: gpt\n", PLAIN), "gpt");
    assert_eq!(of("llm_provider: xai-default", "    llm_provider: gpt\n", here), "grok");
}

#[test]
fn the_servers_are_those_of_the_nearest_layer_and_an_empty_list_counts() {
    let of = |agent, chain, stages| servers(&first(&catalog("", agent, chain, stages))).join(" ");
    let stage = "      - {name: s, mcp_servers: [three], agents: [{name: A}]}\n";
    let here =
        "      - {name: s, mcp_servers: [three], agents: [{name: A, mcp_servers: [four, four]}]}\n";
    let none = "      - {name: s, mcp_servers: [three], agents: [{name: A, mcp_servers: []}]}\n";
    assert_eq!(of("", "", PLAIN), "");
    assert_eq!(of("mcp_servers: [one, five]", "", PLAIN), "one five");
    assert_eq!(of("mcp_servers: [one]", "    mcp_servers: [two]\n", PLAIN), "two");
    assert_eq!(of("mcp_servers: [one]", "    mcp_servers: [two]\n", stage), "three");
    assert_eq!(of("mcp_servers: [one]", "    mcp_servers: [two]\n", here), "four");
    assert_eq!(of("mcp_servers: [one]", "    mcp_servers: [two]\n", none), "");
}

#[test]
fn summaries_are_made_by_the_servers_provider_or_the_default_one_or_the_agents() {
    let of = |defaults: &str, server: &str| {
        let catalog = with_keys(
            &format!(
                "mcp_servers:\n  one: {{transport: {{type: stdio, command: x}}, summarization: \
                 {{{server}}}}}\ndefaults: {{{defaults}}}\nagents:\n  A: {{mcp_servers: [one]}}\n\
                 agent_chains:\n  c:\n    alert_types: [t]\n    stages:\n{PLAIN}"
            ),
            "llm_providers:\n  gpt: {type: openai, model: o, api_key_env: OPENAI_API_KEY}\n  \
             grok: {type: xai, model: x, api_key_env: XAI_API_KEY}\n",
        );
        first(&catalog).servers[0].summarizer.clone().map(|provider| provider.name)
    };
    assert_eq!(of("", ""), None);
    let default = "summarization: {llm_provider: gpt}";
    assert_eq!(of(default, "").as_deref(), Some("gpt"));
    assert_eq!(of(default, "llm_provider: grok").as_deref(), Some("grok"));
}

#[test]
fn the_success_policy_is_that_of_the_stage_or_the_default() {
    let of = |defaults, stages: &str| {
        let catalog = catalog(defaults, "", "", stages);
        catalog.resolve_chain(Some("t"), None).unwrap().stages[0].success_policy
    };
    let stage = "      - {name: s, success_policy: any, agents: [{name: A}]}\n";
    assert_eq!(of("", PLAIN), SuccessPolicy::Any);
    assert_eq!(of("success_policy: all", PLAIN), SuccessPolicy::All);
    assert_eq!(of("success_policy: all", stage), SuccessPolicy::Any);
}

#[test]
fn the_backend_follows_the_strategy_and_the_offline_analyst_stays_offline() {
    for (strategy, backend) in [
        (Strategy::NativeThinking, Backend::GoogleNative),
        (Strategy::SynthesisNativeThinking, Backend::GoogleNative),
        (Strategy::Langchain, Backend::Langchain),
        (Strategy::React, Backend::Langchain),
        (Strategy::Synthesis, Backend::Langchain),
    ] {
        let chain = format!("    iteration_strategy: {strategy}\n    llm_provider: gemini\n");
        assert_eq!(first(&catalog("", "", &chain, PLAIN)).provider.backend, backend);
        let chain = format!("    iteration_strategy: {strategy}\n    llm_provider: offline\n");
        let agent = first(&catalog("", "", &chain, PLAIN));
        assert_eq!((agent.strategy, agent.provider.backend), (strategy, Backend::Offline));
    }
}

#[test]
fn replicas_are_spelled_out_and_joined() {
    let stages = "      - {name: s, replicas: 3, agents: [{name: A}]}\n";
    let chain = catalog("", "", "", stages).resolve_chain(Some("t"), None).unwrap();
    let stage = &chain.stages[0];
    let names: Vec<_> = stage.agents.iter().map(|a| (a.name.as_str(), a.agent.as_str())).collect();
    assert_eq!(names, [("A-1", "A"), ("A-2", "A"), ("A-3", "A")]);
    assert_eq!(stage.parallel_type.as_deref(), Some("replica"));
    let synthesis = stage.synthesis.as_ref().unwrap();
    assert_eq!(
        (synthesis.agent.as_str(), synthesis.strategy),
        ("SynthesisAgent", Strategy::Synthesis)
    );
    assert_eq!((synthesis.max_iterations, synthesis.servers.len()), (1, 0));
}

#[test]
fn several_agents_are_joined_and_one_is_not() {
    let stages = "      - {name: s, agents: [{name: A}, {name: B}, {name: A}]}\n      - {name: z, agents: [{name: B}]}\n";
    let chain = catalog("", "", "", stages).resolve_chain(Some("t"), None).unwrap();
    let names: Vec<_> = chain.stages[0].agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["A-1", "B", "A-2"]);
    assert_eq!(chain.stages[0].parallel_type.as_deref(), Some("multi_agent"));
    assert!(chain.stages[0].synthesis.is_some());
    assert_eq!((&chain.stages[1].parallel_type, &chain.stages[1].synthesis), (&None, &None));
}

#[test]
fn a_synthesis_takes_its_block_then_the_chain_then_the_defaults() {
    let of = |defaults, chain, block: &str| {
        let stages = format!(
            "      - {{name: s, replicas: 2, agents: [{{name: A, llm_provider: gemini}}]{block}}}\n"
        );
        let catalog = catalog(defaults, "", chain, &stages);
        let chain = catalog.resolve_chain(Some("t"), None).unwrap();
        let synthesis = chain.stages[0].synthesis.clone().unwrap();
        (synthesis.agent, synthesis.provider.name, synthesis.strategy)
    };
    let (plain, native) = (Strategy::Synthesis, Strategy::SynthesisNativeThinking);
    let usual = "SynthesisAgent".to_owned();
    assert_eq!(of("llm_provider: grok", "", ""), (usual.clone(), "grok".into(), plain));
    let thinking = "    iteration_strategy: native-thinking\n";
    assert_eq!(of("llm_provider: gemini", thinking, ""), (usual.clone(), "gemini".into(), native));
    assert_eq!(
        of("llm_provider: grok", "    llm_provider: gpt\n", ""),
        (usual, "gpt".into(), plain)
    );
    let block = ", synthesis: {agent: B, llm_provider: gemini, iteration_strategy: synthesis-native-thinking}";
    assert_eq!(of("", "    llm_provider: gpt\n", block), ("B".to_owned(), "gemini".into(), native));
}

#[test]
fn the_executive_summary_takes_its_own_provider_then_the_chains_then_the_default() {
    let of = |defaults, chain| {
        let provider = catalog(defaults, "", chain, PLAIN)
            .resolve_chain(Some("t"), None)
            .unwrap()
            .executive_summary_provider;
        (provider.name, provider.backend)
    };
    assert_eq!(of("llm_provider: grok", ""), ("grok".to_owned(), Backend::Langchain));
    assert_eq!(
        of("llm_provider: grok", "    llm_provider: gpt\n"),
        ("gpt".to_owned(), Backend::Langchain)
    );
    let own = "    llm_provider: gemini\n    iteration_strategy: native-thinking\n    executive_summary_provider: gpt\n";
    assert_eq!(of("", own), ("gpt".to_owned(), Backend::Langchain));
    let native = "    llm_provider: gemini\n    iteration_strategy: native-thinking\n";
    assert_eq!(of("", native), ("gemini".to_owned(), Backend::GoogleNative));
}

#[test]
fn without_a_chat_block_there_is_no_chat() {
    let chat = |chain: &str| {
        catalog("", "", chain, PLAIN).resolve_chain(Some("t"), None).unwrap().chat.is_some()
    };
    assert!(!chat(""));
    assert!(!chat("    chat: {enabled: false}\n"));
    assert!(chat("    chat: {enabled: true}\n"));
    assert!(chat("    chat: {max_iterations: 3}\n"));
}

#[test]
fn a_chat_takes_its_own_servers_then_the_chains_its_agents_and_those_of_the_stages() {
    let stages = "      - {name: s, agents: [{name: A}, {name: B, mcp_servers: [three, two]}]}\n      - {name: z, agents: \
                  [{name: A, mcp_servers: [four, three]}]}\n";
    let of = |chain: &str| {
        let catalog = catalog("max_iterations: 9", "mcp_servers: [two]", chain, stages);
        let chat = catalog.resolve_chain(Some("t"), None).unwrap().chat.unwrap();
        (chat.agent.clone(), servers(&chat).join(" "), chat.max_iterations)
    };
    assert_eq!(of("    chat: {}\n"), ("ChatAgent".to_owned(), "two three four".to_owned(), 9));
    let chain = "    mcp_servers: [five]\n    max_iterations: 8\n    chat: {agent: B}\n";
    assert_eq!(of(chain), ("B".to_owned(), "five".to_owned(), 8));
    let of_agent = "    chat: {agent: A}\n";
    assert_eq!(of(of_agent), ("A".to_owned(), "two".to_owned(), 9));
    let own =
        "    mcp_servers: [five]\n    chat: {agent: A, mcp_servers: [one], max_iterations: 7}\n";
    assert_eq!(of(own), ("A".to_owned(), "one".to_owned(), 7));
}

#[test]
fn a_session_keeps_the_name_of_its_provider_and_no_way_to_it() {
    let env = tarsy_catalog::Env::of([
        ("GOOGLE_APPLICATION_CREDENTIALS", "/secret/path"),
        ("GOOGLE_CLOUD_PROJECT", "my-project"),
        ("GOOGLE_CLOUD_LOCATION", "europe-west1"),
    ]);
    let catalog = Catalog::builtin(&env).unwrap();
    let provider = catalog.resolve_chain(None, None).unwrap().executive_summary_provider;
    assert_eq!(provider.name, "vertexai-default");
    let kept = serde_json::to_string(&provider).unwrap();
    for word in ["_env", "/secret/path", "my-project", "europe-west1", "base_url"] {
        assert!(!kept.contains(word), "{kept}");
    }
}

#[test]
fn a_session_keeps_the_prices_of_its_beginning() {
    let price = |prices: &str| {
        let file = format!(
            "llm_providers:\n  p: {{type: openai, model: m, base_url: 'http://m'{prices}}}\n"
        );
        let tarsy = "defaults: {llm_provider: p}\n";
        let catalog = with_keys(tarsy, &file);
        catalog.resolve_chain(None, None).unwrap().executive_summary_provider.price
    };
    let found = price(", price: {input: 2.5, cached_input: 0.25, output: 10}").unwrap();
    assert_eq!((found.input, found.cached_input, found.output), (2_500_000, 250_000, 10_000_000));
    let found = price(", price: {input: 0.075, output: 0.3}").unwrap();
    assert_eq!((found.input, found.cached_input, found.output), (75_000, 75_000, 300_000));
    assert_eq!(price(""), None);
    let offline = Catalog::builtin(&tarsy_catalog::Env::empty()).unwrap();
    let offline = offline.resolve_chain(None, None).unwrap().executive_summary_provider;
    let used = Tokens { input: 9, cached_input: 0, output: 9, thinking: 0 };
    assert_eq!(offline.micro_usd(used), Some(0), "rules cost nothing");
}

#[test]
fn rules_are_known_behind_any_name_of_their_provider() {
    let file = "llm_providers:\n  analyst: {type: offline, model: rules}\n  p: {type: openai, model: m, base_url: 'http://m'}\n";
    let catalog = with_keys("defaults: {llm_provider: analyst, fallback_providers: [p]}\n", file);
    let chain = catalog.resolve_chain(None, None).unwrap();
    assert!(chain.is_by_rules("analyst") && chain.is_by_rules("offline"));
    assert!(!chain.is_by_rules("p") && !chain.is_by_rules("unknown"));
}

fn fallbacks(agent: &ResolvedAgent) -> Vec<(&str, Backend)> {
    agent.fallbacks.iter().map(|provider| (provider.name.as_str(), provider.backend)).collect()
}

#[test]
fn who_takes_over_is_named_by_the_nearest_layer() {
    let of = |defaults, chain, stages| first(&catalog(defaults, "", chain, stages));
    let defaults = "llm_provider: gemini, fallback_providers: [gpt, grok]";
    let chain = "    fallback_providers: [grok]\n";
    let stage = "      - {name: s, fallback_providers: [offline], agents: [{name: A}]}\n";
    let here = "      - {name: s, fallback_providers: [gpt], agents: [{name: A, fallback_providers: []}]}\n";
    let (langchain, offline) = (Backend::Langchain, Backend::Offline);
    assert!(of("llm_provider: gemini", "", PLAIN).fallbacks.is_empty());
    assert_eq!(fallbacks(&of(defaults, "", PLAIN)), [("gpt", langchain), ("grok", langchain)]);
    assert_eq!(fallbacks(&of(defaults, chain, PLAIN)), [("grok", langchain)]);
    assert_eq!(fallbacks(&of(defaults, chain, stage)), [("offline", offline)]);
    assert!(of(defaults, chain, here).fallbacks.is_empty());
}

#[test]
fn nobody_takes_over_from_itself_and_a_native_strategy_fits_who_takes_over() {
    let defaults = "iteration_strategy: native-thinking, \
                    fallback_providers: [gpt, gemini, google-default]";
    let chain = "    llm_provider: gemini\n    chat: {llm_provider: google-default}\n";
    let catalog = catalog(defaults, "", chain, PLAIN);
    let chain = catalog.resolve_chain(Some("t"), None).unwrap();
    let agent = &chain.stages[0].agents[0];
    assert_eq!(
        (agent.strategy, agent.provider.backend),
        (Strategy::NativeThinking, Backend::GoogleNative)
    );
    let expected = [("gpt", Backend::Langchain), ("google-default", Backend::GoogleNative)];
    assert_eq!(fallbacks(agent), expected);
    let chat = chain.chat.unwrap();
    assert_eq!(fallbacks(&chat), [("gpt", Backend::Langchain), ("gemini", Backend::GoogleNative)]);
    let names: Vec<_> =
        chain.executive_summary_fallbacks.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["gpt", "google-default"]);
}

#[test]
fn the_same_provider_takes_over_with_another_backend_and_each_once() {
    let of = |list: &str| {
        let chain = format!(
            "    iteration_strategy: native-thinking\n    llm_provider: gemini\n    fallback_providers: {list}\n"
        );
        let catalog = catalog("", "", &chain, PLAIN);
        let warned = catalog.warnings.iter().filter(|one| one.key.contains("fallback_providers"));
        let warned: Vec<String> = warned.map(|one| one.message.clone()).collect();
        let backends = first(&catalog).fallbacks.iter().map(|one| one.backend).collect::<Vec<_>>();
        (backends, warned)
    };
    let other = "[{provider: gemini, backend: langchain}]";
    assert_eq!(of(other), (vec![Backend::Langchain], Vec::new()));
    let (itself, warned) = of("[gemini]");
    assert_eq!(
        (itself, &*warned),
        (Vec::new(), &["\"gemini\" has no effect: it is llm_provider already".to_owned()][..])
    );
    let (twice, warned) = of("[gpt, gpt, {provider: gpt, backend: langchain}]");
    assert_eq!(
        (twice, &*warned),
        (vec![Backend::Langchain], &["\"gpt\" has no effect: it is named before".to_owned()][..])
    );
}

#[test]
fn a_native_strategy_from_further_out_fits_the_provider_that_is_named_here() {
    let of = |defaults, agent, chain, stages| first(&catalog(defaults, agent, chain, stages));
    let native = "iteration_strategy: native-thinking";
    let (gpt, gemini) = ("    llm_provider: gpt\n", "    llm_provider: gemini\n");
    let here = "      - {name: s, agents: [{name: A, llm_provider: gpt}]}\n";
    let of_chain = "    iteration_strategy: native-thinking\n    llm_provider: gemini\n";
    for agent in [
        of("llm_provider: gemini, iteration_strategy: native-thinking", "", "", here),
        of("", "", of_chain, here),
        of("", native, gpt, PLAIN),
        of(native, "", gpt, PLAIN),
    ] {
        let found = (agent.strategy, agent.provider.name.as_str(), agent.provider.backend);
        assert_eq!(found, (Strategy::Langchain, "gpt", Backend::Langchain));
    }
    assert_eq!(of(native, "", gemini, PLAIN).strategy, Strategy::NativeThinking);
    let chat = "    iteration_strategy: native-thinking\n    llm_provider: gemini\n    chat: {llm_provider: gpt}\n";
    let chain = catalog("", "", chat, PLAIN).resolve_chain(Some("t"), None).unwrap();
    assert_eq!(chain.chat.unwrap().strategy, Strategy::Langchain);
}

#[test]
fn a_synthesis_and_a_chat_may_name_their_own_who_take_over() {
    let chain = "    fallback_providers: [gpt]\n    chat: {fallback_providers: [grok]}\n";
    let stages = "      - {name: s, replicas: 2, agents: [{name: A}], synthesis: {fallback_providers: [offline]}}\n";
    let chain = catalog("", "", chain, stages).resolve_chain(Some("t"), None).unwrap();
    let joining = chain.stages[0].synthesis.as_ref().unwrap();
    assert_eq!(fallbacks(joining), [("offline", Backend::Offline)]);
    assert_eq!(fallbacks(chain.chat.as_ref().unwrap()), [("grok", Backend::Langchain)]);
}

#[test]
fn a_budget_is_generous_and_a_chain_sets_what_it_wants() {
    let of = |defaults, chain| {
        catalog(defaults, "", chain, PLAIN).resolve_chain(Some("t"), None).unwrap()
    };
    let budget = of("", "").budget;
    assert_eq!((budget.llm_calls, budget.tokens, budget.tool_calls), (300, 10_000_000, 1_000));
    let budget =
        of("budget: {llm_calls: 5, tokens: 9}", "    budget: {tokens: 100, tool_calls: 7}\n")
            .budget;
    assert_eq!((budget.llm_calls, budget.tokens, budget.tool_calls), (5, 100, 7));
}

#[test]
fn how_long_a_call_may_take_is_set_for_all() {
    let of = |defaults| {
        let chain = catalog(defaults, "", "", PLAIN).resolve_chain(Some("t"), None).unwrap();
        (chain.first_token_timeout_ms, chain.stall_timeout_ms, chain.iteration_timeout_ms)
    };
    assert_eq!(of(""), (90_000, 60_000, 120_000));
    let set = "llm_timeouts: {first_token: 20s, stall: 1500ms, answer: 1h}";
    assert_eq!(of(set), (20_000, 1_500, 3_600_000));
}

#[test]
fn a_provider_sets_limits_of_its_own_and_a_server_on_this_machine_answers_one_call_at_a_time() {
    let of = |lines: &str| {
        let files = "agent_chains: {c: {alert_types: [t], stages: [{name: s, agents: [{name: KubernetesAgent}]}]}}\n\
                     defaults: {llm_provider: p, rules_first: false, llm_timeouts: {stall: 30s}}\n";
        let provider = format!(
            "llm_providers:\n  p: {{type: openai, model: m, api_key_env: OPENAI_API_KEY, {lines}}}\n"
        );
        first(&with_keys(files, &provider)).provider
    };
    let vendor = of("");
    assert_eq!((vendor.timeouts, vendor.max_concurrent_requests), (None, None));
    let slow = of("llm_timeouts: {first_token: 5m, answer: 30m}").timeouts.unwrap();
    assert_eq!((slow.first_token_ms, slow.stall_ms, slow.answer_ms), (300_000, 30_000, 1_800_000));
    for address in ["http://localhost:11434/v1", "http://127.0.0.1:8080/v1", "http://[::1]:1234/v1"]
    {
        assert_eq!(of(&format!("base_url: \"{address}\"")).max_concurrent_requests, Some(1));
    }
    assert_eq!(of("base_url: http://gpu.example:8000/v1").max_concurrent_requests, None);
    let four = of("base_url: http://localhost:8000/v1, max_concurrent_requests: 4");
    assert_eq!(four.max_concurrent_requests, Some(4));
    let proxy = of("base_url: http://localhost:4000/v1, max_concurrent_requests: 0");
    assert_eq!(proxy.max_concurrent_requests, None);
}

#[test]
fn a_chain_that_was_stored_before_there_were_budgets_is_read() {
    let chain = catalog("", "", "", PLAIN).resolve_chain(Some("t"), None).unwrap();
    let mut stored = serde_json::to_value(&chain).unwrap();
    for key in ["budget", "first_token_timeout_ms", "stall_timeout_ms"] {
        assert!(stored.as_object_mut().unwrap().remove(key).is_some());
    }
    assert_eq!(serde_json::from_value::<tarsy_catalog::ResolvedChain>(stored).unwrap(), chain);
}

#[test]
fn rules_look_first_with_the_tools_of_the_first_stage() {
    let stages = "      - {name: s, agents: [{name: A, mcp_servers: [two, one]}, {name: B, mcp_servers: [one]}]}\n      \
                  - {name: z, agents: [{name: B, mcp_servers: [three]}]}\n";
    let of = |chain: &str| {
        let defaults = "llm_provider: gpt, fallback_providers: [grok]";
        catalog(defaults, "", chain, stages).resolve_chain(Some("t"), None).unwrap()
    };
    let chain = of("    rules_first: true\n");
    let names: Vec<_> = chain.stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names, ["rules", "s", "z"]);
    let [analyst] = chain.stages[0].agents.as_slice() else { panic!("{:?}", chain.stages[0]) };
    assert_eq!((analyst.provider.backend, analyst.fallbacks.len()), (Backend::Offline, 0));
    assert_eq!(servers(analyst), ["two", "one"]);
    assert_eq!(chain.stages[1], of("").stages[0], "the other stages stay as they are");
    assert_eq!(of("").stages.len(), 2);
}

#[test]
fn rules_look_first_for_a_model_on_this_machine_unless_a_key_decides_otherwise() {
    let of = |base_url: &str, defaults: &str, chain: &str, servers: &str| {
        let text = format!(
            "{SERVERS}defaults: {{{defaults}}}\nagents: {{A: {{mcp_servers: [{servers}]}}}}\nagent_chains:\n  c:\n    \
             alert_types: [t]\n{chain}    stages: [{{name: s, agents: [{{name: A}}]}}]\n"
        );
        let providers = format!(
            "llm_providers:\n  own: {{type: openai, model: m, base_url: '{base_url}'}}\n  \
             gpt: {{type: openai, model: o, api_key_env: OPENAI_API_KEY}}\n"
        );
        with_keys(&text, &providers)
    };
    let stages = |catalog: &Catalog, provider: Option<&str>| -> Vec<String> {
        let requested = Requested { provider, ..Requested::default() };
        let chain = catalog.resolve_requested(Some("t"), requested).unwrap();
        chain.stages.into_iter().map(|stage| stage.name).collect()
    };
    let (local, elsewhere) = ("http://127.0.0.1:11434/v1", "http://gpu.example:8000/v1");
    let own = "llm_provider: own";
    assert_eq!(stages(&of(local, own, "", "one"), None), ["rules", "s"]);
    assert_eq!(stages(&of(elsewhere, own, "", "one"), None), ["s"]);
    assert_eq!(stages(&of(local, "llm_provider: gpt", "", "one"), None), ["s"]);
    assert_eq!(stages(&of(local, own, "", ""), None), ["s"], "there is nothing to look with");

    let off = "llm_provider: own, rules_first: false";
    assert_eq!(stages(&of(local, off, "", "one"), None), ["s"]);
    assert_eq!(stages(&of(local, off, "    rules_first: true\n", "one"), None), ["rules", "s"]);
    assert_eq!(stages(&of(local, own, "    rules_first: false\n", "one"), None), ["s"]);
    let on = "llm_provider: own, rules_first: true";
    assert_eq!(stages(&of(elsewhere, on, "", "one"), None), ["rules", "s"]);

    let choice = of(local, "llm_provider: gpt", "", "one");
    assert_eq!(stages(&choice, Some("own")), ["rules", "s"], "the alert chose the model here");
}

#[test]
fn what_must_be_looked_at_is_that_of_the_chain_else_that_of_all() {
    let of = |defaults, chain| {
        let chain = catalog(defaults, "", chain, PLAIN).resolve_chain(Some("t"), None).unwrap();
        chain.required_tools
    };
    let named = |name: &str| Some(vec![name.to_owned()]);
    assert_eq!(of("", ""), None);
    let all = "required_tools: [one.events]";
    assert_eq!(of(all, ""), named("one.events"));
    assert_eq!(of(all, "    required_tools: [two.pods]\n"), named("two.pods"));
    assert_eq!(of(all, "    required_tools: []\n"), Some(Vec::new()));
}

#[test]
fn a_required_tool_of_no_server_is_a_warning_and_no_error() {
    let text = "defaults: {required_tools: [kubernetes-servr.pods_list, host.uptime]}\n";
    let catalog = tarsy(text);
    let warnings: Vec<String> = catalog.warnings.iter().map(ToString::to_string).collect();
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    for part in
        ["defaults.required_tools[0]", "unknown MCP server", "did you mean \"kubernetes-server\""]
    {
        assert!(warning.contains(part), "{part}: {warning}");
    }
}
