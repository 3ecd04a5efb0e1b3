use tarsy_catalog::{Catalog, Env};
use tarsy_llm::ToolCall;

use super::*;

const TASK: &str = "The load of web-1 is 40.";

fn provider(window: u32) -> ResolvedProvider {
    let chain = Catalog::builtin(&Env::empty()).unwrap().resolve_chain(None, None).unwrap();
    ResolvedProvider { context_window_tokens: Some(window), ..chain.executive_summary_provider }
}

fn send(messages: &[Message], window: u32) -> Prompt {
    let prompt = compact(messages, &[], &provider(window));
    let sent: usize = prompt.messages.iter().map(|message| tokens(message, None)).sum();
    assert!(sent <= provider(window).max_request_tokens(), "{sent} tokens are sent");
    prompt
}

fn result(number: i64, lines: usize) -> String {
    let lines: Vec<String> =
        (0..lines).map(|line| format!("2026-01-02 pod-{number} line {line} OOMKilled")).collect();
    format!("[call {number}] answered.\n\n<tool_result>\n{}\n</tool_result>", lines.join("\n"))
}

fn beginning() -> Vec<Message> {
    vec![Message::new(Role::System, "Be brief."), Message::new(Role::User, TASK)]
}

/// One call in each turn, with results of so many lines.
fn native(calls: i64, lines: usize) -> Vec<Message> {
    let mut messages = beginning();
    for number in 1..=calls {
        add_turn(&mut messages, number..=number, lines);
    }
    messages
}

fn add_turn(messages: &mut Vec<Message>, numbers: std::ops::RangeInclusive<i64>, lines: usize) {
    let calls = numbers.clone().map(|number| ToolCall {
        id: format!("c{number}"),
        name: "host.logs".to_owned(),
        arguments: "{}".to_owned(),
        ..ToolCall::default()
    });
    let tool_calls = calls.collect();
    messages.push(Message { tool_calls, ..Message::new(Role::Assistant, "I look.") });
    for number in numbers {
        messages.push(Message {
            tool_call_id: Some(format!("c{number}")),
            call_number: Some(number),
            ..Message::new(Role::Tool, result(number, lines))
        });
    }
}

fn by_text(calls: i64, lines: usize) -> Vec<Message> {
    let mut messages = beginning();
    for number in 1..=calls {
        messages.push(Message::new(Role::Assistant, "Action: host.logs\nAction Input: {}"));
        let text = format!("Observation: {}", result(number, lines));
        messages.push(Message { call_number: Some(number), ..Message::new(Role::User, text) });
    }
    messages
}

