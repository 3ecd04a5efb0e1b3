//! The spans of a session, of all services, as an OpenTelemetry Collector receives them.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_e2e::collector::{Collector, Kind, Span};
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Failures, Llm, Receiver, Script, Stack, StackOptions};

const LLM_SERVICE: &str = "tarsy-llm-service";
/// What it calls a turn of the model.
const TURN: &str = "chat gpt-played";
/// Two of the agent, the executive summary and the verdict.
const TURNS: usize = 4;
const TIMEOUT: Duration = Duration::from_mins(2);
const ALERT: &str = "the disk of the zebra is full";
const ORCHESTRATOR: &str = "tarsy-orchestrator";
const ARGUMENT: &str = "the giraffe";
const CONCLUSION: &str = "An antelope filled it [call 1].";
/// A secret that the ledger puts into every result.
const PLANTED: &str = "sk-planted";

fn play(asked: &Asked) -> Answer {
    usual(asked).unwrap_or_else(|| match asked.turn() {
        0 => Answer::call("ledger__look", json!({ "what": ARGUMENT })),
        _ => Answer::text(CONCLUSION),
    })
}

/// The spans of one session, all in one trace.
struct Trace(Vec<Span>);

impl Trace {
    /// The only span of a service with this name and this kind.
    fn only(&self, service: &str, name: &str, kind: Kind) -> anyhow::Result<&Span> {
        let mut found = self.all(service, name, kind);
        let first = found.next().with_context(|| format!("{service}: no span {name}"))?;
        anyhow::ensure!(found.next().is_none(), "{service}: several spans {name}");
        Ok(first)
    }

    fn all(&self, service: &str, name: &str, kind: Kind) -> impl Iterator<Item = &Span> {
        let of = move |span: &&Span| {
            span.service == service && span.name == name && span.kind == kind as u64
        };
        self.0.iter().filter(of)
    }

    fn parent(&self, span: &Span) -> anyhow::Result<&Span> {
        let parent = self.0.iter().find(|one| one.id == span.parent);
        parent.with_context(|| format!("the parent of {} is in no span", span.name))
    }

    /// Whether a span is below another one.
    fn is_below(&self, span: &Span, ancestor: &Span) -> bool {
        let mut parent = self.parent(span);
        while let Ok(one) = parent {
            if one.id == ancestor.id {
                return true;
            }
            parent = self.parent(one);
        }
        false
    }
}

/// A stack whose services send spans to the collector.
async fn stack(collector: &Collector, more: &[(&'static str, &str)]) -> anyhow::Result<Stack> {
    let more = more.iter().map(|(name, value)| (*name, (*value).to_owned()));
    Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        posts: Some((1, Failures::Answered)),
        variables: collector.variables().into_iter().chain(more).collect(),
        ..StackOptions::default()
    })
    .await
}

/// Investigates an alert, and waits until its last spans were received.
async fn investigate(stack: &Stack, collector: &Collector) -> anyhow::Result<Trace> {
    let (session, viewer) = stack.begun("ledger", ALERT).await?;
    stack.completes(&viewer).await?;
    let posts = stack.posts()?;
    stack
        .wait_until("the end was reported", TIMEOUT, async |_| {
            let ended = posts.received().into_iter().filter(|post| post.event == "ended");
            let of_session = |receiver| {
                let mut posts = ended.clone();
                posts.any(|post| post.session == session && post.receiver == receiver)
            };
            Ok(of_session(Receiver::Webhook) && of_session(Receiver::Slack))
        })
        .await?;
    let id = Value::from(session.clone());
    let is_of = |span: &Span| span.name == "session" && *span.attribute("session.id") == id;
    stack
        .wait_until("the spans are there", TIMEOUT, async |_| {
            let spans = collector.spans()?;
            let Some(trace) = spans.iter().find(|span| is_of(span)).map(|span| &span.trace) else {
                return Ok(false);
            };
            let sent = spans.iter().filter(|span| span.trace == *trace);
            let sent = sent.filter(|span| span.name == "notification").count();
            let taken = posts.received().into_iter().filter(|post| post.session == session);
            let is_turn = |span: &&Span| span.trace == *trace && span.name == TURN;
            let turns = spans.iter().filter(is_turn).filter(|span| span.service == LLM_SERVICE);
            Ok(sent >= taken.count() && turns.count() >= TURNS)
        })
        .await?;
    let spans = collector.spans()?;
    let trace = spans.iter().find(|span| is_of(span)).context("a session")?.trace.clone();
    Ok(Trace(spans.into_iter().filter(|span| span.trace == trace).collect()))
}

/// The attributes of a span are these, and perhaps more.
fn has(span: &Span, expected: &Value) {
    let expected = expected.as_object().into_iter().flatten();
    for (name, value) in expected {
        assert_eq!(span.attribute(name), value, "{}: {name}", span.name);
    }
}

