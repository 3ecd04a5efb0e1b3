use std::time::Duration;

use tarsy_catalog::Env;
use tarsy_domain::event::FinishReason;
use tarsy_domain::id::SessionId;

use super::*;
use crate::request::{Config, UrlRead};
use crate::scripted::{Script, ScriptedLlm};

const PASSWORD: &str = "Hunter2hunter2";

/// What comes through of an answer.
async fn through(script: Script) -> Vec<Result<Chunk, Error>> {
    let env = Env::empty().without_llm_credentials().without_slack_token();
    let masks = AnswerMasks::new(&Catalog::builtin(&env).unwrap()).unwrap();
    let model = MaskedLlm::new(Arc::new(ScriptedLlm::new([script])), masks);
    let request = Request {
        session_id: SessionId::new(),
        execution_id: None,
        messages: Vec::new(),
        tools: vec![crate::request::ToolDefinition {
            name: "kubernetes-server.exec".to_owned(),
            description: String::new(),
            parameters_schema: "{}".to_owned(),
        }],
        response_format: None,
        config: Config::default(),
        max_output_tokens: None,
        deadline: Duration::from_secs(1),
    };
    model.generate(request).await.unwrap().collect().await
}

fn letters(text: &str, chunk: fn(String) -> Chunk) -> Vec<Chunk> {
    text.chars().map(|sign| chunk(sign.to_string())).collect()
}

#[tokio::test]
async fn a_secret_that_a_model_writes_is_in_no_chunk_of_it() {
    let secret = format!("It signs in with password={PASSWORD} as the deployment says.");
    let mut chunks = letters(&secret, Chunk::Thinking);
    chunks.extend(letters(&secret, Chunk::Text));
    chunks.push(Chunk::CodeExecution { code: secret.clone(), result: secret.clone() });
    chunks.push(Chunk::UrlContext(vec![UrlRead {
        url: format!("https://a.example/?password={PASSWORD}"),
        status: String::new(),
    }]));
    chunks.push(Chunk::Grounding(Box::new(Grounding {
        queries: vec![secret.clone()],
        ..Grounding::default()
    })));
    chunks.push(Chunk::Finish(FinishReason::Stop));
    let out = through(Script::Answer(chunks)).await;
    let (mut text, mut thinking) = (String::new(), String::new());
    for chunk in out.iter().map(|chunk| chunk.as_ref().unwrap()) {
        match chunk {
            Chunk::Text(delta) => text.push_str(delta),
            Chunk::Thinking(delta) => {
                assert_eq!(text, "", "thinking comes first");
                thinking.push_str(delta);
            }
            _ => {}
        }
        assert!(!format!("{chunk:?}{text}{thinking}").contains("2hunter"), "{chunk:?}");
    }
    for written in [text, thinking] {
        assert!(written.starts_with("It signs in with password=[MASKED_"), "{written}");
        assert!(written.ends_with("as the deployment says."), "{written}");
    }
    assert_eq!(out.last().unwrap().as_ref().unwrap(), &Chunk::Finish(FinishReason::Stop));
}

/// The text and the thinking of an answer, as they are stored.
fn joined(out: &[Result<Chunk, Error>]) -> (String, String) {
    let (mut text, mut thinking) = (String::new(), String::new());
    for chunk in out.iter().map(|chunk| chunk.as_ref().unwrap()) {
        match chunk {
            Chunk::Text(delta) => text.push_str(delta),
            Chunk::Thinking(delta) => thinking.push_str(delta),
            _ => {}
        }
    }
    (text, thinking)
}

