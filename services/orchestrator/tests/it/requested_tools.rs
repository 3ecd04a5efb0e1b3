//! What one alert wishes about its tools, and what its provider does by itself.

use serde_json::json;
use tarsy_catalog::{Catalog, Env, McpSelection, ResolvedChain, SelectedServer, SuccessPolicy};
use tarsy_domain::event::TimelineKind;
use tarsy_domain::status::SessionStatus;
use tarsy_llm::{
    Chunk, Grounding, GroundingSource, GroundingSupport, ResponseInfo, Script, UrlRead,
};

use crate::chat::ask;
use crate::flows::replicas;
use crate::stack::{Stack, answer_with, calls, chain, usage};

/// The tools of `host` that the alert wants, for every agent of these chains.
fn narrowed(mut chain: ResolvedChain, tools: &[&str]) -> ResolvedChain {
    let tools = Some(tools.iter().map(|&tool| tool.to_owned()).collect());
    let selection = McpSelection {
        servers: vec![SelectedServer { name: "host".to_owned(), tools }],
        ..McpSelection::default()
    };
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    let wished = catalog.resolve_chain(Some("host"), Some(&selection)).unwrap();
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
        Chunk::Grounding(Box::new(Grounding {
            queries: vec!["load average".to_owned()],
            sources: vec![page("https://a.example/")],
            supports: vec![GroundingSupport {
                start: 0,
                end: 9,
                text: "It is 42.".to_owned(),
                sources: vec![0],
                confidence: vec![0.75],
            }],
            search_entry_point: "<a href=\"https://google.com/search\">more</a>".to_owned(),
        })),
        Chunk::Grounding(Box::new(Grounding {
            sources: vec![page("https://b.example/")],
            ..Grounding::default()
        })),
        Chunk::Response(Box::new(ResponseInfo {
            response_id: "resp-1".to_owned(),
            model_version: "model-002".to_owned(),
            ..ResponseInfo::default()
        })),
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
    let events = stack.timeline(submitted.id).await;
    let search = events.iter().find(|one| one.kind == TimelineKind::GoogleSearchResult).unwrap();
    let metadata = search.metadata.clone().unwrap();
    let support = json!([{
        "start": 0, "end": 9, "text": "It is 42.", "sources": [0], "confidence": [0.75],
    }]);
    assert_eq!(metadata["supports"], support);
    assert_eq!(metadata["sources"][0]["uri"], "https://a.example/");
    assert!(metadata["search_entry_point"].as_str().unwrap().contains("google.com/search"));
    let trace = stack.model_calls(submitted.id).await.remove(0).response_metadata.unwrap();
    assert_eq!(
        (&trace["response_id"], &trace["model_version"]),
        (&json!("resp-1"), &json!("model-002"))
    );
    assert_eq!(trace["grounding"][0]["supports"], support);
    assert_eq!(trace["code_execution"][0]["result"], "42");
}

#[tokio::test]
async fn pages_that_the_provider_read_are_no_search() {
    let read = |url: &str, status: &str| UrlRead { url: url.to_owned(), status: status.to_owned() };
    let found = Grounding {
        sources: vec![GroundingSource {
            uri: "https://b.example/".to_owned(),
            title: "B".to_owned(),
        }],
        supports: vec![GroundingSupport { text: "It is 42.".to_owned(), ..Default::default() }],
        ..Grounding::default()
    };
    let pages = vec![read("https://b.example/", "success"), read("https://c.example/", "paywall")];
    let turn = Script::Answer(vec![
        Chunk::Text("It is 42.".to_owned()),
        Chunk::Grounding(Box::new(found)),
        Chunk::UrlContext(pages),
        usage(),
    ]);
    let stack = Stack::new([turn, answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert!(stack.texts(submitted.id, TimelineKind::GoogleSearchResult).await.is_empty());
    let events = stack.timeline(submitted.id).await.into_iter();
    let mut events = events.filter(|one| one.kind == TimelineKind::UrlContextResult);
    let event = events.next().unwrap();
    let b = "- [https://b.example/](https://b.example/)";
    let c = "- [https://c.example/](https://c.example/) (paywall)";
    assert_eq!(event.content, format!("{b}\n{c}"));
    let metadata = event.metadata.unwrap();
    assert_eq!(metadata["pages"][1], json!({"url": "https://c.example/", "status": "paywall"}));
    assert_eq!(metadata["supports"][0]["text"], "It is 42.");
    assert!(events.next().is_none());
}