/// The turns of the model: each is called by the orchestrator, and served by llm-service.
fn model_is_called(trace: &Trace, session: &Span, agent: &Span) -> anyhow::Result<()> {
    let generate = "llm.v1.LLMService/Generate";
    let turns: Vec<_> = trace.all(LLM_SERVICE, TURN, Kind::Client).collect();
    assert_eq!(turns.len(), TURNS);
    for turn in &turns {
        let served = trace.parent(turn)?;
        assert_eq!((&*served.service, &*served.name), (LLM_SERVICE, generate));
        let called = trace.parent(served)?;
        assert_eq!((&*called.service, &*called.name), (ORCHESTRATOR, generate));
        has(called, &json!({"rpc.system": "grpc", "rpc.grpc.status_code": 0}));
        assert!(trace.is_below(called, session));
        has(
            turn,
            &json!({
                "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai",
                "gen_ai.request.model": "gpt-played", "gen_ai.usage.input_tokens": 100,
                "gen_ai.conversation.id": session.attribute("session.id"),
                "server.address": "127.0.0.1",
            }),
        );
        assert!(turn.attribute("gen_ai.usage.output_tokens").as_i64() > Some(0));
        assert!(turn.attribute("gen_ai.response.finish_reasons").is_array());
    }
    assert_eq!(turns.iter().filter(|turn| trace.is_below(turn, agent)).count(), 2);
    Ok(())
}

/// The call of the tool: a request over NATS, and below it the call of the tool server, which is given the trace.
fn tool_is_called(trace: &Trace, agent: &Span, given: &str) -> anyhow::Result<()> {
    let call = trace.only("tarsy-mcp-gateway", "tools/call look", Kind::Client)?;
    has(
        call,
        &json!({
            "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "look", "network.transport": "pipe", "mcp.server": "ledger",
        }),
    );
    let processed = trace.parent(call)?;
    has(processed, &json!({"messaging.system": "nats", "messaging.operation.type": "process"}));
    assert_eq!((&*processed.name, processed.kind), ("process", Kind::Consumer as u64));
    let sent = trace.parent(processed)?;
    assert_eq!((&*sent.service, sent.kind), (ORCHESTRATOR, Kind::Client as u64));
    has(
        sent,
        &json!({
            "messaging.system": "nats", "messaging.operation.type": "send",
            "messaging.operation.name": "request",
            "messaging.destination.name": processed.attribute("messaging.destination.name"),
        }),
    );
    assert!(trace.is_below(sent, agent));
    assert_eq!(given.trim(), format!("00-{}-{}-01", call.trace, call.id));
    Ok(())
}

/// What is sent of the session, and the events that cause it.
fn people_are_notified(trace: &Trace, request: &Span) -> anyhow::Result<()> {
    let sent: Vec<_> = trace.all("tarsy-notifier", "notification", Kind::Client).collect();
    assert!(sent.iter().all(|one| trace.is_below(one, request)));
    for to in ["slack", "hook"] {
        assert!(sent.iter().any(|one| *one.attribute("to") == to), "{sent:#?}");
    }
    let consumed = trace.all("tarsy-notifier", "process", Kind::Consumer).next();
    let published = trace.parent(consumed.context("no event was consumed")?)?;
    assert_eq!((&*published.name, published.kind), ("publish", Kind::Producer as u64));
    Ok(())
}

#[tokio::test]
async fn a_session_is_one_trace_across_all_services() -> anyhow::Result<()> {
    let collector = Collector::start().await?;
    let stack = stack(&collector, &[]).await?;
    let trace = investigate(&stack, &collector).await?;

    let request = trace.only("tarsy-api-gateway", "POST /api/v1/alerts", Kind::Server)?;
    assert_eq!(request.parent, "", "the trace begins with the request");
    has(
        request,
        &json!({
            "http.request.method": "POST", "http.route": "/api/v1/alerts",
            "http.response.status_code": 202, "url.path": "/api/v1/alerts",
        }),
    );
    let session = trace.only(ORCHESTRATOR, "session", Kind::Internal)?;
    assert!(trace.is_below(session, request));
    let agent = trace.only(ORCHESTRATOR, "invoke_agent Ledger", Kind::Internal)?;
    assert!(trace.is_below(agent, session));
    has(
        agent,
        &json!({
            "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Ledger",
            "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-played",
            "gen_ai.conversation.id": session.attribute("session.id"),
        }),
    );
    model_is_called(&trace, session, agent)?;
    let given = std::fs::read_to_string(stack.path("ledger.txt.traces"))?;
    tool_is_called(&trace, agent, &given)?;
    people_are_notified(&trace, request)?;

    let everything = collector.text()?;
    for text in ["zebra", "giraffe", "antelope", PLANTED] {
        assert!(!everything.contains(text), "{text} is in a span");
    }
    Ok(())
}

#[tokio::test]
async fn prompts_and_results_are_in_spans_where_the_operator_wants_them() -> anyhow::Result<()> {
    let collector = Collector::start().await?;
    let variable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
    let stack = stack(&collector, &[(variable, "true")]).await?;
    let trace = investigate(&stack, &collector).await?;

    let turns = trace.all("tarsy-llm-service", "chat gpt-played", Kind::Client);
    let text =
        |span: &Span, name: &str| span.attribute(name).as_str().unwrap_or_default().to_owned();
    let turns: Vec<_> = turns
        .map(|turn| (text(turn, "gen_ai.input.messages"), text(turn, "gen_ai.output.messages")))
        .collect();
    assert!(turns.iter().any(|(input, _)| input.contains("zebra")), "{turns:?}");
    assert!(turns.iter().any(|(_, output)| output.contains("antelope")), "{turns:?}");
    let call = trace.only("tarsy-mcp-gateway", "tools/call look", Kind::Client)?;
    assert!(text(call, "gen_ai.tool.call.arguments").contains(ARGUMENT));
    let result = text(call, "gen_ai.tool.call.result");
    assert!(result.contains("ledger entry: look the giraffe"), "{result}");
    assert!(!collector.text()?.contains(PLANTED), "what is masked stays masked");
    Ok(())
}
