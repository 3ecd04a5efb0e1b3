//! The session that is disturbed: three stages, one of them with three agents and a synthesis, and a
//! question. Every agent writes, looks, writes again, and answers at length.

use std::time::Duration;

use serde_json::json;

use crate::model::{Answer, Asked, Purpose, Script};
use crate::stack::{Llm, StackOptions};

const CHAIN: &str = "  \
  storm:
    alert_types: [storm]
    stages:
      - {name: first, agents: [{name: Alpha}]}
      - name: together
        agents: [{name: Beta}, {name: Gamma}, {name: Delta}]
        success_policy: all
      - {name: last, agents: [{name: Omega}]}
    chat: {agent: Chatter}
";

const ALERT: &str = "the storm of round ";
const QUESTION: &str = "This is question ";

/// Two orchestrators, and leases that run out soon.
pub(super) fn options() -> StackOptions {
    StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        orchestrators: 2,
        lease_seconds: 4,
        chains: CHAIN,
        ..StackOptions::default()
    }
}

/// The alert of a round.
pub(super) fn alert(round: u32) -> String {
    format!("{ALERT}{round}.")
}

/// A question about it.
pub(super) fn question(number: u32) -> String {
    format!("Was anything written twice? {QUESTION}{number}.")
}

/// What every call of a round is about begins like this.
pub(super) fn mark(round: u32) -> String {
    format!("round-{round}-")
}

fn play(asked: &Asked) -> Answer {
    let aloud = |text: String| Answer::Streams(text, Duration::from_millis(15));
    match asked.purpose() {
        Purpose::Summary => return aloud("The summary: the storm is over.".to_owned()),
        Purpose::Synthesis => {
            return aloud("The synthesis: ".to_owned() + &"all agree. ".repeat(20));
        }
        Purpose::Agent | Purpose::Chat | Purpose::Digest => {}
    }
    let agent = asked.role().unwrap_or("Nobody");
    let task = asked.task();
    let round = number(task.split_once(ALERT));
    // The questions before it are in the record, and come first.
    let question = number(task.rsplit_once(QUESTION));
    let what = |part: &str| format!("{}{agent}-{question}{part}", mark(round));
    match asked.turn() {
        0 => Answer::Calls(vec![
            ("ledger__record", json!({ "what": what("a"), "ms": 100 })),
            ("ledger__look", json!({ "what": what("b"), "ms": 50 })),
        ]),
        1 => Answer::call("ledger__record", json!({ "what": what("c"), "ms": 200 })),
        _ => aloud(format!("{agent} found: ") + &"the wind blows. ".repeat(20)),
    }
}

fn number(split: Option<(&str, &str)>) -> u32 {
    let (_, rest) = split.unwrap_or_default();
    rest.split('.').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_and_question_are_read_from_the_prompt() {
        let prompt = format!("<alert>\n{}\n</alert>{}{}", alert(17), question(1), question(2));
        assert_eq!(number(prompt.split_once(ALERT)), 17);
        assert_eq!(number(prompt.rsplit_once(QUESTION)), 2);
    }
}
