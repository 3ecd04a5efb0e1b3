//! Styles of our own, which no text of others has.

use std::fmt;
use std::sync::LazyLock;

use tarsy_visible::readable;
use uuid::Uuid;

/// Begins a command of ours until it is printed: an escape sequence with a number that nobody else knows.
static START: LazyLock<String> = LazyLock::new(|| {
    // The random bits of an id.
    let secret = Uuid::now_v7().as_u128() & ((1 << 62) - 1);
    format!("\u{1b}[{secret};")
});

#[derive(Clone, Debug)]
pub(crate) struct Styled<T> {
    text: T,
    codes: Vec<&'static str>,
}

pub(crate) fn style<T: fmt::Display>(text: T) -> Styled<T> {
    Styled { text, codes: Vec::new() }
}

impl<T> Styled<T> {
    pub(crate) fn bold(self) -> Self {
        self.with("1")
    }

    pub(crate) fn dim(self) -> Self {
        self.with("2")
    }

    pub(crate) fn underlined(self) -> Self {
        self.with("4")
    }

    pub(crate) fn red(self) -> Self {
        self.with("31")
    }

    pub(crate) fn green(self) -> Self {
        self.with("32")
    }

    pub(crate) fn yellow(self) -> Self {
        self.with("33")
    }

    pub(crate) fn cyan(self) -> Self {
        self.with("36")
    }

    fn with(mut self, code: &'static str) -> Self {
        self.codes.push(code);
        self
    }
}

impl<T: fmt::Display> fmt::Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !console::colors_enabled() {
            return self.text.fmt(f);
        }
        f.write_str(&START)?;
        f.write_str(&self.codes.join(";"))?;
        f.write_str("m")?;
        self.text.fmt(f)?;
        f.write_str(&START)?;
        f.write_str("0m")
    }
}

/// What is printed of a text: our styles, and everything else as it is read.
pub(super) fn printable(text: &str) -> String {
    let mut parts = text.split(START.as_str());
    let mut out = readable(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let (codes, rest) = part.split_once('m').unwrap_or_default();
        out.push_str("\u{1b}[");
        out.push_str(codes);
        out.push('m');
        out.push_str(&readable(rest));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_others_commands_no_terminal() {
        for (text, shown) in [
            ("\u{1b}[2K\rall is well", "[U+001B][2K[U+000D]all is well"),
            ("\u{1b}]0;title\u{7}", "[U+001B]]0;title[U+0007]"),
            ("\u{9b}1A\u{9d}52;c;eA==\u{9c}", "[U+009B]1A[U+009D]52;c;eA==[U+009C]"),
            ("rm \u{202e}gpj.exe", "rm [U+202E]gpj.exe"),
            // Nobody knows the number of our styles.
            ("\u{1b}[1;31mred", "[U+001B][1;31mred"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }

    #[test]
    fn styles_of_ours_are_printed_around_what_others_wrote() {
        let start = START.as_str();
        let styled = format!("{start}1;4mtool\u{1b}[8m{start}0m!");
        assert_eq!(printable(&styled), "\u{1b}[1;4mtool[U+001B][8m\u{1b}[0m!");
    }
}
