//! The front matter of a file, as authors write it.

/// Between the front matter and what stands around it.
const FENCE: &str = "---";

/// The front matter of a file, with its lines where they stand, and the text behind it.
pub(super) fn parts(text: &str) -> Option<(String, &str)> {
    let rest = text.trim_start();
    let before = text.get(..text.len() - rest.len())?.matches('\n').count();
    let rest = rest.strip_prefix(FENCE)?.trim_start_matches([' ', '\t']).strip_prefix('\n')?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == FENCE {
            // One more for the first fence.
            let front = format!("{}{}", "\n".repeat(before + 1), rest.get(..at)?);
            return Some((front, rest.get(at + line.len()..)?));
        }
        at += line.len();
    }
    None
}

/// A plain value, with the lines that continue it.
struct Plain {
    line: usize,
    key: String,
    text: String,
}

/// The same with the plain values of its keys as texts in quotation marks.
pub(super) fn quoted(front: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut open: Option<Plain> = None;
    for line in front.lines() {
        let is_more = line.starts_with([' ', '\t']) && !line.trim().is_empty();
        if let (true, Some(value)) = (is_more, &mut open) {
            value.text.push(' ');
            value.text.push_str(line.trim());
            lines.push(String::new());
            continue;
        }
        close(&mut lines, open.take());
        open = plain(line).map(|(key, text)| Plain {
            line: lines.len(),
            key: key.to_owned(),
            text: text.to_owned(),
        });
        lines.push(line.to_owned());
    }
    close(&mut lines, open);
    lines.join("\n")
}

fn close(lines: &mut [String], value: Option<Plain>) {
    let Some(value) = value else { return };
    // A text of JSON is one of YAML.
    if let (Some(line), Ok(text)) = (lines.get_mut(value.line), serde_json::to_string(&value.text))
    {
        *line = format!("{}: {text}", value.key);
    }
}

/// Key and value of a line, of a value that is neither quoted nor of several parts.
fn plain(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let value = value.trim();
    let is_key = key.starts_with(|first: char| first.is_ascii_alphabetic())
        && key.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_'));
    let is_plain = !value.starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '!', '#']);
    (is_key && is_plain && !value.is_empty()).then_some((key, value))
}
