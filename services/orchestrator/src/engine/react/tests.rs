use super::marks::MAX_NAME;
use super::*;

pub(super) fn call(name: &str, arguments: &str) -> Step {
    Step::Call(ToolCall {
        id: "react-2".to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        ..ToolCall::default()
    })
}

pub(super) fn conclusion(text: &str) -> Step {
    Step::Conclusion(text.to_owned())
}

/// Whether the text is cut at some point when it comes letter by letter.
pub(super) fn is_cut(text: &str) -> bool {
    let mut watch = Watch::default();
    let ends: Vec<_> = text.char_indices().map(|(at, letter)| at + letter.len_utf8()).collect();
    let over = ends.iter().any(|end| watch.end(&text[..*end]).is_some());
    assert_eq!(over, Watch::default().end(text).is_some(), "{text:?}");
    over
}

pub(super) fn first(text: &str) -> Step {
    step(&[text], 2, Asked::ToContinue).unwrap()
}

#[test]
fn a_thought_an_action_and_its_input_are_a_call() {
    let text = "Thought: the load first.\nAction: host.load\nAction Input: {\"minutes\": 5}";
    assert_eq!(first(text), call("host.load", "{\"minutes\": 5}"));
}

#[test]
fn marks_may_be_decorated_and_written_in_any_case() {
    for text in [
        "**Thought:** x\n**Action:** `host.load`\n**Action Input:** {}",
        "### Thought\nx\n### Action: host.load\n### Action Input: {}",
        "thought: x\naction: \"host.load\"\naction input: {}",
        "> Action: [host.load]\n> Action_Input: {}",
        "Action 1: host.load\nAction Input 1: {}",
        "Action：host.load\nAction Input：{}",
        "Action:\nhost.load\nAction Input:\n```json\n{}\n```",
        "Action: host.load({})",
        "Action: host.load\nAction Input: {} (that should do)",
        "Action: host.load\r\nAction Input: {}\r\n",
    ] {
        assert_eq!(first(text), call("host.load", "{}"), "{text:?}");
        assert!(!is_cut(text), "{text:?}");
    }
}

#[test]
fn an_input_that_is_no_json_is_passed_as_it_is() {
    let yaml = "Action: host.load\nAction Input:\nminutes: 5\nhost: web-1\n";
    assert_eq!(first(yaml), call("host.load", "minutes: 5\nhost: web-1"));
    assert_eq!(first("Action: host.load\nAction Input: web-1"), call("host.load", "web-1"));
    assert_eq!(first("Action: host.load"), call("host.load", ""));
    let broken = "Action: host.load\nAction Input: {\"minutes\": ";
    assert_eq!(first(broken), call("host.load", "{\"minutes\":"));
}

#[test]
fn an_input_over_several_lines_is_one_input() {
    let text = "Action: host.load\nAction Input: {\n  \"action\": \"x\",\n  \"minutes\": 5\n}\n";
    assert_eq!(first(text), call("host.load", "{\n  \"action\": \"x\",\n  \"minutes\": 5\n}"));
}

#[test]
fn an_invented_observation_and_all_after_it_are_dropped() {
    let real = "Thought: look.\nAction: host.load\nAction Input: {}";
    let text = format!("{real}\nObservation: load 99\nThought: so\nFinal Answer: it is on fire");
    assert_eq!(kept(&text), real);
    assert_eq!(first(&text), call("host.load", "{}"));
    assert!(is_cut(&text) && !is_cut(real));
    assert!(is_cut(&format!("{real}\nobservation:")));
}

#[test]
fn what_follows_the_first_call_does_not_count() {
    let text = "Action: host.load\nAction Input: {}\nAction: host.kill\nAction Input: {\"pid\": 1}";
    assert_eq!(first(text), call("host.load", "{}"));
    assert_eq!(kept(text), "Action: host.load\nAction Input: {}");
    let text = "Action: host.load\nAction Input: {}\nFinal Answer: surely the load";
    assert_eq!(first(text), call("host.load", "{}"));
    assert_eq!(kept(text), "Action: host.load\nAction Input: {}");
}

#[test]
fn an_answer_is_all_that_stands_after_its_mark() {
    let text =
        "Thought: enough.\nFinal Answer: ## Wrong\n\nAction: restart it\nObservation: none\n";
    assert_eq!(first(text), conclusion("## Wrong\n\nAction: restart it\nObservation: none"));
    assert_eq!(kept(text), text.trim_end());
    assert!(!is_cut(text));
    let inline = "Thought: I know enough. Final Answer: the disk is full.";
    assert_eq!(first(inline), conclusion("the disk is full."));
}

#[test]
fn an_invalid_message_may_be_repaired_once() {
    for text in [
        "",
        "I would look at the load.",
        "Thought: hm.",
        "Action:",
        "Action: first host.load, then host.disks\nAction Input: {}",
        "Action: {\"name\": \"host.load\"}",
        "Action Input: {}",
        "Final Answer:",
        "Observation: load 99",
        "Thought: x\nObservation: load 99\nFinal Answer: invented",
        "Action: \u{1f525}\u{202e}evil()\nAction Input: {}",
    ] {
        assert!(matches!(first(text), Step::Repair(_)), "{text:?} {:?}", first(text));
        is_cut(text);
    }
    let long = format!("Action: {}", "x".repeat(MAX_NAME + 1));
    assert!(matches!(first(&long), Step::Repair(_)));
}

#[test]
fn the_second_time_plain_text_is_the_conclusion_and_a_broken_call_the_end() {
    let twice = |text| step(&["Hm.", text], 4, Asked::ToContinue).unwrap();
    assert_eq!(twice(" The disk is full. "), conclusion("The disk is full."));
    assert!(matches!(twice("Action: a b c"), Step::Invalid(_)));
    let later = step(&["Hm.", "Action: host.load", "Hm."], 6, Asked::ToContinue).unwrap();
    assert!(matches!(later, Step::Repair(_)), "only in a row");
}

#[test]
fn at_the_limit_any_text_but_a_call_is_the_conclusion() {
    let asked = Asked::ToConclude { attempt: 1 };
    let at_limit = |text| step(&["Action: host.load", text], 4, asked).unwrap();
    assert_eq!(at_limit("It is the load."), conclusion("It is the load."));
    assert_eq!(at_limit("Thought: x\nFinal Answer: the load"), conclusion("the load"));
    assert_eq!(at_limit("Action: restart it."), conclusion("Action: restart it."));
    assert_eq!(at_limit("Action: host.load"), Step::Repair(NO_MORE_CALLS));
}

#[test]
fn no_message_is_no_step() {
    assert_eq!(step(&[], 0, Asked::ToContinue), None);
}

#[test]
fn a_mark_within_a_word_or_cut_letter_is_none() {
    let mark = |text| marks::head(text, 0).filter(|found| found.colon);
    for text in ["Actions: many", "Thoughtful: yes", "Reaction: none", "é", "Action – none", "acti"]
    {
        assert_eq!(mark(text), None, "{text}");
    }
}
