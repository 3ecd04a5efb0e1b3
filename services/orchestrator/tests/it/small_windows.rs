//! What a model with a small context window is given of many tools.

use serde_json::json;
use tarsy_contracts::mcp::{Tool, ToolTerms};
use tarsy_domain::status::SessionStatus;
use tarsy_llm::Request;
use tarsy_tools::ScriptedToolbox;
use tarsy_tools::fake::Answer;

use crate::stack::{Stack, answer_with, calls, chain};

const WINDOW: u32 = 16_000;
const TOOLS: usize = 40;
/// The tool whose texts have no word of the alert.
const LAST: &str = "host.get_39";

fn tool(number: usize) -> Tool {
    Tool {
        server: "host".to_owned(),
        name: format!("get_{number}"),
        description: format!("Reads thing {number}. {}", "Much more is known of it. ".repeat(20)),
        input_schema: json!({"type": "object", "properties": {"of": {"type": "string"}}, "required": ["of"]}),
        read_only: true,
        idempotent: true,
        terms: ToolTerms::default(),
    }
}

fn whole(request: &Request) -> usize {
    request.tools.iter().filter(|tool| tool.parameters_schema.contains("\"of\"")).count()
}

#[tokio::test]
async fn of_many_tools_a_small_model_has_some_schemas_and_the_others_where_a_call_fails() {
    let toolbox =
        (0..TOOLS).fold(ScriptedToolbox::new(), |all, number| all.with_tool(tool(number)));
    let toolbox = toolbox.then(LAST, Answer::Error("of is missing".to_owned()));
    let turns = [calls(LAST), answer_with("It is the disk."), answer_with("The disk.")];
    let stack = Stack::with(turns, toolbox).await;
    stack.worker("one").await;
    let mut chain = chain();
    chain.stages[0].agents[0].provider.context_window_tokens = Some(WINDOW);
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;

    let requests = stack.llm.requests();
    let (first, second) = (&requests[0], &requests[1]);
    assert_eq!(first.tools.len(), TOOLS, "none is left out");
    assert_eq!(whole(first), 12);
    assert!(first.tools.iter().all(|tool| tool.description.len() <= 160));
    assert_eq!(first.tools, second.tools, "what stands before the messages stays");
    let answer = &second.messages.last().unwrap().content;
    assert!(
        answer.contains("of is missing") && answer.contains(r#""required":["of"]"#),
        "{answer}"
    );
}
