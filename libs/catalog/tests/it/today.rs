//! Files of the Go implementation: all of its keys load, and each has its effect, or a warning that says that it has none yet.

use std::path::{Path, PathBuf};

use tarsy_catalog::{
    Backend, Catalog, Endpoint, Env, Remote, ResolvedAgent, ResolvedChain, Strategy,
};

use crate::support::{load, refused, tarsy, with_keys};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/today")
}

fn env() -> Env {
    let names = [
        "GOOGLE_API_KEY",
        "OPENAI_API_KEY",
        "SLACK_BOT_TOKEN",
        "KUBECONFIG",
        "TELEMETRY_TOKEN",
        "TEAM",
    ];
    Env::of(names.map(|name| (name, "set")))
}

fn whole() -> Catalog {
    Catalog::load_dir(Some(&folder()), &env()).unwrap_or_else(|report| panic!("{report}"))
}

fn chain() -> ResolvedChain {
    whole().resolve_chain(Some("today"), None).unwrap()
}

/// The keys of a catalog's warnings, each with its text.
fn warnings(catalog: &Catalog) -> Vec<(String, String)> {
    let warnings = catalog.warnings.iter();
    warnings.map(|one| (one.key.clone(), one.remedy())).collect()
}

#[test]
fn a_whole_configuration_loads_with_no_error() {
    let catalog = whole();
    assert!(catalog.chains.contains_key("today") && catalog.skills.contains_key("house-rules"));
    assert_eq!(catalog.default_chain_id(), "today");
}

#[test]
fn each_key_without_an_effect_is_warned_of() {
    let catalog = whole();
    let found = warnings(&catalog);
    for (key, words) in [
        ("queue.graceful_shutdown_timeout", "TARSY_GRACE_SECONDS"),
        ("queue.poll_interval_jitter", "two fifths of poll_interval"),
        ("queue.orphan_detection_interval", "it is poll_interval"),
        ("system.retention.cleanup_interval", "every 12 hours"),
        ("defaults.scoring.mcp_servers", "calls no tools"),
        ("defaults.scoring.max_iterations", "answers twice"),
        ("defaults.memory.reflector_memory_limit", "made of reviews"),
        ("defaults.memory.embedding.base_url", "another address"),
        ("agents.Closing.type", "executive summary"),
    ] {
        let text = found.iter().find(|(path, _)| path == key);
        let text = &text.unwrap_or_else(|| panic!("no warning of {key}: {found:#?}")).1;
        assert!(text.contains("no effect") && text.contains(words), "{key}: {text}");
    }
    assert!(catalog.warnings.iter().all(|warning| warning.line > 0), "{found:#?}");
    let effective = [
        "scoring",
        "scoring_shutdown_timeout",
        "Judge.type",
        "llm_backend",
        "holidays",
        "model_rates",
        "promotions",
        "skills",
        "session_cleanup_url",
    ];
    for (key, _) in &found {
        assert!(!effective.iter().any(|name| key.ends_with(name)), "{key}");
    }
}

/// The warnings of a chain with one agent of type `action`, and its agent.
fn acting(of_agent: &str, of_chain: &str) -> (Vec<String>, ResolvedAgent) {
    let text = format!(
        "defaults: {{llm_provider: google-default}}\nagents: {{A: {{mcp_servers: [host]{of_agent}}}}}\nagent_chains: {{c: \
         {{alert_types: [a]{of_chain}, stages: [{{name: s, agents: [{{name: A}}]}}]}}}}\n"
    );
    let catalog = with_keys(&text, "");
    let keys = catalog.warnings.iter().map(|one| one.key.clone()).collect();
    let mut chain = catalog.resolve_chain(Some("a"), None).unwrap();
    (keys, chain.stages.remove(0).agents.remove(0))
}

