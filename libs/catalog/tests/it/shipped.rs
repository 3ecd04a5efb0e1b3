//! What is shipped: the built-ins, the example files, the example alerts, the JSON Schema.

use std::path::PathBuf;

use tarsy_catalog::{
    Backend, Catalog, Endpoint, Env, HOST_INSPECTOR_COMMAND, ProviderType, ResolvedChain, Source,
    Sources, Strategy, Subprocess, examples, renew_reference, schema_json,
};
use tarsy_masking::{Masker, known_groups, known_patterns};

use crate::support::{shipped, switched_on, tarsy};

fn load_examples(env: &Env) -> Catalog {
    let sources = Sources {
        tarsy: Some(shipped("tarsy.example.yaml")),
        providers: Some(shipped("llm-providers.example.yaml")),
        ..Sources::default()
    };
    Catalog::load(sources, env).unwrap_or_else(|report| panic!("{report}"))
}

#[test]
fn the_example_files_load_without_a_single_variable() {
    let catalog = load_examples(&Env::empty());
    assert!(catalog.chains.contains_key("kubernetes"));
    assert!(catalog.llm_info().offline);
}

#[test]
fn the_example_files_load_with_everything_in_them_switched_on() {
    let sources = Sources {
        tarsy: Some(switched_on(shipped("tarsy.example.yaml"))),
        providers: Some(switched_on(shipped("llm-providers.example.yaml"))),
        ..Sources::default()
    };
    let env = Env::new(|_| Some("set".to_owned()));
    let catalog = Catalog::load(sources, &env).unwrap_or_else(|report| panic!("{report}"));
    assert!(catalog.system.slack.enabled);
    assert!(catalog.servers.contains_key("github"));
    assert!(catalog.providers.contains_key("local"));
}

#[test]
fn the_built_ins_alone_are_a_working_system() {
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    let names = |keys: Vec<&String>| keys.into_iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        names(catalog.agents.keys().collect()),
        "ChatAgent CodeExecutor ExecSummaryAgent GeneralWorker HostAgent KubernetesAgent ScoringAgent \
         SynthesisAgent WebResearcher"
    );
    assert_eq!(names(catalog.servers.keys().collect()), "host kubernetes-server");
    assert_eq!(names(catalog.chains.keys().collect()), "host kubernetes");
    assert_eq!(
        names(catalog.providers.keys().collect()),
        "anthropic-default gemini-2.5-flash gemini-2.5-pro gemini-3-flash gemini-3-pro gemini-3.1-flash \
         gemini-3.1-pro gemini-3.5-flash gemini-3.6-flash gemini-3.7-flash google-default google-image-flash \
         offline openai-default vertexai-default xai-default"
    );
    assert_eq!(catalog.default_alert_type(), "kubernetes");
    assert_eq!(catalog.default_chain_id(), "kubernetes");
    assert!(matches!(
        &catalog.servers["host"].transport.endpoint,
        Endpoint::Stdio(Subprocess { command, .. }) if command == HOST_INSPECTOR_COMMAND
    ));
    let gemini = &catalog.providers["gemini-2.5-pro"];
    assert_eq!(
        (gemini.provider_type, gemini.model.as_str()),
        (ProviderType::Google, "gemini-2.5-pro")
    );
    assert!(gemini.native_tools.google_search && !gemini.native_tools.code_execution);
}

fn read_back(chain: &ResolvedChain) -> ResolvedChain {
    serde_json::from_value(serde_json::to_value(chain).unwrap()).unwrap()
}

/// The chain without its runbook and instructions.
fn without_long_texts(chain: &ResolvedChain) -> ResolvedChain {
    let mut short = chain.clone();
    short.runbook.clear();
    for agent in short.stages.iter_mut().flat_map(|stage| &mut stage.agents).chain(&mut short.chat)
    {
        agent.custom_instructions.clear();
        agent.servers.iter_mut().for_each(|server| server.instructions.clear());
    }
    short
}

fn host_chain() -> ResolvedChain {
    Catalog::builtin(&Env::empty()).unwrap().resolve_chain(Some("host"), None).unwrap()
}

#[test]
fn the_chat_of_the_host_chain_has_its_servers_and_its_provider() {
    let chain = host_chain();
    let chat = chain.chat.as_ref().unwrap();
    assert_eq!((chat.agent.as_str(), chat.max_iterations), ("ChatAgent", 20));
    let servers = &chain.stages[0].agents[0].servers;
    assert_eq!((&chat.servers, &chat.provider), (servers, &chain.executive_summary_provider));
}