#[tokio::test]
async fn a_secret_in_two_parts_with_something_else_between_them_is_masked() {
    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let between: [fn() -> Chunk; 4] = [
        || Chunk::Thinking("Hm.".to_owned()),
        || {
            Chunk::ToolCall(ToolCall {
                name: "kubernetes-server.exec".to_owned(),
                ..ToolCall::default()
            })
        },
        || Chunk::CodeExecution { code: "1".to_owned(), result: "1".to_owned() },
        || Chunk::UrlContext(Vec::new()),
    ];
    for (at, other) in between.into_iter().enumerate() {
        for place in 1..TOKEN.len() {
            let (begin, end) = TOKEN.split_at(place);
            let chunks = vec![
                Chunk::Text(format!("It cloned with {begin}")),
                other(),
                Chunk::Text(format!("{end} and no more.")),
                Chunk::Finish(FinishReason::Stop),
            ];
            let (text, _) = joined(&through(Script::Answer(chunks)).await);
            assert!(
                !text.contains(TOKEN) && text.ends_with(" and no more."),
                "{at} {place}: {text}"
            );
            assert!(!text.contains("IJ012345"), "{at} {place}: {text}");
        }
    }
    let (begin, end) = TOKEN.split_at(20);
    let chunks = vec![
        Chunk::Thinking(begin.to_owned()),
        Chunk::Text("Wait.".to_owned()),
        Chunk::Thinking(end.to_owned()),
        Chunk::Finish(FinishReason::Stop),
    ];
    let (_, thinking) = joined(&through(Script::Answer(chunks)).await);
    assert!(!thinking.contains(TOKEN), "{thinking}");
}

#[tokio::test]
async fn a_secret_in_place_of_a_name_is_masked_and_an_offered_name_stays() {
    let call =
        |name: &str| Chunk::ToolCall(ToolCall { name: name.to_owned(), ..ToolCall::default() });
    let named = format!("kubernetes-server.password={PASSWORD}");
    let out = through(Script::Answer(vec![call(&named), call("kubernetes-server.exec")])).await;
    let [Ok(Chunk::ToolCall(other)), Ok(Chunk::ToolCall(offered))] = &out[..] else {
        panic!("{out:?}")
    };
    assert!(!other.name.contains(PASSWORD), "{}", other.name);
    assert_eq!(offered.name, "kubernetes-server.exec");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_masked_to_its_end() {
    let chunks = letters(&format!("password={PASSWORD}"), Chunk::Text);
    let out = through(Script::Failure(chunks, Error::Timeout)).await;
    assert!(matches!(out.last(), Some(Err(Error::Timeout))), "{out:?}");
    assert!(!format!("{out:?}").contains("2hunter"), "{out:?}");
}

#[tokio::test]
async fn a_call_is_shown_masked_and_made_as_the_model_wrote_it() {
    let written = format!(r#"{{"pod":"web-1","password":"{PASSWORD}"}}"#);
    let call = |arguments: &str| {
        Chunk::ToolCall(ToolCall {
            id: "1".to_owned(),
            name: "kubernetes-server.exec".to_owned(),
            arguments: arguments.to_owned(),
            ..ToolCall::default()
        })
    };
    let out = through(Script::Answer(vec![call(&written), call("{}")])).await;
    let [Ok(Chunk::ToolCall(masked)), Ok(Chunk::ToolCall(plain))] = &out[..] else {
        panic!("{out:?}")
    };
    assert_eq!(masked.made_with(), Some(written.as_str()));
    assert!(!format!("{masked:?}").contains(PASSWORD), "{masked:?}");
    let stored = serde_json::to_string(masked).unwrap();
    assert!(stored.contains("web-1") && !stored.contains(PASSWORD), "{stored}");
    let read: ToolCall = serde_json::from_str(&stored).unwrap();
    assert_eq!((read.arguments.as_str(), read.made_with()), (masked.arguments.as_str(), None));

    assert_eq!(plain.made_with(), Some("{}"));
    let stored = serde_json::to_value(plain).unwrap();
    assert_eq!(stored.as_object().unwrap().len(), 3, "{stored}");
    assert_eq!(serde_json::from_value::<ToolCall>(stored).unwrap(), *plain);
}

#[tokio::test]
async fn a_model_that_writes_a_block_is_not_taken_for_idle() {
    let chunks = vec!["```\n", "data:\n", "  a: b\n", "```\n"];
    let chunks = chunks.into_iter().map(|part| Chunk::Text(part.to_owned())).collect();
    let out = through(Script::Answer(chunks)).await;
    assert!(out.len() >= 4, "{out:?}");
}
