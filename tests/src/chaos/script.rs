//! The session that is disturbed: three stages, one with an agent that dispatches two others, of which each dispatches one
//! more, one with three agents and a synthesis, one with an agent that acts, and a question. Every agent writes, looks, writes
//! again, and answers at length; one result is so large that it is summarized. Two agents write at a server whose calls wait
//! for approval; the effect of the last one's is read before and after.

use std::time::Duration;

use serde_json::json;

use crate::model::{Answer, Asked, Gate, Purpose, Script};
use crate::posts::Failures;
use crate::stack::{Links, Llm, StackOptions};

const CHAIN: &str = "  \
  chaos:
    alert_types: [chaos]
    remediation: {enabled: true, initial_delay: 100ms, checks: 1}
    stages:
      - name: first
        agents: [{name: Alpha, sub_agents: [Half], orchestrator: {max_depth: 2}}]
      - name: together
        agents: [{name: Beta, mcp_servers: [ledger, guarded]}, {name: Gamma}, {name: Delta}]
        success_policy: all
      - {name: last, agents: [{name: Mender}]}
    chat: {agent: Chatter}
  slots:
    alert_types: [slots]
    stages:
      - {name: waiting, agents: [{name: Gamma, mcp_servers: []}]}
";

/// One that is dispatched and dispatches another, and one that acts, in the role [`SUSPENDED`].
const AGENTS: &str = "  \
  Half:
    description: Looks at one half
    mcp_servers: [ledger]
    sub_agents: [{name: GeneralWorker, mcp_servers: [ledger]}]
  Mender: {type: action, mcp_servers: [guarded], custom_instructions: You are Omega.}
";

/// What may change something waits for a person.
const SERVERS: &str =
    "  guarded:\n    transport: *ledger\n    policy: {read_only: [look], write: [record]}\n";

/// The agent whose calls are approved once its session is suspended, and whose last one is an action.
pub(crate) const SUSPENDED: &str = "Omega";
/// The last part of what that action is about.
const ACTION: &str = "c";

/// The agent that dispatches others, and what each of them is to do.
const LEADER: &str = "Alpha";
const TASKS: [&str; 2] = ["Look at the left half.", "Look at the right half."];
/// What each of those has another one do.
const PARTS: [&str; 2] = ["Look at the left corner.", "Look at the right corner."];
/// How many agents are dispatched at each level, from the top.
pub(crate) const DISPATCHED: [usize; 2] = [TASKS.len(), PARTS.len()];
/// What a prompt has about one that was dispatched, and about the result of one.
const ASSIGNED: &str = "<assignment>";
const RESULT: &str = "<sub_agent_result";

const ALERT: &str = "the alert of session ";
const QUESTION: &str = "This is question ";
/// The alert of a session that keeps its slot until all slots are taken.
pub(crate) const SLOT: &str = "a session that keeps its slot";
/// Rows of a result that is summarized: about 80 KB.
const ROWS: u32 = 3_000;

/// Two of each service that takes over another's work, and leases that expire soon. Sessions about [`SLOT`] wait for the gate.
pub(crate) fn options(seed: u64, failures: Failures, slots: Gate) -> StackOptions {
    StackOptions {
        llm: Llm::Scripted(Script::new(move |asked| play(asked, &slots))),
        gateways: 2,
        orchestrators: 2,
        lease_seconds: 4,
        // A killed server must have what it acknowledged.
        durable: true,
        chains: CHAIN,
        agents: AGENTS,
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

/// What the action of a session records.
pub(crate) fn acted(session: usize) -> String {
    format!("{}{SUSPENDED}-0{ACTION}", mark(session))
}

fn play(asked: &Asked, slots: &Gate) -> Answer {
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
    if task.contains(SLOT) {
        return Answer::Waits(slots.clone(), Box::new(Answer::text("Nothing is wrong.")));
    }
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
                |task| ("tarsy__dispatch_agent", json!({ "name": "Half", "task": task }));
            let mut calls = vec![("ledger__record", json!({ "what": what("a"), "ms": 100 }))];
            calls.extend([("ledger__look", look)].into_iter().chain(TASKS.map(dispatch)));
            Answer::Calls(calls)
        }
        0 if agent == SUSPENDED => {
            Answer::call("guarded__look", json!({ "what": what("b"), "ms": 50 }))
        }
        0 => Answer::Calls(vec![
            ("ledger__record", json!({ "what": what("a"), "ms": 100 })),
            ("ledger__look", json!({ "what": what("b"), "ms": 50 })),
        ]),
        1 if agent == SUSPENDED => act(&what(ACTION)),
        1 => {
            let tool = if agent == "Beta" { "guarded__record" } else { "ledger__record" };
            Answer::call(tool, json!({ "what": what("c"), "ms": 200 }))
        }
        // In every second session the conclusion comes too early, and is sent back.
        _ if agent == LEADER && session.is_multiple_of(2) && results(asked) < TASKS.len() => {
            Answer::call("tarsy__wait_for_agents", json!({}))
        }
        _ if agent == LEADER => {
            let found = format!("{agent} found with {} others: ", results(asked));
            aloud(found + &"nothing is wrong. ".repeat(10))
        }
        _ => aloud(format!("{agent} found: ") + &"nothing is wrong. ".repeat(20)),
    }
}

/// A call that is to be in the ledger afterwards, once.
fn act(what: &str) -> Answer {
    let check = json!({
        "tool": "guarded.look",
        "arguments": { "what": format!("{what}-effect"), "of": what },
        "expect": { "contains": effect(what) },
    });
    let plan = json!({ "effect": format!("{what} is in the ledger once"), "check": check });
    Answer::call("guarded__record", json!({ "what": what, "ms": 200, "_action": plan }))
}

/// What is read of the ledger when something is there once.
fn effect(what: &str) -> String {
    format!("recorded: 1 of {what}")
}

/// One that was dispatched writes, looks, has another one look, and answers at length; the one below it only writes.
fn dispatched(asked: &Asked, session: u32) -> Answer {
    let task = asked.task();
    let is_of = |words: &&str| task.contains(*words);
    let side = usize::from([TASKS[1], PARTS[1]].iter().any(is_of));
    let name = ["left", "right"][side];
    let what = |part: &str| format!("{}{name}-{part}", mark(session as usize));
    let aloud = |of: &str| {
        // What is written again is another text.
        let when = if results(asked) == 0 { "at first" } else { "with its corner" };
        let found = format!("The {name} {of} {when}: ") + &"nothing is wrong. ".repeat(10);
        Answer::Streams(found, Duration::from_millis(15))
    };
    if PARTS.iter().any(is_of) {
        return match asked.turn() {
            0 => Answer::call("ledger__record", json!({ "what": what("corner"), "ms": 100 })),
            _ => aloud("corner"),
        };
    }
    match asked.turn() {
        0 => {
            let corner = json!({ "name": "GeneralWorker", "task": PARTS[side] });
            Answer::Calls(vec![
                ("ledger__record", json!({ "what": what("a"), "ms": 150 })),
                ("ledger__look", json!({ "what": what("b"), "ms": 50 })),
                ("tarsy__dispatch_agent", corner),
            ])
        }
        1 => Answer::call("ledger__record", json!({ "what": what("c"), "ms": 100 })),
        // As above, some conclude too early.
        _ if session.is_multiple_of(2) && results(asked) == 0 => {
            Answer::call("tarsy__wait_for_agents", json!({}))
        }
        _ => aloud("half"),
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