#[test]
#[expect(clippy::too_many_lines, reason = "one snapshot")]
fn the_host_chain_resolves_to_this_snapshot() {
    let chain = host_chain();
    let short = ResolvedChain { chat: None, calendar: None, ..without_long_texts(&chain) };
    insta::assert_compact_json_snapshot!(short, @r#"
    {
      "chain_id": "host",
      "alert_type": "host",
      "description": "Investigates alerts about the machine that TARSy runs on, in one stage",
      "stages": [
        {
          "name": "investigation",
          "agents": [
            {
              "name": "HostAgent",
              "agent": "HostAgent",
              "custom_instructions": "",
              "strategy": "langchain",
              "max_iterations": 20,
              "provider": {
                "name": "offline",
                "provider_type": "offline",
                "model": "offline-analyst",
                "backend": "offline",
                "max_tool_result_tokens": 100000,
                "context_window_tokens": 200000,
                "native_tools": {
                  "google_search": false,
                  "code_execution": false,
                  "url_context": false
                }
              },
              "servers": [
                {
                  "id": "host",
                  "instructions": "",
                  "summarization": {
                    "enabled": true,
                    "size_threshold_tokens": 5000,
                    "summary_max_token_limit": 1000
                  }
                }
              ]
            }
          ],
          "success_policy": "any"
        }
      ],
      "executive_summary_provider": {
        "name": "offline",
        "provider_type": "offline",
        "model": "offline-analyst",
        "backend": "offline",
        "max_tool_result_tokens": 100000,
        "context_window_tokens": 200000,
        "native_tools": {
          "google_search": false,
          "code_execution": false,
          "url_context": false
        }
      },
      "memory": true,
      "max_memories": 5,
      "changes": {
        "window_ms": 7200000,
        "most": 20
      },
      "dependencies": 30,
      "verdict": true,
      "runbook": "",
      "session_timeout_ms": 900000,
      "iteration_timeout_ms": 120000,
      "first_token_timeout_ms": 90000,
      "stall_timeout_ms": 60000,
      "budget": {
        "llm_calls": 300,
        "tokens": 10000000,
        "tool_calls": 1000
      },
      "claims": {
        "repair": true,
        "on_unverified": "mark"
      }
    }
    "#);
    assert_eq!(read_back(&chain), chain);
}

#[test]
fn a_snapshot_of_a_newer_version_can_be_read() {
    let chain = Catalog::builtin(&Env::empty()).unwrap().resolve_chain(None, None).unwrap();
    let mut value = serde_json::to_value(&chain).unwrap();
    value["novelty"] = serde_json::json!({"a": 1});
    value["stages"][0]["agents"][0]["novelty"] = serde_json::json!(true);
    value["stages"][0]["agents"][0]["provider"]["native_tools"]["novelty"] =
        serde_json::json!(true);
    assert_eq!(serde_json::from_value::<ResolvedChain>(value).unwrap(), chain);
}

#[test]
fn every_example_alert_has_a_chain_and_readable_data() {
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    let names: Vec<&str> = examples().iter().map(|example| example.name).collect();
    assert_eq!(names, ["host", "host-memory", "host-network", "kubernetes"]);
    for example in examples() {
        catalog.resolve_chain(Some(example.alert_type), None).unwrap();
        let data: serde_json::Value = serde_json::from_str(example.data).unwrap();
        assert!(data["labels"]["alertname"].is_string(), "{}", example.name);
    }
}

#[test]
fn every_masking_name_may_be_used_in_a_file() {
    let join = |names: Vec<&str>| names.join(", ");
    let catalog = tarsy(&format!(
        "mcp_servers:\n  s:\n    transport: {{type: stdio, command: x}}\n    data_masking:\n      \
         pattern_groups: [{}]\n      patterns: [{}]\n",
        join(known_groups().collect()),
        join(known_patterns().collect()),
    ));
    assert_eq!(catalog.servers["s"].data_masking.patterns.len(), known_patterns().count());
}

#[test]
fn a_pattern_that_a_server_names_masks_its_results() {
    let catalog = tarsy(
        "mcp_servers:\n  s:\n    transport: {type: stdio, command: x}\n    data_masking: {pattern_groups: \
         [], patterns: [cookie, signature]}\n",
    );
    let masker = Masker::new(&catalog.servers["s"].data_masking.rules()).unwrap();
    let text =
        "Cookie: session=8f14e45fceea167a\nhttps://a.example/b?sig=3q2%2B7w3q2%2B7w3q2%2B7w\n";
    let clean = masker.mask(text).unwrap();
    assert_eq!(clean.counts.keys().copied().collect::<Vec<_>>(), ["cookie", "signature"]);
    assert!(!clean.text.contains("8f14e45f"), "{}", clean.text);
}

#[test]
fn the_first_run_reports_that_no_model_answers_and_what_to_set() {
    let info = Catalog::builtin(&Env::empty()).unwrap().llm_info();
    assert!(info.offline);
    assert_eq!((info.provider.as_str(), info.backend), ("offline", Backend::Offline));
    for word in [
        "rule-based offline analyst",
        "GOOGLE_API_KEY",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "XAI_API_KEY",
    ] {
        assert!(info.message.contains(word), "{word}: {}", info.message);
    }
}

#[test]
fn one_key_is_enough_to_use_its_model() {
    for (variable, provider) in [
        ("GOOGLE_API_KEY", "google-default"),
        ("OPENAI_API_KEY", "openai-default"),
        ("ANTHROPIC_API_KEY", "anthropic-default"),
        ("XAI_API_KEY", "xai-default"),
    ] {
        let env = Env::of([(variable, "very-secret-value")]);
        let catalog = Catalog::builtin(&env).unwrap();
        let info = catalog.llm_info();
        assert_eq!((info.provider.as_str(), info.offline), (provider, false));
        assert!(info.message.contains(variable), "{}", info.message);
        let chain = catalog.resolve_chain(None, None).unwrap();
        assert_eq!(chain.stages[0].agents[0].provider.name, provider);
        assert_eq!(chain.stages[0].agents[0].strategy, Strategy::Langchain);
        let everything = format!("{info:?} {} {catalog:?}", serde_json::to_string(&chain).unwrap());
        assert!(!everything.contains("very-secret-value"));
    }
}

#[test]
fn an_empty_key_is_no_key() {
    let catalog = Catalog::builtin(&Env::of([("GOOGLE_API_KEY", " ")])).unwrap();
    assert!(catalog.llm_info().offline);
}

#[test]
fn the_reference_page_is_current() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page == renew_reference(&page), "docs/configuration.md is not current: run `make gen`");
    let schema = schema_json();
    let keys =
        schema["$defs"].as_object().unwrap().values().flat_map(|def| {
            def["properties"].as_object().into_iter().flatten().map(|(key, _)| key)
        });
    let missing: Vec<&String> = keys.filter(|key| !page.contains(key.as_str())).collect();
    assert_eq!(missing, Vec::<&String>::new());
}

