//! Notes on what is left out of a request so that it fits the model's context window.

/// The beginning and the end of a message, about this many bytes, with a note between them; none if the
/// message fits. The beginning has the number of the call.
pub(crate) fn shortened(text: &str, call: Option<i64>, bytes: usize) -> Option<String> {
    let (head, tail) = tarsy_tokens::ends(text, bytes)?;
    let (shown, total) = (head.len() + tail.len(), text.len());
    let what = match call {
        Some(number) => format!(
            "The whole result is kept with [call {number}] on the timeline. If a detail is missing, call \
             the tool again with narrower arguments."
        ),
        None => String::new(),
    };
    let note = format!(
        "[cut here so that the conversation fits your context window: {shown} of {total} bytes shown. {what}"
    );
    Some(format!("{head}\n{}]\n{tail}", note.trim_end()))
}

/// The task with a note on the oldest messages, which are left out, and on the calls whose results they were.
pub(crate) fn note_omitted(task: &str, messages: usize, calls: &[i64]) -> String {
    let results = match (calls.first(), calls.last()) {
        (Some(first), Some(last)) if first < last => {
            format!(" The results of [call {first}] to [call {last}] are among them")
        }
        (Some(only), _) => format!(" The result of [call {only}] is among them"),
        (None, _) => String::new(),
    };
    let kept =
        if results.is_empty() { "" } else { " and kept on the timeline; you may still cite them." };
    format!(
        "{task}\n\n[The {messages} oldest messages of your investigation are left out here so that the \
         conversation fits your context window.{results}{kept}]"
    )
}