/// Every call has its result, in order, and nothing else has.
fn check_pairs(messages: &[Message]) {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        if message.role == Role::Tool {
            assert_eq!(message.tool_call_id.as_deref(), Some(open.remove(0)));
        } else {
            assert!(open.is_empty(), "{open:?}");
            open = message.tool_calls.iter().map(|call| call.id.as_str()).collect();
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_conversation_that_fits_is_sent_whole() {
    let messages = native(5, 20);
    let prompt = send(&messages, 20_000);
    assert_eq!(prompt, Prompt { messages, compaction: None });
}

#[test]
fn a_conversation_with_more_bytes_than_tokens_is_counted() {
    let messages = native(5, 100);
    let bytes: usize = messages.iter().map(bytes).sum();
    assert!(bytes > provider(20_000).max_request_tokens());
    assert_eq!(send(&messages, 20_000).compaction, None);
}

#[test]
fn the_oldest_results_lose_their_middle_and_keep_their_numbers() {
    let messages = native(40, 100);
    let prompt = send(&messages, 40_000);
    let compaction = prompt.compaction.unwrap();
    assert!((1..40).contains(&compaction.shortened_messages), "{compaction:?}");
    assert_eq!(compaction.omitted_messages, 0);
    let whole: usize = messages.iter().map(|message| tokens(message, None)).sum();
    assert_eq!(compaction.whole_tokens, i64::try_from(whole).unwrap());

    assert_eq!(prompt.messages.len(), messages.len());
    assert_eq!(prompt.messages[..3], messages[..3]);
    assert_eq!(prompt.messages.last(), messages.last());
    check_pairs(&prompt.messages);
    let first = &prompt.messages[3].content;
    assert!(first.starts_with("[call 1] answered.\n\n<tool_result>\n2026"), "{first}");
    assert!(first.ends_with("line 99 OOMKilled\n</tool_result>"), "{first}");
    let size = format!("of {} bytes shown", messages[3].content.len());
    assert!(first.contains(&size) && first.contains("kept with [call 1]"), "{first}");
    // The oldest ones, without a gap.
    let whole = |message: &&Message| message.role == Role::Tool && messages.contains(message);
    let shortened = usize::try_from(compaction.shortened_messages).unwrap();
    assert_eq!(prompt.messages.iter().filter(whole).count(), 40 - shortened);
    assert_eq!(prompt.messages[3 + 2 * shortened], messages[3 + 2 * shortened]);
}

#[test]
fn the_oldest_turns_are_left_out_when_short_results_are_too_many() {
    let messages = native(300, 100);
    let prompt = send(&messages, 20_000);
    let compaction = prompt.compaction.unwrap();
    assert!(compaction.omitted_messages >= 400, "{compaction:?}");
    check_pairs(&prompt.messages);
    let task = &prompt.messages[1].content;
    assert!(task.starts_with(TASK), "{task}");
    let omitted = compaction.omitted_messages;
    let calls = format!("The results of [call 1] to [call {}]", omitted / 2);
    assert!(
        task.contains(&format!("{omitted} oldest messages")) && task.contains(&calls),
        "{task}"
    );
    let next = format!("[call {}] answered.", omitted / 2 + 1);
    assert!(prompt.messages[3].content.starts_with(&next));
    assert_eq!(prompt.messages.last(), messages.last());
}

#[test]
fn a_model_without_function_calls_keeps_its_observations_numbers() {
    let messages = by_text(200, 100);
    let prompt = send(&messages, 40_000);
    let compaction = prompt.compaction.unwrap();
    assert!(compaction.shortened_messages > 0 && compaction.omitted_messages > 0);
    let roles = prompt.messages[1..].chunks(2).map(|pair| pair[0].role);
    assert!(roles.clone().all(|role| role == Role::User) && roles.count() > 10);
    let observations = prompt.messages.iter().filter(|one| one.call_number.is_some());
    for one in observations {
        let number = one.call_number.unwrap();
        assert!(one.content.starts_with(&format!("Observation: [call {number}] answered.")));
    }
    assert_eq!(prompt.messages.last(), messages.last());
}

#[test]
fn the_newest_results_are_cut_when_they_alone_are_too_long() {
    let mut messages = native(5, 100);
    add_turn(&mut messages, 6..=7, 1_000);
    add_turn(&mut messages, 8..=8, 5);
    messages.truncate(messages.len() - 2);
    // A short one beside two long ones.
    messages[12].tool_calls.push(ToolCall {
        id: "c8".to_owned(),
        name: "host.load".to_owned(),
        arguments: String::new(),
        ..ToolCall::default()
    });
    let short = Message {
        tool_call_id: Some("c8".to_owned()),
        call_number: Some(8),
        ..Message::new(Role::Tool, result(8, 1))
    };
    messages.push(short.clone());
    let prompt = send(&messages, 30_000);
    check_pairs(&prompt.messages);
    assert_eq!(prompt.compaction.unwrap().omitted_messages, 0);
    assert_eq!(prompt.messages.last(), Some(&short));
    let cut: Vec<usize> = prompt.messages[13..15].iter().map(|one| one.content.len()).collect();
    assert!(cut.iter().all(|length| *length > 10_000), "{cut:?}");
    assert!(prompt.messages[13].content.contains("fits your context window"));
}

#[test]
fn a_task_beyond_the_window_is_cut_in_its_middle() {
    let mut messages = native(20, 100);
    messages[1].content = format!("{TASK}\n{}\nWhy?", "a line of the record\n".repeat(10_000));
    let prompt = send(&messages, 30_000);
    let task = &prompt.messages[1].content;
    assert!(task.starts_with(TASK) && task.contains("\nWhy?"), "{task}");
    check_pairs(&prompt.messages);
    assert!(tokens(&prompt.messages[1], None) > provider(30_000).max_request_tokens() / 3);
}

#[test]
fn the_requests_of_following_turns_mostly_begin_alike() {
    let messages = native(200, 50);
    let mut changes = 0;
    let mut before: Vec<Message> = Vec::new();
    for turn in 1..200 {
        let now = send(&messages[..2 + 2 * turn], 40_000).messages;
        changes += usize::from(!now.starts_with(&before));
        before = now;
    }
    assert!((5..60).contains(&changes), "the beginning changed {changes} times");
}
