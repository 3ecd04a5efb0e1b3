//! Text from outside is data: it stays between its markers and on its line.

/// The longest error on one line, in characters.
const MAX_LINE: usize = 500;
/// Stands where a text was cut.
const MORE: &str = "…";

/// Text that cannot close the markers around it.
pub(super) fn fenced(text: &str) -> String {
    text.replace("<!--", "<!- -").replace("</", "<\u{200b}/")
}

/// Text as one line of a list, cut to its limit.
pub(super) fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    fenced(&words.join(" ").chars().take(MAX_LINE).collect::<String>())
}

/// At most so many bytes of a text, whole characters only.
pub(super) fn cut(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(max_bytes.saturating_sub(MORE.len()));
    format!("{}{MORE}", text.get(..end).unwrap_or_default())
}