#[test]
fn an_agent_of_type_action_acts_where_the_remediation_of_its_chain_is_on() {
    let (warnings, agent) = acting(", type: action", "");
    assert_eq!(warnings, ["agent_chains.c.stages[0].agents[0]"]);
    assert!(!agent.action.unwrap().enabled);
    let on = ", remediation: {enabled: true, initial_delay: 6s, checks: 2}";
    let (warnings, agent) = acting(", type: action", on);
    assert_eq!(warnings, Vec::<String>::new());
    let action = agent.action.unwrap();
    assert!(action.enabled);
    assert_eq!((action.initial_delay_ms, action.checks, action.pause_ms), (6_000, 2, 8_000));
    let (warnings, agent) = acting("", on);
    assert_eq!(warnings, ["agent_chains.c.remediation"]);
    assert_eq!(agent.action, None);
}

/// Who judges sessions of a chain with such blocks, and whether without a request.
fn judged(defaults: &str, of_chain: &str) -> (bool, String, String, Backend) {
    let text = format!(
        "defaults: {{llm_provider: google-default, scoring: {defaults}}}\nagents: {{Judge: {{type: scoring}}}}\nagent_chains: \
         {{c: {{alert_types: [a], llm_backend: google-native{of_chain}, stages: [{{name: s, agents: [{{name: HostAgent}}]}}]}}}}\n"
    );
    let catalog = with_keys(&text, "");
    assert_eq!(warnings(&catalog), []);
    let at = "2026-01-02T03:04:05Z".parse().unwrap();
    let judge = catalog.resolve_scoring("c", at).unwrap().agent;
    let chain = catalog.resolve_chain(Some("a"), None).unwrap();
    let on_its_own = chain.scoring.map(|scoring| scoring.agent);
    assert!(on_its_own.as_ref().is_none_or(|one| *one == judge), "{on_its_own:?}");
    (on_its_own.is_some(), judge.agent, judge.provider.name, judge.provider.backend)
}

#[test]
fn sessions_are_judged_as_the_chain_is_set_or_else_the_defaults() {
    let of = |enabled, agent: &str, provider: &str| {
        (enabled, agent.to_owned(), provider.to_owned(), Backend::Langchain)
    };
    assert_eq!(judged("{}", ""), of(false, "ScoringAgent", "google-default"));
    let on = "{enabled: true, agent: Judge, llm_provider: openai-default}";
    assert_eq!(judged(on, ""), of(true, "Judge", "openai-default"));
    let off = ", scoring: {enabled: false}, llm_provider: gemini-2.5-pro";
    assert_eq!(judged(on, off), of(false, "Judge", "openai-default"));
    let other = ", scoring: {enabled: true, agent: ScoringAgent}, llm_provider: gemini-2.5-pro";
    assert_eq!(judged("{agent: Judge}", other), of(true, "ScoringAgent", "gemini-2.5-pro"));
    let native = judged("{enabled: true, llm_backend: google-native}", "");
    assert_eq!(native.3, Backend::GoogleNative);
}

#[test]
fn who_judges_is_of_type_scoring_and_investigates_in_no_stage_unwarned() {
    let report = refused("defaults: {scoring: {agent: HostAgent}}\n", "");
    assert!(
        report.contains("defaults.scoring.agent: \"HostAgent\" is not of type `scoring`"),
        "{report}"
    );
    let text = "defaults: {llm_provider: google-default}\nagent_chains: {c: {alert_types: [a], stages: [{name: s, agents: \
                [{name: ScoringAgent}]}]}}\n";
    let catalog = with_keys(text, "");
    assert_eq!(warnings(&catalog)[0].0, "agent_chains.c.stages[0].agents[0]");
}

