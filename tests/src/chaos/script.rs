//! The session that is disturbed: three stages, one with an agent that dispatches two others, one with three agents and a
//! synthesis, and a question. Every agent writes, looks, writes again, and answers at length; one result is so large that it is summarized. Two
//! agents write at a server whose calls wait for approval.

use std::time::Duration;

use serde_json::json;

use crate::model::{Answer, Asked, Purpose, Script};
use crate::posts::Failures;
use crate::stack::{Links, Llm, StackOptions};

const CHAIN: &str = "  \
  chaos:
    alert_types: [chaos]
    stages:
      - name: first
        agents: [{name: Alpha, sub_agents: [{name: GeneralWorker, mcp_servers: [ledger]}]}]
      - name: together
        agents: [{name: Beta, mcp_servers: [ledger, guarded]}, {name: Gamma}, {name: Delta}]
        success_policy: all
      - {name: last, agents: [{name: Omega, mcp_servers: [ledger, guarded]}]}
    chat: {agent: Chatter}
";

/// Its policy is the default: what may change something waits for a person.
const SERVERS: &str = "  guarded:\n    transport: *ledger\n";

/// The agent whose calls are approved once its session is suspended.
pub(crate) const SUSPENDED: &str = "Omega";

/// The agent that dispatches others, and what each of them is to do.
const LEADER: &str = "Alpha";
const TASKS: [&str; 2] = ["Look at the left half.", "Look at the right half."];
/// How many agents each session dispatches.
pub(crate) const DISPATCHED: usize = TASKS.len();
/// What a prompt has about one that was dispatched, and about the result of one.
const ASSIGNED: &str = "<assignment>";
const RESULT: &str = "<sub_agent_result";

const ALERT: &str = "the alert of session ";
const QUESTION: &str = "This is question ";
/// Rows of a result that is summarized: about 80 KB.
const ROWS: u32 = 3_000;

/// Two of each service that takes over another's work, and leases that expire soon.
pub(crate) fn options(seed: u64, failures: Failures) -> StackOptions {
    StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        gateways: 2,
        orchestrators: 2,
        lease_seconds: 4,
        // A killed server must have what it acknowledged.
        durable: true,
        chains: CHAIN,
        servers: SERVERS,
        links: Links::Namespace,
        posts: Some((seed, failures)),
        ..StackOptions::default()
    }
}

pub(crate) fn alert(session: usize) -> String {
    format!("{ALERT}{session}.")
}

/// A question about it.
pub(crate) fn question(number: u32) -> String {
    format!("Was anything written twice? {QUESTION}{number}.")
}

/// What every call of a session is about begins like this.
pub(crate) fn mark(session: usize) -> String {
    format!("session-{session}-")
}

fn play(asked: &Asked) -> Answer {
    let aloud = |text: String| Answer::Streams(text, Duration::from_millis(15));
    match asked.purpose() {
        Purpose::Summary => return aloud("The summary: all is well.".to_owned()),
        Purpose::Synthesis => {
            return aloud("The synthesis: ".to_owned() + &"all agree. ".repeat(20));
        }
        Purpose::Digest => return aloud("Every row is like the others. ".repeat(10)),
        Purpose::Agent | Purpose::Chat | Purpose::Verdict => {}
    }
    let agent = asked.role().unwrap_or("Nobody");
    let task = asked.task();
    let session = number(task.split_once(ALERT));
    // The questions before it are in the record, and come first.
    let question = number(task.rsplit_once(QUESTION));
    if task.contains(ASSIGNED) {
        return dispatched(asked, session);
    }
    let what = |part: &str| format!("{}{agent}-{question}{part}", mark(session as usize));
    match asked.turn() {
        0 if agent == LEADER => {
            let look = json!({ "what": what("b"), "ms": 50, "rows": ROWS });
            let dispatch =
                |task| ("tarsy__dispatch_agent", json!({ "name": "GeneralWorker", "task": task }));
            let mut calls = vec![("ledger__record", json!({ "what": what("a"), "ms": 100 }))];
            calls.extend([("ledger__look", look)].into_iter().chain(TASKS.map(dispatch)));
            Answer::Calls(calls)
        }
        0 => Answer::Calls(vec![
            ("ledger__record", json!({ "what": what("a"), "ms": 100 })),
            ("ledger__look", json!({ "what": what("b"), "ms": 50 })),
        ]),
        1 => {
            let waits = ["Beta", SUSPENDED].contains(&agent);
            let tool = if waits { "guarded__record" } else { "ledger__record" };
            Answer::call(tool, json!({ "what": what("c"), "ms": 200 }))
        }
        // In every second session the conclusion comes too early, and is sent back.
        _ if agent == LEADER && session.is_multiple_of(2) && results(asked) < TASKS.len() => {
            Answer::call("tarsy__wait_for_agents", json!({}))
        }
        _ if agent == LEADER => {
            let found = format!("{agent} found with {} others: ", results(asked));
            aloud(found + &"nothing is wrong. ".repeat(20))
        }
        _ => aloud(format!("{agent} found: ") + &"nothing is wrong. ".repeat(20)),
    }
}

/// One that was dispatched writes, looks, and answers at length.
fn dispatched(asked: &Asked, session: u32) -> Answer {
    let side = if asked.task().contains(TASKS[0]) { "left" } else { "right" };
    let what = |part: &str| format!("{}{side}-{part}", mark(session as usize));
    match asked.turn() {
        0 => Answer::Calls(vec![
            ("ledger__record", json!({ "what": what("a"), "ms": 150 })),
            ("ledger__look", json!({ "what": what("b"), "ms": 50 })),
        ]),
        1 => Answer::call("ledger__record", json!({ "what": what("c"), "ms": 100 })),
        _ => {
            let found = format!("The {side} half: ") + &"nothing is wrong. ".repeat(20);
            Answer::Streams(found, Duration::from_millis(15))
        }
    }
}

/// How many results of others a conversation has.
fn results(asked: &Asked) -> usize {
    asked.messages.iter().filter(|message| message.to_string().contains(RESULT)).count()
}

fn number(split: Option<(&str, &str)>) -> u32 {
    let (_, rest) = split.unwrap_or_default();
    rest.split('.').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_and_question_are_read_from_the_prompt() {
        let prompt = format!("<alert>\n{}\n</alert>{}{}", alert(17), question(1), question(2));
        assert_eq!(number(prompt.split_once(ALERT)), 17);
        assert_eq!(number(prompt.rsplit_once(QUESTION)), 2);
    }
}
