//! Many sessions at once with a scripted model: how many a second, and how much of the processors each takes.

use std::time::{Duration, Instant};

use futures::future::try_join_all;
use serde_json::Value;
use tarsy_e2e::{Answer, Gate, Llm, Script, Stack, StackOptions, usual};
use tarsy_testkit::Seen;

use crate::output;
use crate::processes;
use crate::size::Size;
use crate::table::{Measure, Row};

/// Sessions of one orchestrator, as many as it may have.
const WORKERS: u8 = 50;
/// One sender submits them all within a minute.
const LIMITS: &str = "  limits: {alerts_per_minute: 0}\n";
/// Connections of each process to PostgreSQL, whose embedded server has 200.
const CONNECTIONS: u8 = 4;
const SENDERS: u32 = 8;
const TIMEOUT: Duration = Duration::from_mins(2);
const ALERT: &str = "The disk of db-1 is 97 % full since 02:10; nothing was deployed today.";

pub(crate) async fn measure(size: Size) -> anyhow::Result<Vec<Row>> {
    // In progress at the same time.
    let (sessions, orchestrators) = size.of((1000, 20), (4, 1));
    output::step(&format!("{sessions} sessions at once: starting a stack of its own"));
    let gate = Gate::default();
    let stack = start(gate.clone(), sessions, orchestrators).await?;
    let idle = processes::processor_time(&stack)?;
    let took = investigate(&stack, &gate, sessions).await?;
    let processor = processes::processor_time(&stack)?.saturating_sub(idle);
    Ok(vec![
        Row::alone(
            format!("{sessions} sessions at once: POST → completed"),
            Measure::Rate(f64::from(sessions) / took.as_secs_f64()),
        ),
        Row::alone(
            "processor time of all services for each session".to_owned(),
            Measure::Processor(processor / sessions),
        ),
    ])
}

/// A stack whose model answers agents once the gate is open.
async fn start(gate: Gate, sessions: u32, orchestrators: u8) -> anyhow::Result<Stack> {
    let script = Script::new(move |asked| {
        usual(asked).unwrap_or_else(|| {
            let answer = Answer::text("The disk is full because logs are not rotated.");
            Answer::Waits(gate.clone(), Box::new(answer))
        })
    });
    Box::pin(Stack::start(StackOptions {
        llm: Llm::Scripted(script),
        llm_workers: None,
        orchestrators,
        workers: WORKERS,
        cap: Some(sessions),
        durable: true,
        system: LIMITS,
        variables: vec![
            ("LLM_SERVICE_MAX_TURNS", sessions.to_string()),
            ("TARSY_DATABASE_CONNECTIONS", CONNECTIONS.to_string()),
        ],
        ..StackOptions::default()
    }))
    .await
}

/// How long the sessions take from the first request to the last end.
async fn investigate(stack: &Stack, gate: &Gate, sessions: u32) -> anyhow::Result<Duration> {
    let start = Instant::now();
    submit(stack, sessions).await?;
    stack
        .wait_until("every session waits for its model", TIMEOUT, async |stack| {
            let open = u32::try_from(stack.model()?.open())?;
            Ok(Seen::value(open, |open| *open >= sessions))
        })
        .await?;
    let begun = start.elapsed();
    output::step(&format!("{sessions} sessions are in progress after {begun:.1?}"));
    gate.open();
    stack
        .wait_until("every session is over", TIMEOUT, async |stack| {
            let page = stack.get("/api/v1/sessions?status=completed&page_size=1").await?;
            let total = page.pointer("/pagination/total_items").and_then(Value::as_u64);
            Ok(Seen::equal(total, Some(u64::from(sessions))))
        })
        .await?;
    Ok(start.elapsed())
}

async fn submit(stack: &Stack, sessions: u32) -> anyhow::Result<()> {
    let sender = async |from: u32| {
        for _ in (from..sessions).step_by(SENDERS as usize) {
            stack.submit("plain", ALERT).await?;
        }
        anyhow::Ok(())
    };
    try_join_all((0..SENDERS).map(sender)).await?;
    Ok(())
}
