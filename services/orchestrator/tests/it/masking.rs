//! Secrets that a model writes.

use futures::StreamExt as _;
use serde_json::json;
use tarsy_contracts::live::{Live, LiveBody};
use tarsy_contracts::subject;
use tarsy_domain::status::SessionStatus;
use tarsy_llm::{Chunk, Script, ToolCall};
use tarsy_tools::ScriptedToolbox;

use crate::stack::{Stack, WAIT, answer_with, chain, usage};

const PASSWORD: &str = "Hunter2hunter2";

fn letters(text: &str, chunk: fn(String) -> Chunk) -> impl Iterator<Item = Chunk> {
    text.chars().map(move |sign| chunk(sign.to_string()))
}

/// A turn that writes a secret wherever a model writes.
fn turn(tool: &str) -> Script {
    let text = format!("It signs in with password={PASSWORD} as the deployment says.");
    let call = ToolCall {
        id: "c1".to_owned(),
        name: tool.to_owned(),
        arguments: json!({ "pod": "web-1", "password": PASSWORD }).to_string(),
        ..ToolCall::default()
    };
    let written = letters(&text, Chunk::Thinking).chain(letters(&text, Chunk::Text));
    Script::Answer(written.chain([Chunk::ToolCall(call), usage()]).collect())
}

/// Every row of every table, as text.
async fn rows(stack: &Stack) -> String {
    let pool = sqlx::PgPool::connect(stack.pg.url()).await.unwrap();
    let tables: Vec<String> =
        sqlx::query_scalar("select tablename::text from pg_tables where schemaname = 'public'")
            .fetch_all(&pool)
            .await
            .unwrap();
    let mut all = String::new();
    for table in tables {
        let text = format!("select coalesce(string_agg(t::text, ' '), '') from {table} t");
        let rows: String =
            sqlx::query_scalar(sqlx::AssertSqlSafe(text)).fetch_one(&pool).await.unwrap();
        all.push_str(&rows);
    }
    all
}

#[tokio::test]
async fn a_secret_that_a_model_writes_reaches_no_table_event_or_prompt() {
    let toolbox = ScriptedToolbox::new().tool("host.load").answers("host.load", "0.4");
    let conclusion = format!("The cause is password={PASSWORD} which is wrong.");
    let turns = [turn("host.load"), answer_with(&conclusion), answer_with(&conclusion)];
    let stack = Stack::with(turns, toolbox).await;
    let mut submitted = stack.submit(&chain()).await;
    let mut live = stack.bus.subscribe(subject::live_session(submitted.id)).await.unwrap();
    stack.masked_worker("one").await;
    let mut received = String::new();
    let listen = async {
        while received.matches("as the deployment says").count() < 2 {
            let message = live.next().await.unwrap();
            let live: Live = serde_json::from_slice(&message.payload).unwrap();
            if let LiveBody::Chunk { delta, .. } = live.body {
                received.push_str(&delta);
            }
        }
    };
    tokio::time::timeout(WAIT, listen).await.unwrap();
    assert!(received.contains("password=[MASKED_") && !received.contains("2hunter"), "{received}");
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;

    let [made] = &*stack.toolbox.calls() else { panic!("one call") };
    assert!(made.call.arguments.contains(PASSWORD), "it is made as the model wrote it");
    let rows = rows(&stack).await;
    assert!(rows.contains("as the deployment says") && rows.contains("web-1"));
    let at = rows.find(PASSWORD).map(|at| rows.get(at.saturating_sub(300)..at));
    assert_eq!(at, None);
    assert!(!format!("{:?}", submitted.events).contains(PASSWORD));
    let prompts = format!("{:?}", stack.llm.requests());
    assert!(prompts.contains("as the deployment says") && !prompts.contains(PASSWORD));
}
