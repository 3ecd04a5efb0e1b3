//! The identifiers of a text, without its comments and strings.

use std::path::Path;

/// What decides where comments and strings begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Python,
    TypeScript,
    Sql,
}

impl Language {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "rs" => Some(Self::Rust),
            "py" => Some(Self::Python),
            "ts" | "tsx" | "mjs" => Some(Self::TypeScript),
            "sql" => Some(Self::Sql),
            _ => None,
        }
    }

    fn line_comment(self) -> &'static str {
        match self {
            Self::Rust | Self::TypeScript => "//",
            Self::Python => "#",
            Self::Sql => "--",
        }
    }

    fn has_block_comments(self) -> bool {
        self != Self::Python
    }

    /// What encloses strings; a quote of Rust begins a character or a lifetime.
    fn quotes(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &["\""],
            Self::Python => &["\"\"\"", "'''", "\"", "'"],
            Self::TypeScript => &["`", "\"", "'"],
            Self::Sql => &["'"],
        }
    }
}

/// Each identifier with its line, counted from 1.
pub(crate) fn identifiers(text: &str, language: Language) -> Vec<(String, usize)> {
    let mut lexer = Lexer { rest: text, line: 1 };
    let mut found = Vec::new();
    while !lexer.rest.is_empty() {
        if lexer.skip_comment(language) || lexer.skip_string(language) {
            continue;
        }
        let length = identifier_length(lexer.rest);
        if length == 0 {
            lexer.skip(lexer.rest.chars().next().map_or(1, char::len_utf8));
            continue;
        }
        let (identifier, _) = lexer.rest.split_at(length);
        if !identifier.starts_with(|first: char| first.is_ascii_digit()) {
            found.push((identifier.to_owned(), lexer.line));
        }
        lexer.skip(length);
    }
    found
}

fn identifier_length(text: &str) -> usize {
    text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len())
}

struct Lexer<'t> {
    rest: &'t str,
    line: usize,
}

impl Lexer<'_> {
    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.line += skipped.matches('\n').count();
        self.rest = rest;
    }

    fn skip_comment(&mut self, language: Language) -> bool {
        if self.rest.starts_with(language.line_comment()) {
            self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
            return true;
        }
        if language.has_block_comments() && self.rest.starts_with("/*") {
            self.skip(self.rest.find("*/").map_or(self.rest.len(), |end| end + 2));
            return true;
        }
        false
    }

    fn skip_string(&mut self, language: Language) -> bool {
        if language == Language::Rust && (self.skip_raw_string() || self.skip_character()) {
            return true;
        }
        let Some(quote) = language.quotes().iter().find(|quote| self.rest.starts_with(**quote))
        else {
            return false;
        };
        self.skip(quote.len());
        // An apostrophe in the text of a page opens no string that goes past its line.
        let spans_lines = quote.len() == 3
            || *quote == "`"
            || language == Language::Rust
            || language == Language::Sql;
        let end = string_end(self.rest, quote, spans_lines);
        self.skip(end);
        true
    }

    /// A quote that is closed after one character; else it begins a lifetime.
    fn skip_character(&mut self) -> bool {
        let Some(after) = self.rest.strip_prefix('\'') else { return false };
        let length = if after.starts_with('\\') {
            after.get(2..).and_then(|after| after.find('\'')).map(|end| end + 2)
        } else {
            after
                .chars()
                .next()
                .map(char::len_utf8)
                .filter(|&end| after.get(end..).is_some_and(|rest| rest.starts_with('\'')))
        };
        let Some(length) = length else { return false };
        self.skip(length + 2);
        true
    }

    fn skip_raw_string(&mut self) -> bool {
        let Some(after) = self.rest.strip_prefix('r').or_else(|| self.rest.strip_prefix("br"))
        else {
            return false;
        };
        let hashes = after.len() - after.trim_start_matches('#').len();
        let opened = after.get(hashes..).is_some_and(|after| after.starts_with('"'));
        if !opened {
            return false;
        }
        let open = self.rest.len() - after.len() + hashes + 1;
        let close = format!("\"{}", "#".repeat(hashes));
        let body = self.rest.get(open..).unwrap_or_default();
        self.skip(body.find(&close).map_or(self.rest.len(), |end| open + end + close.len()));
        true
    }
}

fn string_end(text: &str, quote: &str, spans_lines: bool) -> usize {
    let mut position = 0;
    while let Some(rest) = text.get(position..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(quote) {
            return position + quote.len();
        }
        if rest.starts_with('\n') && !spans_lines {
            return position;
        }
        let escaped = rest.starts_with('\\');
        position +=
            rest.chars().take(if escaped { 2 } else { 1 }).map(char::len_utf8).sum::<usize>();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, language: Language) -> Vec<String> {
        identifiers(text, language).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn comments_and_strings_hold_no_identifiers() {
        let rust = "let a = \"b \\\" c\"; // d\n/* e */ r#\"f \" g\"#; '\"'; '\\''; x::<'i>";
        assert_eq!(names(rust, Language::Rust), ["let", "a", "x", "i"]);
        let python = "def a(): # b\n    \"\"\"c\nd\"\"\"\n    return 'e' + f";
        assert_eq!(names(python, Language::Python), ["def", "a", "return", "f"]);
        let script = "const a = `b\nc`; // d\n<p>don't</p>\ne";
        assert_eq!(names(script, Language::TypeScript), ["const", "a", "p", "don", "e"]);
        let sql = "select a -- b\nfrom c where d = 'e'";
        assert_eq!(names(sql, Language::Sql), ["select", "a", "from", "c", "where", "d"]);
    }

    #[test]
    fn an_identifier_knows_its_line() {
        assert_eq!(
            identifiers("a\n\"x\ny\"\nb", Language::Rust),
            [("a".to_owned(), 1), ("b".to_owned(), 4)]
        );
    }
}
