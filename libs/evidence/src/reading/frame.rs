//! What servers write around data: tags on lines of their own, and a sentence before a document.

use std::borrow::Cow;
use std::collections::HashMap;

/// Words from which on a line before a document is a sentence, and no key.
const LEAST_WORDS: usize = 3;

/// The text with empty lines in place of tags, of what stands outside of the largest block between tags, and of a sentence before
/// YAML. Lines keep their numbers.
pub fn without_frame(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().collect();
    if let Some((first, last)) = largest_block(&lines) {
        return Cow::Owned(only(&lines, first, last));
    }
    let mut written = (0..lines.len()).filter(|at| !is_blank(&lines, *at));
    let (Some(first), Some(second)) = (written.next(), written.next()) else {
        return Cow::Borrowed(text);
    };
    let line = |at: usize| lines.get(at).map_or("", |line| line.trim());
    let is_sentence = line(first).ends_with(':')
        && line(first).split_whitespace().count() >= LEAST_WORDS
        && ["- ", "apiVersion:", "---"].iter().any(|begin| line(second).starts_with(begin));
    if is_sentence { Cow::Owned(only(&lines, second, lines.len())) } else { Cow::Borrowed(text) }
}

fn is_blank(lines: &[&str], at: usize) -> bool {
    lines.get(at).is_none_or(|line| line.trim().is_empty())
}

fn only(lines: &[&str], first: usize, last: usize) -> String {
    let kept = |(at, line): (usize, &&str)| {
        if (first..last).contains(&at) { (*line).to_owned() } else { String::new() }
    };
    let lines: Vec<String> = lines.iter().enumerate().map(kept).collect();
    lines.join("\n")
}

/// The lines between the tags of the block with the most text, if it is half of all text: the first, and the one behind the last.
fn largest_block(lines: &[&str]) -> Option<(usize, usize)> {
    // The bytes of the lines before each, without tags.
    let mut before = vec![0];
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut found = None;
    for (at, line) in lines.iter().enumerate() {
        let name = tag(line);
        let own = if name.is_some() { 0 } else { line.trim().len() };
        before.push(before.last().copied().unwrap_or(0) + own);
        let Some(name) = name else { continue };
        let Some(name) = name.strip_prefix('/') else {
            open.entry(name).or_insert(at + 1);
            continue;
        };
        let block = open.remove(name).map(|from| (size(&before, from, at), from, at));
        found = found.max(block);
    }
    let (inner, from, to) = found?;
    (inner * 2 >= size(&before, 0, lines.len())).then_some((from, to))
}

fn size(before: &[usize], from: usize, to: usize) -> usize {
    let at = |line: usize| before.get(line).copied().unwrap_or(0);
    at(to) - at(from)
}

/// The name of a tag that is a line of its own, with the slash of one that closes.
fn tag(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix('<')?.strip_suffix('>')?;
    let bare = name.strip_prefix('/').unwrap_or(name);
    let is_name = bare.starts_with(|c: char| c.is_ascii_alphabetic())
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_data_is_left_out_and_lines_keep_their_numbers() {
        let text = "<METADATA>\n  <count>1</count>\n</METADATA>\n<YAML_DATA>\n- id: 7\n  state: OK and in a long line\n</YAML_DATA>\n";
        assert_eq!(without_frame(text), "\n\n\n\n- id: 7\n  state: OK and in a long line\n");
        let text = "The following pods were found:\n- kind: Pod\n";
        assert_eq!(without_frame(text), "\n- kind: Pod");
    }

    #[test]
    fn a_text_without_a_frame_stays_as_it_is() {
        for text in
            ["containers:\n- name: a\n", "<a>\nb", "a\n<b>\nx\n</b>\nmuch more text here", ""]
        {
            assert_eq!(without_frame(text), text);
        }
    }
}
