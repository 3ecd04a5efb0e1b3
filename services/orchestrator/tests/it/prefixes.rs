//! Each request of an agent begins with the one before it, so that servers need not read it again.

use tarsy_catalog::ResolvedChain;
use tarsy_domain::status::SessionStatus;
use tarsy_llm::{Message, Request, Script};

use crate::stack::{Stack, answer_with, calls, chain, text};

fn sent(message: &Message) -> (String, String, Vec<String>, Option<String>) {
    let Message { role, content, tool_calls, tool_call_id, .. } = message;
    let calls = tool_calls.iter().map(|call| format!("{} {}", call.name, call.arguments));
    (role.as_str().to_owned(), content.clone(), calls.collect(), tool_call_id.clone())
}

fn messages(request: &Request) -> Vec<(String, String, Vec<String>, Option<String>)> {
    request.messages.iter().map(sent).collect()
}

#[tokio::test]
async fn each_request_of_an_agent_begins_with_the_one_before_it() {
    let cut = Script::Pause(vec![text("So far the load")], Vec::new());
    let turns =
        [calls("host.load"), calls("host.load"), cut, answer_with("is 40."), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    stack.worker("one").await;
    let chain = ResolvedChain { iteration_timeout_ms: 3_000, ..chain() };
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let all = stack.llm.requests();
    let of_agent: Vec<&Request> = all.iter().filter(|one| one.execution_id.is_some()).collect();
    assert_eq!(of_agent.len(), 4);
    for pair in of_agent.windows(2) {
        let (before, after) = (messages(pair[0]), messages(pair[1]));
        assert!(after.len() > before.len());
        assert_eq!(after[..before.len()], before[..]);
        assert_eq!(pair[0].tools, pair[1].tools, "tools stand before the messages");
    }
}
