//! What an agent does next: a function of its conversation and its limits.

use crate::engine::budget::Reached;
use crate::engine::conversation::{Conversation, PendingCall};
use crate::engine::react::{self, Asked, Step};
use crate::engine::task::AgentTask;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) tool_calls: ToolCalling,
    /// Turns of the model before it must conclude.
    pub(crate) max_iterations: u32,
    /// The limit of the session's budget that is used up, if one is.
    pub(crate) reached: Option<Reached>,
    /// Whether the model's last turn only asked for results that it has, once too often.
    pub(crate) is_repeating: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolCalling {
    /// With its provider's function calls.
    Native,
    /// By text, in the form of `react`.
    React,
}

impl ToolCalling {
    /// How the model of this agent calls tools.
    pub(crate) fn of(task: &AgentTask<'_>) -> Self {
        if task.is_react() { Self::React } else { Self::Native }
    }

    /// How whoever has the turn calls tools: the offline analyst does it with function calls.
    pub(crate) fn now(task: &AgentTask<'_>, conversation: &Conversation) -> Self {
        if conversation.is_gathering() { Self::Native } else { Self::of(task) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Execute these calls and store their results.
    CallTools(Vec<PendingCall>),
    /// Send the model the reason why its last message is invalid.
    Repair(&'static str),
    /// Request the conclusion, then call the model without tools.
    RequestConclusion(ConclusionReason),
    /// Call the model without tools; the conclusion is requested.
    Conclude,
    /// Call the model.
    Iterate,
    /// The agent is done: its conclusion is stored.
    Complete(String),
    /// The model's conclusions stay invalid, for this reason.
    Fail(&'static str),
}

/// Why an agent must conclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConclusionReason {
    Iterations,
    Budget(Reached),
    /// The model asks for the same results again and again.
    Repetition,
    /// The model's messages stay invalid, for this reason.
    Form(&'static str),
}

/// Decides the next step. A new owner decides the same from the stored conversation.
pub(crate) fn next(conversation: &Conversation, limits: &Limits) -> Next {
    let answer = match limits.tool_calls {
        ToolCalling::Native => after_turn(conversation),
        ToolCalling::React => after_text(conversation),
    };
    answer.unwrap_or_else(|| call_model(conversation, limits))
}

/// The conclusion of the model's last turn, if it is one.
pub(crate) fn conclusion(conversation: &Conversation, tool_calls: ToolCalling) -> Option<String> {
    let answer = match tool_calls {
        ToolCalling::Native => after_turn(conversation),
        ToolCalling::React => after_text(conversation),
    };
    match answer {
        Some(Next::Complete(text)) => Some(text),
        _ => None,
    }
}

/// The conclusion that the model was asked to correct.
pub(crate) fn first_conclusion(
    conversation: &Conversation,
    tool_calls: ToolCalling,
) -> Option<String> {
    let mut earlier = conversation.before_last_request();
    loop {
        let conversation = earlier?;
        if let Some(text) = conclusion(&conversation, tool_calls) {
            return Some(text);
        }
        // The correction itself was not valid, and the model was asked again.
        earlier = conversation.before_last_request();
    }
}

/// The ids of the calls of the model's last turn, whatever follows it.
pub(crate) fn last_call_ids(conversation: &Conversation, tool_calls: ToolCalling) -> Vec<String> {
    match (conversation.last_calls(), tool_calls) {
        (None, _) => Vec::new(),
        (Some((_, ids)), ToolCalling::Native) => ids,
        (Some((sequence, _)), ToolCalling::React) => vec![react::call_id(sequence)],
    }
}

/// The step after the model's last turn, if its calls or its conclusion are still to be handled.
fn after_turn(conversation: &Conversation) -> Option<Next> {
    let turn = conversation.last_turn()?;
    if !turn.has_calls {
        return Some(Next::Complete(turn.content));
    }
    (!turn.pending.is_empty()).then_some(Next::CallTools(turn.pending))
}

/// The same for a model that calls tools by text.
fn after_text(conversation: &Conversation) -> Option<Next> {
    let open = conversation.open_texts()?;
    let texts: Vec<&str> = open.texts.iter().map(String::as_str).collect();
    let asked = if conversation.is_conclusion_requested() {
        Asked::ToConclude { attempt: open.conclusions }
    } else {
        Asked::ToContinue
    };
    Some(match react::step(&texts, open.last, asked)? {
        Step::Call(call) => {
            Next::CallTools(vec![PendingCall { sequence: conversation.next_sequence(), call }])
        }
        Step::Conclusion(text) => Next::Complete(text),
        Step::Repair(problem) => Next::Repair(problem),
        Step::Invalid(problem) if asked == Asked::ToContinue => {
            Next::RequestConclusion(ConclusionReason::Form(problem))
        }
        Step::Invalid(problem) => Next::Fail(problem),
    })
}

fn call_model(conversation: &Conversation, limits: &Limits) -> Next {
    if conversation.is_conclusion_requested() {
        Next::Conclude
    } else if let Some(reached) = limits.reached {
        Next::RequestConclusion(ConclusionReason::Budget(reached))
    } else if limits.is_repeating {
        Next::RequestConclusion(ConclusionReason::Repetition)
    } else if conversation.turns() >= limits.max_iterations as usize {
        Next::RequestConclusion(ConclusionReason::Iterations)
    } else {
        Next::Iterate
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::claim::ConclusionCause;
    use tarsy_domain::event::Role;
    use tarsy_domain::id::{ExecutionId, StageId};
    use tarsy_llm::{Message, ToolCall};

    use super::*;
    use crate::engine::budget::Limit;

    const NATIVE: Limits = Limits {
        tool_calls: ToolCalling::Native,
        max_iterations: 2,
        reached: None,
        is_repeating: false,
    };
    const REACT: Limits = Limits { tool_calls: ToolCalling::React, ..NATIVE };
    const SPENT: Reached = Reached { limit: Limit::Tokens, maximum: 100, used: 120 };

    fn call(id: &str) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            name: "host.load".to_owned(),
            arguments: "{}".to_owned(),
            ..ToolCall::default()
        }
    }

    fn asked() -> Conversation {
        let mut conversation =
            Conversation::from_stored(StageId::new(), ExecutionId::new(), Vec::new());
        conversation.append(Message::new(Role::User, "what is wrong?"));
        conversation
    }

    fn answered(text: &str, calls: &[&str]) -> Conversation {
        let mut conversation = asked();
        let tool_calls = calls.iter().map(|id| call(id)).collect();
        conversation.append(Message { tool_calls, ..Message::new(Role::Assistant, text) });
        conversation
    }

    #[test]
    fn a_question_is_for_the_model() {
        assert_eq!(next(&asked(), &NATIVE), Next::Iterate);
        assert_eq!(next(&asked(), &REACT), Next::Iterate);
    }

    #[test]
    fn calls_without_results_are_executed_then_the_model_continues() {
        let mut conversation = answered("Looking.", &["a", "b"]);
        conversation.insert(3, Message::new(Role::Tool, "load 40"));
        let pending = PendingCall { sequence: 2, call: call("a") };
        assert_eq!(next(&conversation, &NATIVE), Next::CallTools(vec![pending]));
        conversation.insert(2, Message::new(Role::Tool, "load 40"));
        assert_eq!(next(&conversation, &NATIVE), Next::Iterate);
    }

    #[test]
    fn a_turn_without_calls_is_the_conclusion_whatever_the_limits() {
        let spent = Limits { reached: Some(SPENT), max_iterations: 1, ..NATIVE };
        let conversation = answered("It is the load.", &[]);
        assert_eq!(next(&conversation, &spent), Next::Complete("It is the load.".to_owned()));
    }

    #[test]
    fn calls_are_executed_before_a_limit_requests_the_conclusion() {
        let mut conversation = answered("Looking.", &["a"]);
        let limits = Limits { reached: Some(SPENT), ..NATIVE };
        assert!(matches!(next(&conversation, &limits), Next::CallTools(_)));
        conversation.insert(2, Message::new(Role::Tool, "load 40"));
        let budget = ConclusionReason::Budget(SPENT);
        assert_eq!(next(&conversation, &limits), Next::RequestConclusion(budget));
        let limits = Limits { max_iterations: 1, ..NATIVE };
        let iterations = ConclusionReason::Iterations;
        assert_eq!(next(&conversation, &limits), Next::RequestConclusion(iterations));
    }

    #[test]
    fn a_model_that_repeats_itself_is_asked_to_conclude() {
        let mut conversation = answered("Looking.", &["a"]);
        let limits = Limits { is_repeating: true, ..NATIVE };
        assert!(matches!(next(&conversation, &limits), Next::CallTools(_)));
        conversation.insert(2, Message::new(Role::Tool, "load 40"));
        assert_eq!(last_call_ids(&conversation, ToolCalling::Native), ["a"]);
        assert_eq!(last_call_ids(&conversation, ToolCalling::React), ["react-1"]);
        let repetition = ConclusionReason::Repetition;
        assert_eq!(next(&conversation, &limits), Next::RequestConclusion(repetition));
    }

    #[test]
    fn the_conclusion_is_requested_once() {
        let mut conversation = asked();
        conversation.request_conclusion(ConclusionCause::Iterations, "conclude".to_owned());
        let limits = Limits { reached: Some(SPENT), ..NATIVE };
        assert_eq!(next(&conversation, &limits), Next::Conclude);
    }

    #[test]
    fn a_react_message_is_a_call_a_repair_or_a_conclusion() {
        let action = answered("Thought: hm\nAction: host.load\nAction Input: {}", &[]);
        let Next::CallTools(calls) = next(&action, &REACT) else { panic!("a call") };
        assert_eq!((calls[0].sequence, calls[0].call.name.as_str()), (2, "host.load"));
        let mut unclear = answered("Action Input: {}", &[]);
        assert!(matches!(next(&unclear, &REACT), Next::Repair(_)));
        unclear.append(Message::new(Role::User, "again"));
        assert_eq!(next(&unclear, &REACT), Next::Iterate);
        unclear.append(Message::new(Role::Assistant, "Action Input: {}"));
        let Next::RequestConclusion(reason) = next(&unclear, &REACT) else { panic!("{unclear:?}") };
        assert!(matches!(reason, ConclusionReason::Form(_)));
        unclear.append(Message::new(Role::User, "again"));
        unclear.request_conclusion(ConclusionCause::Form, "conclude".to_owned());
        unclear.append(Message::new(Role::Assistant, "Action Input: {}"));
        assert!(matches!(next(&unclear, &REACT), Next::Repair(_)));
        unclear.append(Message::new(Role::User, "again"));
        unclear.append(Message::new(Role::Assistant, "Action Input: {}"));
        assert!(matches!(next(&unclear, &REACT), Next::Fail(_)));
        let answer = answered("Final Answer: the load", &[]);
        assert_eq!(next(&answer, &REACT), Next::Complete("the load".to_owned()));
    }

    #[test]
    fn a_requested_conclusion_of_react_is_taken_in_any_form() {
        let mut conversation = asked();
        conversation.request_conclusion(ConclusionCause::Iterations, "conclude".to_owned());
        conversation.append(Message::new(Role::Assistant, "Action: look"));
        assert_eq!(next(&conversation, &REACT), Next::Complete("Action: look".to_owned()));
    }
}
