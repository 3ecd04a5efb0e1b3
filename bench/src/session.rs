//! A session as people wait for it: from the alert to its first request, its end, its cancellation, and what many of them
//! cost. The model and the tool server answer at once, so that all of the time is the product's.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures::future::try_join_all;
use serde_json::{Value, json};
use tarsy_e2e::{
    Answer, Gate, Llm, Plain, Programs, Purpose, Script, Stack, StackOptions, ToolServer, usual,
};
use tarsy_testkit::{Seen, poll};

use crate::output;
use crate::processes;
use crate::samples::Samples;
use crate::size::Size;
use crate::table::{Measure, Row};

const TIMEOUT: Duration = Duration::from_mins(2);
const ALERT: &str = "The disk of db-1 is 97 % full since 02:10; nothing was deployed today.";
/// The model answers the agents of such an alert once the gate is open.
const HELD: &str = "The disk of db-2 is 97 % full.";
const CALLS: usize = 3;
const SENDERS: u32 = 8;
/// How often is asked whether all are over: asking takes of the same processors.
const OFTEN: Duration = Duration::from_millis(200);
/// What a start leaves behind is over by then.
const IDLE: Duration = Duration::from_secs(5);
/// A sender is not held back, and as many sessions may run as are asked for.
const SYSTEM: &str = "  limits: {alerts_per_minute: 0}\n";
const CHAINS: &str = "  measured:\n    alert_types: [measured]\n    stages:\n      - name: looking\n        \
     agents:\n          - {name: Ledger, mcp_servers: [measured]}\n";

const WHY_POST: &str = "the alert is read, masked, routed and compared with what is known, and kept with its session in one \
    statement";

/// When the model was first asked since this was taken.
type First = Arc<Mutex<Option<Instant>>>;

/// The product, with what it investigates with.
struct Measured {
    stack: Stack,
    first: First,
    _tools: ToolServer,
}

pub(crate) async fn measure(size: Size) -> anyhow::Result<Vec<Row>> {
    output::step("sessions of three tool calls: starting a stack of its own");
    let measured = start(size).await?;
    let stack = &measured.stack;
    tokio::time::sleep(size.of(IDLE, Duration::ZERO)).await;
    let idle = processes::memory(stack)?;
    let mut rows = one_by_one(&measured, size).await?;
    rows.extend(at_once(stack, size).await?);
    rows.push(Row::alone(
        "memory of all processes but PostgreSQL, idle (PSS; goal 330 MiB)",
        Measure::Memory(idle),
    ));
    rows.push(Row::alone(
        "the same after these sessions (goal 430 MiB)",
        Measure::Memory(processes::memory(stack)?),
    ));
    rows.push(lists(stack, size).await?);
    rows.push(cancels(stack, size).await?);
    Ok(rows)
}

async fn start(size: Size) -> anyhow::Result<Measured> {
    let tools = ToolServer::start().await?;
    let first = First::default();
    let asked_first = Arc::clone(&first);
    let held = Gate::default();
    let script = Script::new(move |asked| {
        if asked.purpose() != Purpose::Agent {
            return usual(asked).unwrap_or(Answer::Refuses(404));
        }
        asked_first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
        if asked.contains(HELD) {
            return Answer::Waits(held.clone(), Box::new(Answer::text("The disk is full.")));
        }
        match asked.turn() {
            turn if turn < CALLS => {
                // Another call each time: of the same one nothing new could come.
                Answer::call("measured__get_usage", json!({"disk": format!("disk-{turn}")}))
            }
            _ => Answer::text("The disk is full because logs are not rotated [call 1]."),
        }
    });
    let stack = Box::pin(Stack::start(StackOptions {
        llm: Llm::Scripted(script),
        llm_workers: size.of(None, Some(1)),
        orchestrators: size.of(2, 1),
        workers: 50,
        durable: true,
        // As `tarsy up --split` runs it.
        programs: Programs::Tarsy,
        system: SYSTEM,
        chains: CHAINS,
        servers: tools.entry().leak(),
        ..StackOptions::default()
    }))
    .await?;
    Ok(Measured { stack, first, _tools: tools })
}