#[test]
fn the_reference_begins_with_keys_that_it_explains_and_explains_each_form_once() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let page = renew_reference(&std::fs::read_to_string(path).unwrap());
    let (_, first) = page.split_once("<!-- generated: ").unwrap();
    let (first, _) = first.split_once("<!-- end -->").unwrap();
    let rows: Vec<Vec<&str>> = first
        .lines()
        .filter(|row| row.starts_with("| `"))
        .map(|row| row.split(" | ").collect())
        .collect();
    assert_eq!(rows.len(), 20, "{rows:?}");
    for row in &rows {
        assert!(row.last().is_some_and(|meaning| meaning.len() > 5), "{row:?}");
    }
    assert!(
        page.contains("| `chat.sub_agents` | those of the chain | "),
        "the row of the list itself"
    );
    assert!(!page.contains("| `chat.sub_agents[].name` |"), "its keys stand at the first list");
}

#[test]
fn a_file_cut_off_anywhere_is_loaded_or_refused_with_places() {
    let text = switched_on(shipped("tarsy.example.yaml")).text;
    let env = Env::new(|_| Some("set".to_owned()));
    for end in (0..text.len()).step_by(61).filter(|end| text.is_char_boundary(*end)) {
        let source = Source { name: "f".to_owned(), text: text[..end].to_owned() };
        let sources = Sources { tarsy: Some(source), ..Sources::default() };
        if let Err(report) = Catalog::load(sources, &env) {
            assert!(report.problems.iter().all(|problem| problem.line > 0), "{end}: {report}");
        }
    }
}

#[test]
fn the_built_in_host_inspector_gets_its_settings_from_the_environment_of_the_gateway() {
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    let Endpoint::Stdio(Subprocess { inherit_env: inherited, .. }) =
        &catalog.servers["host"].transport.endpoint
    else {
        panic!("the built-in host inspector is a subprocess");
    };
    for name in ["LOG_PATHS", "HOSTS", "NODE_NAME", "NODES", "NODES_TOKEN"] {
        let name = format!("HOST_INSPECTOR_{name}");
        assert!(inherited.contains(&name), "{name} is not in {inherited:?}");
    }
}
