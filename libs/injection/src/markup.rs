//! Tokens and tags that only the conversations of models have.

use std::sync::LazyLock;

use regex::Regex;

use crate::finding::{Kind, MAX_FINDINGS};

/// Tokens of chat templates, tags of calls and results, forged turns.
static TOKENS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let tokens = [
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|begin_of_text|end_of_turn)\|>",
        r"<(?:start|end)_of_turn>",
        r"\[/?INST\]",
        r"<</?SYS>>",
        r"</?(?:tool_result|tool_response|function_calls?|function_results?|tool_calls?|invoke|system_prompt|system-reminder|system_instructions?)(?:\s[^>\n]{0,200})?>",
        r#""role"\s*:\s*"(?:system|developer)"\s*,\s*"content"\s*:"#,
        r"(?m)^\s*#{2,4}\s*(?:system|instruction|assistant|human)s?\s*:",
        r"(?m)^\s*(?:<system>|\[system\]|\[assistant\])\s*(?i:you|ignore|do not|call|from now)",
        r"(?m)^(?:Human|User): [^\n]{0,500}\n+\s*Assistant:",
    ];
    Regex::new(&format!("(?i){}", tokens.join("|"))).ok()
});

/// Where such tokens stand, and where letters are hidden in characters that nobody sees.
pub(crate) fn places(text: &str) -> impl Iterator<Item = (Kind, usize)> + '_ {
    let tokens = TOKENS.iter().flat_map(|regex| regex.find_iter(text)).take(MAX_FINDINGS);
    let hidden = hidden(text).map(|at| (Kind::Address, at));
    tokens.map(|found| (Kind::Role, found.start())).chain(hidden)
}

/// Where the first tag character stands that is no part of a flag: these letters have no picture of their own.
fn hidden(text: &str) -> Option<usize> {
    let is_tag = |sign: char| ('\u{e0020}'..='\u{e007e}').contains(&sign);
    let mut previous = ' ';
    for (at, sign) in text.char_indices() {
        // The flags of England, Scotland and Wales begin with a black flag.
        if is_tag(sign) && previous != '\u{1f3f4}' && !is_tag(previous) {
            return Some(at);
        }
        previous = sign;
    }
    None
}
