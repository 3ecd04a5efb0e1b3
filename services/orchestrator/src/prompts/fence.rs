//! Text from outside is data: it stays between its markers and on its line.

/// The longest error on one line, in characters.
const MAX_LINE: usize = 500;

/// Text that cannot close the markers around it.
pub(super) fn fenced(text: &str) -> String {
    text.replace("<!--", "<!- -").replace("</", "<\u{200b}/")
}

/// Text as one line of a list, cut to its limit.
pub(super) fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    fenced(&words.join(" ").chars().take(MAX_LINE).collect::<String>())
}
