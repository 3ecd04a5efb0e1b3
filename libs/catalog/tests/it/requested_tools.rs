//! Tools that an alert requests: what they replace, what is allowed to whom, and what has no effect.

use tarsy_catalog::{
    Catalog, McpSelection, NativeTool, NativeTools, Requested, ResolveError, ResolvedProvider,
    Sender,
};

use crate::resolution::{PLAIN, catalog, first, servers};
use crate::support::tarsy;

fn choice(text: &str) -> McpSelection {
    serde_json::from_str(text).unwrap()
}

#[test]
fn an_alert_replaces_the_servers_of_every_agent_and_narrows_their_tools() {
    let stages = "      - {name: s, agents: [{name: A}, {name: B, mcp_servers: []}]}\n";
    let lines = "    chat: {mcp_servers: [two]}\n    allowed_mcp_servers: [four, five]\n";
    let catalog = catalog("", "mcp_servers: [one]", lines, stages);
    let mcp = choice(r#"{"servers":[{"name":"four","tools":["get","list"]},{"name":"five"}]}"#);
    let chain = catalog.resolve_chain(Some("t"), Some(&mcp)).unwrap();
    let agents = chain.stages[0].agents.iter().chain(&chain.chat);
    for agent in agents {
        assert_eq!(servers(agent), ["four", "five"], "{}", agent.name);
        assert_eq!(
            agent.servers[0].tools.as_deref(),
            Some(&["get".to_owned(), "list".to_owned()][..])
        );
        assert_eq!(agent.servers[1].tools, None);
        assert_eq!(agent.servers[1].instructions, "about one");
    }
    assert!(chain.stages[0].synthesis.as_ref().unwrap().servers.is_empty());
    assert_eq!(chain.server_ids(), ["four", "five"]);
}

#[test]
fn an_empty_list_of_tools_allows_all_of_the_server() {
    let catalog = catalog("llm_provider: gpt", "mcp_servers: [one, two]", "", PLAIN);
    let mcp = choice(r#"{"servers":[{"name":"two","tools":[]},{"name":"one","tools":["get"]}]}"#);
    let chain = catalog.resolve_chain(Some("t"), Some(&mcp)).unwrap();
    let agent = &chain.stages[0].agents[0];
    assert_eq!(servers(agent), ["two", "one"]);
    let tools: Vec<_> = agent.servers.iter().map(|server| server.tools.as_deref()).collect();
    assert_eq!(tools, [None, Some(&["get".to_owned()][..])]);
}

#[test]
fn choices_of_native_tools_have_three_states() {
    let lines = "    allowed_native_tools: [google_search, code_execution]\n";
    let catalog = catalog(NATIVE, "", lines, PLAIN);
    let of = |mcp: &str| {
        let chain = catalog.resolve_chain(Some("t"), Some(&choice(mcp))).unwrap();
        chain.stages[0].agents[0].provider.native_tools
    };
    let tools = |google_search, code_execution| NativeTools {
        google_search,
        code_execution,
        url_context: false,
    };
    assert_eq!(of("{}"), tools(true, false));
    assert_eq!(of(r#"{"native_tools":{"code_execution":true}}"#), tools(true, true));
    assert_eq!(
        of(r#"{"native_tools":{"google_search":false,"code_execution":null}}"#),
        tools(false, false)
    );
}

#[test]
fn native_tools_are_off_beside_mcp_tools_and_those_that_search_with_text_of_tools() {
    let native = catalog("llm_provider: gemini", "", "", PLAIN);
    let provider = first(&native).provider;
    assert!(provider.native_tools_beside(false).google_search);
    assert!(provider.native_tools_beside(true).is_off());
    assert!(!provider.native_tools_with_tool_text().searches());
    let allowed = ResolvedProvider { search_with_tool_text: true, ..provider };
    assert!(allowed.native_tools_with_tool_text().google_search);
}

/// Agents with Gemini's own interface.
const NATIVE: &str = "llm_provider: gemini, iteration_strategy: native-thinking";

#[test]
fn an_alert_may_request_what_its_chain_allows_by_default_what_its_agents_have() {
    let stages = "      - {name: s, agents: [{name: A}, {name: B, mcp_servers: [two]}]}\n";
    let own = catalog(NATIVE, "mcp_servers: [one]", "    chat: {mcp_servers: [three]}\n", stages);
    let allowed = own.default_tools(Some("t"), Sender::Source).unwrap().allowed;
    assert_eq!(allowed.mcp_servers, ["one", "two", "three"]);
    assert_eq!(allowed.native_tools, [NativeTool::GoogleSearch]);
    let trusted = own.default_tools(Some("t"), Sender::Trusted).unwrap().allowed;
    assert!(trusted.mcp_servers.len() >= 5, "{:?}", trusted.mcp_servers);
    assert_eq!(trusted.native_tools, NativeTool::ALL);
    let lines = "    allowed_mcp_servers: [four]\n    allowed_native_tools: [url_context]\n";
    let listed = catalog(NATIVE, "mcp_servers: [one]", lines, stages);
    for sender in [Sender::Source, Sender::Trusted] {
        let allowed = listed.default_tools(Some("t"), sender).unwrap().allowed;
        assert_eq!(allowed.mcp_servers, ["four"]);
        assert_eq!(allowed.native_tools, [NativeTool::UrlContext]);
    }
    for (word, count) in [("chain", 1), ("registered", trusted.mcp_servers.len())] {
        let lines = format!("    allowed_mcp_servers: {word}\n");
        let catalog = catalog(NATIVE, "mcp_servers: [one]", &lines, PLAIN);
        for sender in [Sender::Source, Sender::Trusted] {
            let allowed = catalog.default_tools(Some("t"), sender).unwrap().allowed;
            assert_eq!(allowed.mcp_servers.len(), count, "{word}");
        }
    }
}

#[test]
fn what_a_chain_does_not_allow_is_refused_with_what_it_allows() {
    let refused = |chain: &str, mcp: &str| {
        let catalog = catalog(NATIVE, "mcp_servers: [one, two]", chain, PLAIN);
        catalog.resolve_chain(Some("t"), Some(&choice(mcp))).unwrap_err().to_string()
    };
    let foreign = r#"{"servers":[{"name":"one"},{"name":"five"}]}"#;
    assert_eq!(
        refused("", foreign),
        r#"mcp.servers[1].name: alerts of the chain "c" may not request the server "five"; they may request one, two"#
    );
    assert!(refused("    allowed_mcp_servers: []\n", foreign).ends_with("they may request none"));
    assert_eq!(
        refused("", r#"{"native_tools":{"code_execution":true}}"#),
        r#"mcp.native_tools.code_execution: alerts of the chain "c" may not turn this on; they may turn on google_search"#
    );
}

#[test]
fn native_tools_replace_the_servers_on_request_and_leave_no_agent_without_tools() {
    let catalog = |defaults| catalog(defaults, "mcp_servers: [one]", "    chat: {}\n", PLAIN);
    let native = catalog(NATIVE);
    let chosen = r#"{"without_servers":true,"native_tools":{"google_search":true}}"#;
    for mcp in [chosen, r#"{"without_servers":true}"#] {
        let chain = native.resolve_chain(Some("t"), Some(&choice(mcp))).unwrap();
        assert!(chain.server_ids().is_empty());
        assert!(chain.stages[0].agents[0].provider.native_tools_beside(false).google_search);
    }
    let refused = |catalog: &Catalog, mcp: &str| {
        catalog.resolve_chain(Some("t"), Some(&choice(mcp))).unwrap_err().to_string()
    };
    let off = r#"{"without_servers":true,"native_tools":{"google_search":false}}"#;
    assert!(refused(&native, off).starts_with("mcp.without_servers: would leave"));
    let both = r#"{"without_servers":true,"servers":[{"name":"one"}]}"#;
    assert!(refused(&native, both).starts_with("mcp.without_servers: does not go"));
    for defaults in ["llm_provider: gemini", "llm_provider: gpt"] {
        let other = catalog(defaults);
        assert!(refused(&other, r#"{"without_servers":true}"#).contains("without any tool"));
    }
}

#[test]
fn native_tools_without_an_effect_are_suppressed_and_reported() {
    let catalog = |defaults| catalog(defaults, "mcp_servers: [one]", "    chat: {}\n", PLAIN);
    let suppressed = |defaults, mcp: &str| -> Vec<String> {
        let mcp = choice(mcp);
        let requested =
            Requested { mcp: Some(&mcp), sender: Sender::Trusted, ..Requested::default() };
        let chain = catalog(defaults).resolve_requested(Some("t"), requested).unwrap();
        mcp.suppressed(&chain).iter().map(ToString::to_string).collect()
    };
    let search = r#"{"native_tools":{"google_search":true,"url_context":false}}"#;
    let beside = suppressed(NATIVE, search);
    assert!(beside[0].starts_with("mcp.native_tools.google_search: has no effect"), "{beside:?}");
    assert!(beside[0].contains("without_servers") && beside.len() == 1, "{beside:?}");
    let elsewhere = suppressed("llm_provider: gpt", search);
    assert!(elsewhere[0].ends_with("the strategy native-thinking"), "{elsewhere:?}");
    assert!(suppressed(NATIVE, r#"{"servers":[{"name":"two"}]}"#).is_empty());
    let alone = r#"{"without_servers":true,"native_tools":{"google_search":true}}"#;
    assert!(suppressed(NATIVE, alone).is_empty());
}

#[test]
fn what_an_alert_gets_wrong_is_named_with_the_nearest_name_and_all_of_them() {
    let catalog = tarsy("");
    let refused = |alert_type: Option<&str>, mcp: &str| -> ResolveError {
        catalog.resolve_chain(alert_type, Some(&choice(mcp))).unwrap_err()
    };
    let cases = [
        (
            refused(Some("kubernets"), "{}"),
            "alert_type",
            r#"alert_type: unknown alert type "kubernets"; did you mean "kubernetes"? known: host, kubernetes"#,
        ),
        (
            refused(Some("zzz"), "{}"),
            "alert_type",
            r#"alert_type: unknown alert type "zzz"; known: host, kubernetes"#,
        ),
        (
            refused(None, r#"{"servers":[{"name":"host"},{"name":"kubernetes"}]}"#),
            "mcp.servers[1].name",
            r#"mcp.servers[1].name: unknown server "kubernetes"; did you mean "kubernetes-server"? known: host, kubernetes-server"#,
        ),
        (
            refused(Some("host"), r#"{"servers":[{"name":"host"},{"name":"host"}]}"#),
            "mcp.servers[1].name",
            r#"mcp.servers[1].name: server "host" is named twice; keep one of them"#,
        ),
        (
            refused(Some("host"), r#"{"servers":[{"name":"host","tools":["a"," "]}]}"#),
            "mcp.servers[0].tools[1]",
            "mcp.servers[0].tools[1]: the name is blank; write the name of a tool",
        ),
    ];
    for (error, field, text) in cases {
        assert_eq!((error.field().as_str(), error.to_string().as_str()), (field, text));
    }
}

#[test]
fn the_default_tools_are_those_of_the_chain() {
    let catalog = tarsy("");
    let tools = catalog.default_tools(None, Sender::Source).unwrap();
    assert_eq!(
        (tools.alert_type.as_str(), tools.mcp_servers),
        ("kubernetes", vec!["kubernetes-server".to_owned()])
    );
    assert_eq!(catalog.default_tools(Some("host"), Sender::Source).unwrap().mcp_servers, ["host"]);
    assert!(catalog.default_tools(Some("nope"), Sender::Source).is_err());
}
