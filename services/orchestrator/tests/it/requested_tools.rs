//! What one alert wishes about its tools, and what its provider does by itself.

use tarsy_catalog::{Catalog, Env, McpSelection, ResolvedChain, SelectedServer, SuccessPolicy};
use tarsy_domain::event::TimelineKind;
use tarsy_domain::status::SessionStatus;
use tarsy_llm::{Chunk, Grounding, GroundingSource, Script};

use crate::chat::ask;
use crate::flows::replicas;
use crate::stack::{Stack, answer_with, calls, chain, usage};

/// The tools of `host` that the alert wants, for every agent of these chains.
fn narrowed(mut chain: ResolvedChain, tools: &[&str]) -> ResolvedChain {
    let tools = Some(tools.iter().map(|&tool| tool.to_owned()).collect());
    let selection = McpSelection {
        servers: vec![SelectedServer { name: "host".to_owned(), tools }],
        native_tools: None,
    };
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    let wished = catalog.resolve_chain(Some("kubernetes"), Some(&selection)).unwrap();
    let servers = wished.stages[0].agents[0].servers.clone();
    assert_eq!(wished.chat.unwrap().servers, servers);
    for agent in chain.stages.iter_mut().flat_map(|stage| &mut stage.agents).chain(&mut chain.chat)
    {
        agent.servers.clone_from(&servers);
    }
    chain
}

#[tokio::test]
async fn what_an_alert_narrows_holds_for_every_agent_at_once_and_for_the_chat() {
    let turns = [
        answer_with("One."),
        answer_with("Two."),
        answer_with("Both."),
        answer_with("Short."),
        calls("host.load"),
        answer_with("Yes."),
    ];
    let stack = Stack::new(turns).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&narrowed(replicas(2, SuccessPolicy::All), &["load"])).await;
    submitted.ends(SessionStatus::Completed).await;
    ask(&stack, submitted.id, "Is it the load?").await;
    submitted.until("stage.status", "completed").await;
    let opens = stack.toolbox.opens();
    assert_eq!(opens.len(), 3, "two agents, one answer; who joins has no tools");
    for open in opens {
        let [grant] = open.servers.as_slice() else { panic!("one server") };
        assert_eq!(
            (grant.server.as_str(), grant.tools.clone()),
            ("host", Some(vec!["load".to_owned()]))
        );
    }
}

#[tokio::test]
async fn a_tool_that_is_gone_is_named_to_the_model_and_on_the_timeline() {
    let stack = Stack::new([answer_with("Found."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&narrowed(chain(), &["load", "gone"])).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let instructions = stack.instructions(0);
    assert!(instructions.contains("- host.gone: its server does not offer it"), "{instructions}");
    assert!(!instructions.contains("host.load:"), "{instructions}");
    let errors = stack.texts(submitted.id, TimelineKind::Error).await;
    assert_eq!(
        errors,
        ["The alert asks for the tool \"host.gone\", and its server does not offer it"]
    );
}

#[tokio::test]
async fn what_the_provider_did_by_itself_stands_on_the_timeline() {
    let page = |uri: &str| GroundingSource { uri: uri.to_owned(), title: "A page".to_owned() };
    let turn = Script::Answer(vec![
        Chunk::CodeExecution { code: "print(6 * 7)".to_owned(), result: "42".to_owned() },
        Chunk::Grounding(Grounding {
            queries: vec!["load average".to_owned()],
            sources: vec![page("https://a.example/")],
        }),
        Chunk::Grounding(Grounding { queries: vec![], sources: vec![page("https://b.example/")] }),
        Chunk::Text("It is 42.".to_owned()),
        usage(),
    ]);
    let stack = Stack::new([turn, answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let code = stack.texts(submitted.id, TimelineKind::CodeExecution).await;
    assert_eq!(code, ["```\nprint(6 * 7)\n```\n\n42"]);
    let found = stack.texts(submitted.id, TimelineKind::GoogleSearchResult).await;
    assert_eq!(found, ["load average\n\n- [A page](https://a.example/)"]);
    let read = stack.texts(submitted.id, TimelineKind::UrlContextResult).await;
    assert_eq!(read, ["- [A page](https://b.example/)"]);
}