#[test]
fn memories_are_given_unless_the_block_or_the_chain_has_none() {
    let most = |memory: &str, of_chain: &str| {
        let text = format!(
            "defaults: {{llm_provider: google-default{memory}}}\nagents: {{A: {{mcp_servers: [host]}}}}\nagent_chains: {{c: \
             {{alert_types: [a]{of_chain}, stages: [{{name: s, agents: [{{name: A}}]}}]}}}}\n"
        );
        with_keys(&text, "").resolve_chain(Some("a"), None).unwrap().max_memories
    };
    assert_eq!(most("", ""), 5);
    assert_eq!(most(", memory: {max_inject: 3}", ""), 3);
    assert_eq!(most(", memory: {enabled: false, max_inject: 3}", ""), 0);
    assert_eq!(most(", memory: {enabled: true}", ", memory: false"), 0);
}

/// What makes vectors by this block, in words; else what is wrong with it.
fn vectors(block: &str) -> String {
    let text =
        format!("defaults: {{llm_provider: google-default, memory: {{embedding: {block}}}}}\n");
    match load(&text, "", &Env::of([("GOOGLE_API_KEY", "set")])) {
        Ok(catalog) => catalog.embedding().map_or("none".to_owned(), |one| {
            let dimensions = one.dimensions.map_or("any".to_owned(), |count| count.to_string());
            format!("{} {} {dimensions} {}", one.provider, one.model, one.min_similarity)
        }),
        Err(report) => report.to_string(),
    }
}

#[test]
fn vectors_are_made_by_a_provider_of_a_name_or_a_type() {
    assert_eq!(vectors("{}"), "google-default gemini-embedding-2-preview 768 55");
    assert_eq!(
        vectors("{provider: google-default, model: m, dimensions: 256, min_similarity: 70}"),
        "google-default m 256 70"
    );
    assert_eq!(
        vectors("{provider: openai, model: bge-m3}"),
        "openai-default bge-m3 any 55",
        "a model that cannot shorten its vectors is not asked to"
    );
    assert_eq!(vectors("{provider: openai}"), "openai-default text-embedding-3-small 768 55");
    assert!(vectors("{provider: nobody}").contains("no provider has the name or the type"));
    assert!(vectors("{provider: offline}").contains("makes no vectors"));
    assert!(vectors("{dimensions: 4000}").contains("dimensions"));
    assert!(vectors("null").contains("none"));
}

fn strategy(agent: &ResolvedAgent) -> (Strategy, Backend) {
    (agent.strategy, agent.provider.backend)
}

#[test]
fn a_backend_is_the_strategy_of_its_name() {
    let chain = chain();
    let look = &chain.stages[0];
    assert_eq!(strategy(&look.agents[0]), (Strategy::Langchain, Backend::Langchain));
    assert_eq!(strategy(&look.agents[1]), (Strategy::NativeThinking, Backend::GoogleNative));
    let joined = look.synthesis.as_ref().unwrap();
    assert_eq!(strategy(joined), (Strategy::SynthesisNativeThinking, Backend::GoogleNative));
    assert_eq!(strategy(chain.chat.as_ref().unwrap()).1, Backend::GoogleNative);
    assert_eq!(chain.executive_summary_provider.backend, Backend::GoogleNative);
}

#[test]
fn the_backend_of_the_defaults_and_of_an_agent_hold_where_nothing_nearer_does() {
    let text = |defaults: &str, agent: &str| {
        with_keys(
            &format!(
                "defaults: {{llm_provider: google-default{defaults}}}\nagents: {{A: {{mcp_servers: [host]{agent}}}}}\nagent_chains: {{c: \
                 {{alert_types: [a], stages: [{{name: s, agents: [{{name: A}}]}}]}}}}\n"
            ),
            "",
        )
    };
    let first = |catalog: Catalog| {
        catalog.resolve_chain(Some("a"), None).unwrap().stages[0].agents[0].strategy
    };
    let native = ", llm_backend: google-native";
    assert_eq!(first(text("", "")), Strategy::Langchain);
    assert_eq!(first(text(native, "")), Strategy::NativeThinking);
    assert_eq!(first(text("", native)), Strategy::NativeThinking);
    assert_eq!(first(text(native, ", llm_backend: langchain")), Strategy::Langchain);
    assert_eq!(
        first(text(", llm_backend: langchain", ", iteration_strategy: react")),
        Strategy::React
    );
}