/// Sessions that have the product to themselves.
async fn one_by_one(measured: &Measured, size: Size) -> anyhow::Result<Vec<Row>> {
    let Measured { stack, first, .. } = measured;
    let plain = Plain::connect(&stack.empty_database("plain_alerts").await?, 1).await?;
    let alert = json!({"alert_type": "measured", "data": ALERT}).to_string();
    let (mut posts, mut requests, mut ends) =
        (Samples::default(), Samples::default(), Samples::default());
    let mut raw = Samples::default();
    let sessions = size.of(100, 2);
    output::step(&format!("{sessions} sessions, one after the other"));
    // The first ones open connections.
    for number in 0..sessions + size.of(10, 0) {
        let warm = number >= size.of(10, 0);
        *first.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let begun = Instant::now();
        let session = stack.submit("measured", ALERT).await?;
        let posted = begun.elapsed();
        let viewer = stack.watch(&session).await?;
        let end = viewer.wait_for_end(TIMEOUT).await?;
        let ended = begun.elapsed();
        anyhow::ensure!(end == "completed", "a session ended as {end}: {}", stack.logs());
        let asked = *first.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = asked.context("the model was not asked")?.duration_since(begun);
        let inserted = Instant::now();
        plain.insert(&alert).await?;
        if warm {
            raw.push(inserted.elapsed());
            posts.push(posted);
            requests.push(asked);
            ends.push(ended);
        }
    }
    let post = Row {
        raw: Some(("INSERT of the alert", Measure::Latency(raw))),
        why: WHY_POST.to_owned(),
        ..Row::alone("an alert: POST → 202 (goal 1.8 ms)", Measure::Latency(posts))
    };
    Ok(vec![
        post,
        Row::alone(
            "an alert: POST → the model's first request (goal 10 ms)",
            Measure::Latency(requests),
        ),
        Row::alone(
            "a session of 3 tool calls: POST → its end in a browser's socket (goal 70 ms)",
            Measure::Latency(ends),
        ),
    ])
}

/// As many as people would see in a storm.
async fn at_once(stack: &Stack, size: Size) -> anyhow::Result<Vec<Row>> {
    let sessions: u32 = size.of(200, 4);
    output::step(&format!("{sessions} sessions at once"));
    let before = completed(stack).await?;
    let used = processes::processor_time(stack)?;
    let by_postgresql = processes::processor_time_of_postgresql(stack)?;
    let start = Instant::now();
    let sender = async |from: u32| {
        for _ in (from..sessions).step_by(SENDERS as usize) {
            stack.submit("measured", ALERT).await?;
        }
        anyhow::Ok(())
    };
    try_join_all((0..SENDERS).map(sender)).await?;
    let over = async || Ok(Seen::equal(completed(stack).await?, before + u64::from(sessions)));
    poll("every session is over", TIMEOUT, OFTEN, over).await.map_err(anyhow::Error::msg)?;
    let took = start.elapsed();
    let used = processes::processor_time(stack)?.saturating_sub(used);
    let by_postgresql =
        processes::processor_time_of_postgresql(stack)?.saturating_sub(by_postgresql);
    Ok(vec![
        Row::alone(
            format!("{sessions} sessions of 3 tool calls at once (goal 20 / s)"),
            Measure::Rate(f64::from(sessions) / took.as_secs_f64()),
        ),
        Row::alone(
            "processor time of all services for each of them (goal 45 ms)",
            Measure::Processor(used / sessions),
        ),
        Row::alone(
            "processor time of PostgreSQL for each of them",
            Measure::Processor(by_postgresql / sessions),
        ),
    ])
}

async fn completed(stack: &Stack) -> anyhow::Result<u64> {
    let page = stack.get("/api/v1/sessions?status=completed&page_size=1").await?;
    let total = page.pointer("/pagination/total_items").and_then(Value::as_u64);
    total.with_context(|| format!("no number of sessions: {page}"))
}

async fn lists(stack: &Stack, size: Size) -> anyhow::Result<Row> {
    output::step("the list of sessions");
    let mut samples = Samples::default();
    for _ in 0..size.of(200, 2) {
        let begun = Instant::now();
        stack.get("/api/v1/sessions").await?;
        samples.push(begun.elapsed());
    }
    Ok(Row::alone("the list of sessions (goal 1.5 ms)", Measure::Latency(samples)))
}

/// Sessions whose model does not answer.
async fn cancels(stack: &Stack, size: Size) -> anyhow::Result<Row> {
    output::step("cancellation");
    let mut samples = Samples::default();
    for _ in 0..size.of(30, 1) {
        let open = stack.model()?.open();
        let (session, viewer) = stack.begun("measured", HELD).await?;
        stack
            .wait_until("the model is asked", TIMEOUT, async |stack| {
                Ok(Seen::value(stack.model()?.open(), |now| *now > open))
            })
            .await?;
        let begun = Instant::now();
        let (status, _) =
            stack.post(&format!("/api/v1/sessions/{session}/cancel"), &json!({})).await?;
        anyhow::ensure!(status == 200, "a cancel is answered with {status}");
        let end = viewer.wait_for_end(TIMEOUT).await?;
        samples.push(begun.elapsed());
        anyhow::ensure!(end == "cancelled", "a cancelled session ended as {end}");
        // The next one counts what is open from here.
        stack
            .wait_until("the model is left", TIMEOUT, async |stack| {
                Ok(Seen::value(stack.model()?.open(), |now| *now <= open))
            })
            .await?;
    }
    Ok(Row::alone(
        "cancel of a session: POST → its end in a browser's socket (goal 15 ms)",
        Measure::Latency(samples),
    ))
}
