//! The forms that models use instead of the one that they are asked for, most frequent first.

use super::tests::{call, conclusion, first, is_cut};
use super::*;

/// Messages that are the call `host.load {}`.
const CALLS: [&str; 44] = [
    // No colon.
    "Thought\nThe load first.\nAction\nhost.load\nAction Input\n{}",
    "Thought I look at the load.\nAction host.load\nAction Input {}",
    "Action host.load\nAction Input\n{}",
    "Action\nhost.load\nAction Input: {}",
    "Action host.load\nAction Input: {}",
    "Action: host.load\nAction Input {}",
    "Action: host.load\nAction Input\n\n{}",
    "**Action**\nhost.load\n**Action Input**\n{}",
    "### Action\n`host.load`\n### Action Input\n```json\n{}\n```",
    "ACTION\nhost.load\nACTION INPUT\n{}",
    // Newlines between the keyword and its value.
    "Thought:\nThe load first.\nAction:\nhost.load\nAction Input:\n{}",
    "Action:\n\nhost.load\n\nAction Input:\n\n{}",
    "Action:\r\nhost.load\r\nAction Input:\r\n{}\r\n",
    "Action\n\nhost.load\n\nAction Input\n\n{}",
    // In the middle of a line.
    "Thought: The load first.Action: host.load\nAction Input: {}",
    "Thought: The load first. Action: host.load\nAction Input: {}",
    "Thought: The load first. Action: host.load Action Input: {}",
    "Thought: The load first.Action: host.loadAction Input: {}",
    "Thought: The load first. Action: host.load, Action Input: {}",
    "Thought: The load first. **Action:** `host.load` **Action Input:** {}",
    "I look at the load. Action: host.load",
    "Thought: The load first! Action: host.load({})",
    "Thought: so I take the action: host.load\naction input: {}",
    "Thought: The load first.Action host.load Action Input {}",
    "Action: host.load Action Input: {}",
    "Action: host.load\nAction Input: {} Observation: the load is 99",
    "Thought: x. Action: host.load\nFinal Answer: it is on fire",
    // Case and emphasis.
    "**Thought:** x\n**Action:** host.load\n**Action Input:** {}",
    "*Action:* host.load\n*Action Input:* {}",
    "__Action:__ host.load\n__Action Input:__ {}",
    "**Action**: host.load\n**Action Input**: {}",
    "***ACTION:*** `host.load`\n***ACTION INPUT:*** `{}`",
    "- Action: host.load\n- Action Input: {}",
    "action : host.load\naction-input : {}",
    "ACTION: HOST\n",
    // Fences around the input, and around the whole message.
    "Action: host.load\nAction Input: ```json {} ```",
    "Action: host.load\nAction Input: ```{}```",
    "Action: host.load\nAction Input:\n~~~json\n{}\n~~~",
    "```\nThought: x\nAction: host.load\nAction Input: {}\n```",
    "Action: host.load\nAction Input: json\n{}",
    // A call that pretends to be a conclusion.
    "Final Answer: Action: host.load\nAction Input: {}",
    "Final Answer:\nAction: host.load\nAction Input: {}\nObservation: the load is 99",
    "Final Answer: I am not done. Action: host.load Action Input: {}",
    "Action: host.load.\nAction Input: {}\nThought I know the load now.\nFinal Answer it is high",
];

/// Messages and their conclusions.
const CONCLUSIONS: [(&str, &str); 20] = [
    ("Final Answer\nThe disk is full.", "The disk is full."),
    ("**Final Answer**\n\nThe disk is full.", "The disk is full."),
    ("Thought I know.\nFinal Answer The disk is full.", "The disk is full."),
    ("Thought: I know.Final Answer: The disk is full.", "The disk is full."),
    // Names of objects begin with small letters.
    ("Final Answer pod-2 is in CrashLoopBackOff", "pod-2 is in CrashLoopBackOff"),
    ("Thought I know.\nFinal Answer pod-2 is in CrashLoopBackOff", "pod-2 is in CrashLoopBackOff"),
    ("Thought: I know. Final Answer pod-2 restarts.", "pod-2 restarts."),
    (
        "Thought: I know.\n**Final Answer** kube-system/coredns is down.",
        "kube-system/coredns is down.",
    ),
    ("Final answer the disk is full.", "the disk is full."),
    ("I know.\nFINAL ANSWER nginx.service failed", "nginx.service failed"),
    ("**Final Answer:** **Cause**: the disk.", "**Cause**: the disk."),
    ("FINAL_ANSWER: The disk is full.", "The disk is full."),
    (
        "Final Answer: Run this:\n```\nAction: host.load\nAction Input: {}\n```\nThen wait.",
        "Run this:\n```\nAction: host.load\nAction Input: {}\n```\nThen wait.",
    ),
    (
        "Final Answer: I used `Action: host.load Action Input: {}` twice.",
        "I used `Action: host.load Action Input: {}` twice.",
    ),
    (
        "Final Answer: The log says\n> Action: host.load\n> Action Input: {}\nand stops.",
        "The log says\n> Action: host.load\n> Action Input: {}\nand stops.",
    ),
    (
        "Final Answer: ## Action\nRestart nginx.service.\n## Observation\nNone.",
        "## Action\nRestart nginx.service.\n## Observation\nNone.",
    ),
    (
        "Final Answer: Recommended action: restart nginx.service now.",
        "Recommended action: restart nginx.service now.",
    ),
    (
        "Thought: The next action: none, all is known.\nFinal Answer: The disk is full.",
        "The disk is full.",
    ),
    (
        "Thought: No action input is needed any more.\nFinal Answer: The disk is full.",
        "The disk is full.",
    ),
    (
        "Thought: The service took action.\nObservations are done.\nFinal Answer: The disk.",
        "The disk.",
    ),
];