#[test]
fn a_backend_that_contradicts_its_strategy_or_provider_is_an_error() {
    let report = refused(
        "agents: {A: {iteration_strategy: native-thinking, llm_backend: langchain}}\ndefaults: {iteration_strategy: langchain, \
         llm_backend: google-native}\n",
        "",
    );
    assert_eq!(
        report,
        "tarsy.yaml:1:64 agents.A.llm_backend: langchain does not serve the strategy native-thinking; remove it, or \
         iteration_strategy beside it\ntarsy.yaml:2:56 defaults.llm_backend: google-native does not serve the strategy \
         langchain; remove it, or iteration_strategy beside it"
    );
    let text = "defaults:\n  fallback_providers:\n    - {provider: openai-default, backend: google-native}\n  summarization: \
                {llm_provider: openai-default, llm_backend: google-native}\n";
    let report = load(text, "", &env()).unwrap_err().to_string();
    let message = "google-native needs a provider of type google or vertexai, but \"openai-default\" is of type openai; write \
                   langchain, or remove it";
    assert_eq!(
        report,
        format!(
            "tarsy.yaml:3:43 defaults.fallback_providers[0].backend: {message}\ntarsy.yaml:4:62 \
             defaults.summarization.llm_backend: {message}"
        )
    );
}

#[test]
fn entries_that_take_over_have_their_own_backends() {
    let backends = |agent: &ResolvedAgent| -> Vec<(String, Backend)> {
        agent.fallbacks.iter().map(|one| (one.name.clone(), one.backend)).collect()
    };
    let chain = chain();
    let own = ("gemini-2.5-pro".to_owned(), Backend::GoogleNative);
    assert_eq!(backends(&chain.stages[0].agents[0]), [own]);
    let of_stage = ("gemini-2.5-flash".to_owned(), Backend::GoogleNative);
    assert_eq!(backends(&chain.stages[0].agents[1]), [of_stage], "that of its agent");
    let catalog = with_keys(
        "defaults:\n  llm_provider: google-default\n  llm_backend: google-native\n  fallback_providers: [openai-default, \
         {provider: gemini-2.5-flash, backend: langchain}]\n",
        "",
    );
    let host = catalog.resolve_chain(Some("host"), None).unwrap();
    let expected =
        ["openai-default", "gemini-2.5-flash"].map(|name| (name.to_owned(), Backend::Langchain));
    assert_eq!(backends(&host.stages[0].agents[0]), expected);
}

#[test]
fn an_agent_that_joins_calls_no_tools() {
    let chain = chain();
    let join = &chain.stages[2].agents[0];
    assert_eq!(join.strategy, Strategy::SynthesisNativeThinking);
    assert!(join.servers.is_empty());
}

#[test]
fn summaries_have_their_provider_and_its_backend() {
    let chain = chain();
    let summarizer = |server: &str| {
        let mut servers =
            chain.stages.iter().flat_map(|stage| &stage.agents).flat_map(|a| &a.servers);
        let found = servers.find(|one| one.id == server).unwrap();
        let provider = found.summarizer.as_ref().unwrap();
        (provider.name.clone(), provider.backend)
    };
    assert_eq!(summarizer("telemetry"), ("gemini-2.5-flash".to_owned(), Backend::GoogleNative));
    assert_eq!(
        summarizer("kubernetes-server"),
        ("gemini-2.5-flash".to_owned(), Backend::Langchain)
    );
    let catalog = tarsy("defaults: {summarization: {llm_backend: langchain}}\n");
    assert_eq!(catalog.warnings.len(), 1);
    assert_eq!(catalog.warnings[0].key, "defaults.summarization.llm_backend");
}

