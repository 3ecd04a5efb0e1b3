//! Expressions as Go's package `regexp` reads them, in the syntax of the crate `regex`.

mod spelling;

use std::ops::Range;

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    self, AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSetItem, Span, Visitor,
};

/// What Go understands by the expression: `\w`, `\d`, `\s` and `\b` know ASCII alone, while `\W`, `\S`, `\D` and `[^a]` are whole
/// characters of any alphabet. None if it is an expression neither for Go nor for `regex`.
pub(crate) fn read(pattern: &str) -> Option<String> {
    if regex_syntax::parse(pattern).is_ok() {
        return narrowed(pattern);
    }
    narrowed(&spelling::spelled(pattern))
}

/// The expression with the classes and boundaries of Perl made those of ASCII.
fn narrowed(pattern: &str) -> Option<String> {
    let parsed = Parser::new().parse(pattern).ok()?;
    let Ok(places) = ast::visit(&parsed, Places::default());
    let (mut narrow, mut at) = (String::new(), 0);
    for (range, replacement) in places {
        narrow.push_str(pattern.get(at..range.start).unwrap_or_default());
        narrow.push_str(replacement);
        at = range.end;
    }
    narrow.push_str(pattern.get(at..).unwrap_or_default());
    Some(narrow)
}

/// Where something is written that means another thing in Go, in the order of the text, and what says that to `regex`.
#[derive(Default)]
struct Places(Vec<(Range<usize>, &'static str)>);

impl Places {
    fn add(&mut self, span: Span, replacement: &'static str) {
        self.0.push((span.start.offset..span.end.offset, replacement));
    }
}

impl Visitor for Places {
    type Output = Vec<(Range<usize>, &'static str)>;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Self::Output, Self::Err> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        match ast {
            Ast::ClassPerl(class) => self.add(class.span, of_ascii(class)),
            Ast::Assertion(assertion) => match assertion.kind {
                AssertionKind::WordBoundary => self.add(assertion.span, r"(?-u:\b)"),
                AssertionKind::NotWordBoundary => self.add(assertion.span, r"(?-u:\B)"),
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        if let ClassSetItem::Perl(class) = item {
            self.add(class.span, of_ascii(class));
        }
        Ok(())
    }
}

fn of_ascii(class: &ClassPerl) -> &'static str {
    match (&class.kind, class.negated) {
        (ClassPerlKind::Digit, false) => "[0-9]",
        (ClassPerlKind::Digit, true) => "[^0-9]",
        (ClassPerlKind::Space, false) => r"[\t\n\f\r\x20]",
        (ClassPerlKind::Space, true) => r"[^\t\n\f\r\x20]",
        (ClassPerlKind::Word, false) => "[0-9A-Za-z_]",
        (ClassPerlKind::Word, true) => "[^0-9A-Za-z_]",
    }
}