/// Messages that are neither, although they have the words.
const PROSE: [&str; 16] = [
    "The recommended action: restart nginx.",
    "Action is needed on nginx.service soon.",
    "Action required: look at the load.",
    "I would take action. Input from the team is welcome.",
    "Suggested Action: nginx.service",
    "The Reaction: host.load",
    "An action input is missing here.",
    "I quote `Action: host.load` from the instructions.",
    "A final answer needs more data.",
    "Final Answer is not known yet.",
    "Final Answer needs the log of pod-2.",
    "I am near. Final Answer will follow when pod-2 was read.",
    "The words \"Final Answer pod-2\" stand in the alert.",
    "Thoughts: many. Actions: none. Observations: none.",
    "## Action\nRestart nginx.",
    "Version 1.5 took Action: 1.5",
];

/// Messages that look like a call and cannot be one.
const BROKEN: [&str; 8] = [
    "{\"action\": \"host.load\", \"action_input\": {}}",
    "```json\n{\"action\": \"host.load\", \"action_input\": {}}\n```",
    "{\"name\": \"host.load\", \"arguments\": {}}",
    "<tool_call>{\"name\": \"host.load\"}</tool_call>",
    "host.load({\"minutes\": 5})",
    "Action: look at the load\nAction Input: {}",
    "The Action Input: {} goes to some tool",
    "Action Input: {}",
];

#[test]
fn a_call_is_read_from_every_form_that_models_use() {
    for text in CALLS {
        let expected = match text {
            "ACTION: HOST\n" => call("HOST", ""),
            text if text.ends_with("Action: host.load") => call("host.load", ""),
            text if text.contains("on fire") => call("host.load", ""),
            _ => call("host.load", "{}"),
        };
        assert_eq!(first(text), expected, "{text:?}");
        is_cut(text);
    }
}

#[test]
fn what_a_model_invents_after_its_call_is_not_kept() {
    for text in CALLS {
        let kept = kept(text);
        for invented in ["99", "on fire", "it is high"] {
            assert!(!kept.contains(invented), "{text:?} {kept:?}");
        }
    }
}

#[test]
fn a_conclusion_is_read_without_its_colon_and_may_quote_a_call() {
    for (text, expected) in CONCLUSIONS {
        assert_eq!(first(text), conclusion(expected), "{text:?}");
        assert!(!is_cut(text), "{text:?}");
        assert_eq!(kept(text), text);
    }
}

#[test]
fn prose_with_the_words_is_neither_a_call_nor_a_conclusion_until_it_is_repeated() {
    for text in PROSE {
        assert!(matches!(first(text), Step::Repair(_)), "{text:?} {:?}", first(text));
        let again = step(&["Hm.", text], 4, Asked::ToContinue).unwrap();
        assert!(!matches!(again, Step::Call(_)), "{text:?} {again:?}");
    }
    let again = step(&["Hm.", PROSE[0]], 4, Asked::ToContinue).unwrap();
    assert_eq!(again, conclusion(PROSE[0]));
}

#[test]
fn what_looks_like_a_call_is_never_the_conclusion() {
    for text in BROKEN {
        assert!(matches!(first(text), Step::Repair(_)), "{text:?} {:?}", first(text));
        let again = step(&["Hm.", text], 4, Asked::ToContinue).unwrap();
        assert!(matches!(again, Step::Invalid(_)), "{text:?} {again:?}");
    }
    for text in BROKEN.iter().chain(&CALLS).filter(|text| !text.starts_with("ACTION: HOST")) {
        let once = step(&["Hm.", text], 4, Asked::ToConclude { attempt: 1 }).unwrap();
        assert_eq!(once, Step::Repair(NO_MORE_CALLS), "{text:?}");
        let twice = step(&["Hm.", text, text], 4, Asked::ToConclude { attempt: 2 }).unwrap();
        assert_eq!(twice, Step::Invalid(NO_MORE_CALLS), "{text:?}");
    }
}
