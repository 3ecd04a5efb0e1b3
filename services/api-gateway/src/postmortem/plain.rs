//! Texts of others in Markdown, which format, mention and link nothing.

use tarsy_visible::readable;

/// Follows an `@`, so that what comes after is no mention.
const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// Without what would end it.
pub(super) fn address(link: &str) -> String {
    link.replace('<', "%3C")
        .replace('>', "%3E")
        .replace('|', "%7C")
        .replace(char::is_whitespace, "%20")
}

/// A text of somebody else on one line, shown letter by letter: nothing in it is markup or a mention.
pub(super) fn plain(text: &str) -> String {
    let flat = readable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut escaped = String::with_capacity(flat.len());
    let mark = list_mark(&flat);
    let mut before = ' ';
    let mut letters = flat.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map_or(' ', |(_, next)| *next);
        // Within a word it marks nothing.
        let is_edge = letter == '_' && !(before.is_alphanumeric() && next.is_alphanumeric());
        if r"\`*[]<>|~&".contains(letter) || is_edge || mark == Some(at) {
            escaped.push('\\');
        }
        escaped.push(letter);
        if letter == '@' {
            escaped.push(ZERO_WIDTH_SPACE);
        }
        before = letter;
    }
    escaped
}

/// Where the mark of a heading or of an entry of a list stands, if a text begins with one.
fn list_mark(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = text.get(digits..)?.chars();
    let (first, second) = (rest.next()?, rest.next().unwrap_or(' '));
    let is_mark = match first {
        '#' | '-' | '+' | '=' => digits == 0,
        '.' | ')' => digits > 0 && second == ' ',
        _ => false,
    };
    is_mark.then_some(digits)
}

/// A code span whose fence is longer than any in the text.
pub(super) fn code(text: &str) -> String {
    let flat = readable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let longest = flat.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{flat}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_somebody_else_is_no_markup() {
        for (text, expected) in [
            ("# a heading", r"\# a heading"),
            ("- a list", r"\- a list"),
            ("1. one", r"1\. one"),
            ("3.5 GiB", "3.5 GiB"),
            ("a | b\n\n| c", r"a \| b \| c"),
            ("[x](javascript:alert(1)) <script>", r"\[x\](javascript:alert(1)) \<script\>"),
            ("max_connections _now_", r"max_connections \_now\_"),
            ("ask @team/sre", "ask @\u{200b}team/sre"),
            ("safe\u{202e}gpj.exe", r"safe\[U+202E\]gpj.exe"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn a_quotation_keeps_its_letters() {
        assert_eq!(code("a `b` ``c``"), "``` a `b` ``c`` ```");
        assert_eq!(code("OOMKilled\nexit 137"), "`OOMKilled exit 137`");
        assert_eq!(address("https://a.example/<x>|y z"), "https://a.example/%3Cx%3E%7Cy%20z");
    }
}
