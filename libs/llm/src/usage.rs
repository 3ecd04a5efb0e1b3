//! The tokens of an attempt whose provider did not report them, or only a part.

use tarsy_tokens::estimate_bytes;

use crate::record::{Attempt, Extra};
use crate::request::{Request, Usage};

/// The tokens of a request: those of a message if they are counted, else about one for four bytes.
pub(crate) fn of_request(request: &Request) -> usize {
    let messages = request.messages.iter().map(|message| {
        message.tokens.unwrap_or_else(|| {
            let calls = message.tool_calls.iter();
            let calls = calls.map(|call| call.name.len() + call.arguments.len());
            estimate_bytes(message.content.len() + calls.sum::<usize>())
        })
    });
    let tools = request.tools.iter().map(|tool| {
        estimate_bytes(tool.name.len() + tool.description.len() + tool.parameters_schema.len())
    });
    let format =
        request.response_format.as_ref().map_or(0, |format| estimate_bytes(format.schema.len()));
    messages.sum::<usize>() + tools.sum::<usize>() + format
}

/// Estimates what the provider left out: of an answer that began, the tokens read if it reports none, and the
/// tokens written if it reports none. An attempt without any answer keeps what was reported: nobody knows
/// whether its prompt was read.
pub(crate) fn complete(attempt: &mut Attempt<'_>, read: usize) {
    let written = written(attempt);
    if written == 0 && attempt.finish_reason.is_none() {
        return;
    }
    let reported = attempt.usage.unwrap_or_default();
    let mut usage = reported;
    if reported.total_tokens <= reported.output_tokens && reported.input_tokens <= 0 {
        usage.input_tokens = number(read);
    }
    if reported.total_tokens <= reported.input_tokens && reported.output_tokens <= 0 {
        usage.output_tokens = number(written);
        usage.thinking_tokens = number(estimate_bytes(attempt.thinking.len()));
    }
    if usage != reported {
        usage.total_tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        attempt.usage = Some(Usage { estimated: true, ..usage });
    }
}

/// The tokens of what came: reasoning, text, calls, and what the provider's own tools ran.
fn written(attempt: &Attempt<'_>) -> usize {
    let calls = attempt.tool_calls.iter().map(|call| call.name.len() + call.arguments.len());
    let code = attempt.extras.iter().map(|extra| match extra {
        Extra::CodeExecution { code, .. } => code.len(),
        Extra::Grounding(_) | Extra::UrlContext(_) => 0,
    });
    let bytes = attempt.text.len() + calls.sum::<usize>() + code.sum::<usize>();
    estimate_bytes(attempt.thinking.len()) + estimate_bytes(bytes)
}

fn number(tokens: usize) -> i32 {
    i32::try_from(tokens).unwrap_or(i32::MAX)
}