#[test]
fn an_agent_has_native_tools_of_its_own() {
    let catalog = with_keys(
        "defaults: {llm_provider: google-default, fallback_providers: [gemini-2.5-pro, openai-default]}\nagents: {A: \
         {native_tools: {google_search: false, code_execution: true}}}\nagent_chains: {c: {alert_types: [a], stages: [{name: s, \
         agents: [{name: A}]}]}}\n",
        "",
    );
    let chain = catalog.resolve_chain(Some("a"), None).unwrap();
    let agent = &chain.stages[0].agents[0];
    let names = ["code_execution", "url_context"];
    assert_eq!(agent.provider.native_tools.names(), names);
    assert_eq!(agent.fallbacks[0].native_tools.names(), names);
    assert!(agent.fallbacks[1].native_tools.is_off());
}

#[test]
fn tokens_have_the_rates_of_their_model_unless_costs_are_not_estimated() {
    let price = |chain: &ResolvedChain| chain.executive_summary_provider.price;
    let of = |text: &str, providers: &str| {
        with_keys(text, providers).resolve_chain(Some("host"), None).unwrap()
    };
    let rates = "system: {cost_estimation: {model_rates: {gemini-2.5-pro: {input_per_million: 1.25, output_per_million: 10}}}}\n\
                 defaults: {llm_provider: P}\n";
    let named = |name: &str| rates.replace('P', name);
    let found = price(&of(&named("gemini-2.5-pro"), "")).unwrap();
    assert_eq!((found.input, found.cached_input, found.output), (1_250_000, 1_250_000, 10_000_000));
    let unlisted = rates.replace("{model_rates", "{price_list: false, model_rates");
    let unlisted = unlisted.replace('P', "gemini-2.5-flash");
    assert_eq!(price(&of(&unlisted, "")), None);
    let own = "llm_providers:\n  own: {type: google, model: models/gemini-2.5-pro, api_key_env: GOOGLE_API_KEY}\n";
    assert_eq!(price(&of(&named("own"), own)), Some(found), "without what stands before a slash");
    let priced = own.replace("KEY}", "KEY, price: {input: 1, output: 2}}");
    assert_eq!(price(&of(&named("own"), &priced)).unwrap().input, 1_000_000);
    let off = "system: {cost_estimation: {enabled: false}}\ndefaults: {llm_provider: own}\n";
    assert_eq!(price(&of(off, &priced)), None);
}

#[test]
fn a_promotion_holds_between_its_times_and_leaves_a_price_of_the_provider() {
    let price = |providers: &str, at: &str| {
        let catalog = with_keys(
            "system: {cost_estimation: {price_list: false, promotions: [\n\
             {model: m, start: 2026-08-01, end: 2026-08-31, rates: {input_per_million: 1, output_per_million: 2}},\n\
             {model: m, start: 2026-09-01T12:00:00Z, end: 2026-09-02, input_per_million: 3, cached_input_per_million: 0.5, output_per_million: 4}]}}\n\
             defaults: {llm_provider: own}\n",
            providers,
        );
        let mut chain = catalog.resolve_chain(Some("host"), None).unwrap();
        catalog.promote(&mut chain, at.parse().unwrap());
        chain.stages[0].agents[0].provider.price.map(|price| (price.input, price.cached_input))
    };
    let own = "llm_providers:\n  own: {type: openai, model: team/m, base_url: 'http://m'}\n";
    assert_eq!(price(own, "2026-07-31T23:59:59Z"), None);
    assert_eq!(price(own, "2026-08-01T00:00:00Z"), Some((1_000_000, 1_000_000)));
    assert_eq!(price(own, "2026-08-31T23:59:59Z"), Some((1_000_000, 1_000_000)));
    assert_eq!(price(own, "2026-09-01T11:59:59Z"), None);
    assert_eq!(price(own, "2026-09-01T12:00:00Z"), Some((3_000_000, 500_000)));
    let priced = own.replace("'http://m'}", "'http://m', price: {input: 9, output: 9}}");
    assert_eq!(price(&priced, "2026-08-01T00:00:00Z").unwrap().0, 9_000_000);
}

