//! What keeps YAML readable: a mask begins with a bracket, so it must be all of an unquoted value that it begins.

use std::ops::Range;

use memchr::{memchr, memrchr};

/// How long the key before a value may be, with its indentation.
const MAX_HEAD: usize = 160;
/// How long what follows may be that goes with the secret.
const MAX_TAIL: usize = 1024;

/// Where the unquoted value ends that a secret begins, if more than the secret is in it.
pub(crate) fn scalar_end(text: &str, secret: &Range<usize>) -> Option<usize> {
    let bytes = text.as_bytes();
    let floor = secret.start.saturating_sub(MAX_HEAD);
    let head = bytes.get(floor..secret.start)?;
    if head.last() != Some(&b' ') {
        return None;
    }
    let line = match memrchr(b'\n', head) {
        Some(newline) => floor + newline + 1,
        None if floor == 0 => 0,
        None => return None,
    };
    let end = memchr(b'\n', bytes.get(secret.end..)?).map_or(bytes.len(), |at| secret.end + at);
    let tail = without_comment(text.get(secret.end..end)?).trim_end();
    // Mostly the secret is all of its value.
    if tail.is_empty() {
        return None;
    }
    let begins = is_key(text.get(line..secret.start)?.trim_start());
    if !begins || tail.len() > MAX_TAIL {
        return None;
    }
    let before = text.get(..line.saturating_sub(1)).filter(|_| line > 0);
    let above = before.and_then(|before| before.rsplit('\n').find(|line| !line.trim().is_empty()));
    let below =
        text.get(end..).and_then(|after| after.split('\n').find(|line| !line.trim().is_empty()));
    let fits = |line: Option<&str>| line.is_none_or(is_line);
    let several = above.is_some() || below.is_some();
    (several && fits(above) && fits(below)).then_some(secret.end + tail.len())
}

/// The part of a line before ` #`.
pub(crate) fn without_comment(line: &str) -> &str {
    let comment = if memchr(b'#', line.as_bytes()).is_some() { line.find(" #") } else { None };
    comment.and_then(|comment| line.get(..comment)).unwrap_or(line)
}

/// `key: ` or `- `, without quotes.
fn is_key(head: &str) -> bool {
    let key = head.trim_start_matches("- ");
    let Some(key) = key.trim_end().strip_suffix(':') else {
        return key.is_empty() && !head.is_empty();
    };
    !key.is_empty()
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/'))
}

/// Whether a line can be one of YAML.
fn is_line(line: &str) -> bool {
    let content = line.trim();
    let key = content.split_once(": ").map(|(key, _)| key).or_else(|| content.strip_suffix(':'));
    content.starts_with("- ")
        || content.starts_with('#')
        || content.starts_with("---")
        || key.is_some_and(|key| {
            let key = key.trim_start_matches("- ").trim_matches(['"', '\'']);
            !key.is_empty() && !key.contains(' ')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_begins_with_a_secret_goes_as_a_whole() {
        let text = "a: b\nnote: SECRET was here # why\nc: d\n";
        let start = text.find("SECRET").expect("it is there");
        let end = scalar_end(text, &(start..start + 6)).expect("it goes on");
        assert_eq!(text.get(start..end), Some("SECRET was here"));
        for text in
            ["SECRET was here", "a: b\nnote: SECRET\nc: d", "a log line\nnote: SECRET was here\n"]
        {
            let start = text.find("SECRET").expect("it is there");
            assert_eq!(scalar_end(text, &(start..start + 6)), None, "{text}");
        }
    }
}