#[test]
fn models_without_a_price_have_that_of_the_list_at_the_address_of_their_vendor() {
    let price = |providers: &str| {
        let chain = with_keys("defaults: {llm_provider: own}\n", providers);
        chain.resolve_chain(Some("host"), None).unwrap().executive_summary_provider.price
    };
    let own = |model: &str, more: &str| {
        let lines = format!("type: google, model: {model}, api_key_env: GOOGLE_API_KEY{more}");
        format!("llm_providers:\n  own: {{{lines}}}\n")
    };
    let listed = price(&own("gemini-2.5-pro", "")).unwrap();
    assert!(listed.cached_input < listed.input && listed.input < listed.output, "{listed:?}");
    assert_eq!(price(&own("models/gemini-2.5-pro", "")), Some(listed));
    assert_eq!(price(&own("gemini-of-tomorrow", "")), None);
    assert_eq!(price(&own("gemini-2.5-pro", ", base_url: 'https://gateway.example.com'")), None);
    let written = price(&own("gemini-2.5-pro", ", price: {input: 9, output: 9}")).unwrap();
    assert_eq!(written.input, 9_000_000);
    assert!(listed.listed.is_some() && written.listed.is_none(), "where a price comes from");
}

#[test]
fn holidays_and_the_time_zone_are_kept_with_a_session() {
    let calendar = chain().calendar.unwrap();
    let days: Vec<_> =
        calendar.holidays.iter().map(|one| (one.month, one.day, one.name.as_str())).collect();
    assert_eq!(days, [(1, 1, "New Year"), (7, 4, "Summer day")]);
    let usual = Catalog::builtin(&Env::empty()).unwrap().resolve_chain(Some("host"), None).unwrap();
    let usual = usual.calendar.unwrap();
    assert_eq!((usual.holidays.len(), usual.time_zone), (2, None));
    let report =
        refused("system: {holidays: [{date: 13-01, name: x}], time_zone: Europe/Berln}\n", "");
    assert_eq!(
        report,
        "tarsy.yaml:1:28 system.holidays[0].date: \"13-01\" is not a day of the year; write month and day, such as 12-25\n\
         tarsy.yaml:1:57 system.time_zone: unknown time zone \"Europe/Berln\"; did you mean \"Europe/Berlin\"?"
    );
}

#[test]
fn the_template_of_an_execution_stays_in_headers_and_addresses() {
    let catalog = whole();
    let Endpoint::Http(Remote { custom_headers, session_cleanup_url, .. }) =
        &catalog.servers["telemetry"].transport.endpoint
    else {
        panic!("a server behind an address");
    };
    let header =
        |name: &str| secrecy::ExposeSecret::expose_secret(&custom_headers[name]).to_owned();
    assert_eq!(
        (header("X-Session").as_str(), header("X-Team").as_str()),
        ("{{.SESSION_ID}}", "set")
    );
    let address = session_cleanup_url.as_deref();
    assert_eq!(address, Some("https://telemetry.example.com/sessions/{{.SESSION_ID}}"));
}

#[test]
fn what_a_section_without_effect_names_must_exist() {
    let report = refused(
        "agent_chains:\n  c:\n    alert_types: [a]\n    sub_agents: [Nobody, {name: GeneralWorker, llm_providers: x}]\n    stages: \
         [{name: s, agents: [{name: HostAgent, required_skills: [pod]}]}]\ndefaults: {scoring: {agent: Nobody}}\n",
        "",
    );
    for words in [
        "agent_chains.c.sub_agents[0]: unknown agent \"Nobody\"",
        "agent_chains.c.sub_agents[1].llm_providers: unknown key \"llm_providers\"; did you mean \"llm_provider\"?",
        "required_skills[0]: unknown skill \"pod\"; did you mean \"pods\"?",
        "defaults.scoring.agent: unknown agent \"Nobody\"",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
}
