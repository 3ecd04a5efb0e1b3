//! Expressions as Go's package `regexp` reads them, in the syntax of the crate `regex`.

mod spelling;

use std::borrow::Cow;
use std::ops::Range;

use regex::Regex;
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    self, AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSetBinaryOp, ClassSetItem, Repetition,
    RepetitionKind, RepetitionRange, Span, Visitor,
};

/// What Go understands by the expression: `\w`, `\d`, `\s` and `\b` know ASCII alone, while `\W`, `\S`, `\D` and `[^a]` are whole
/// characters of any alphabet. None if it is an expression neither for Go nor for `regex`.
pub(crate) fn read(pattern: &str) -> Option<String> {
    narrowed(&parseable(pattern), Places::default())
}

/// The same, in which a repeat of a class such as `\pL` has no upper bound: of 1,000 letters each takes many KiB.
pub(crate) fn read_without_bounds(pattern: &str) -> Option<String> {
    let pattern = parseable(pattern);
    narrowed(&pattern, Places { unbounded_in: Some(&pattern), ..Places::default() })
}

/// What Go understands by an expression that means something else to `regex`: `\<`, and `[`, `&&`, `--` or `~~` in a class. None if
/// the two agree, or it is none for Go.
pub(crate) fn other_reading(pattern: &str) -> Option<String> {
    let parsed = Parser::new().parse(pattern).ok()?;
    let Ok(differs) = ast::visit(&parsed, Differs(false));
    differs.then(|| narrowed(&spelling::spelled(pattern), Places::default()))?
}

/// A replacement whose references name the groups as they are spelled in the expression that was compiled.
pub(crate) fn references(replacement: &str, pattern: &str, compiled: &Regex) -> String {
    let begins_with_digit = |name: &&str| {
        let written = name
            .strip_prefix('_')
            .filter(|name| name.starts_with(|one: char| one.is_ascii_digit()));
        written.is_some_and(|written| pattern.contains(&format!("<{written}>")))
    };
    let renamed = compiled.capture_names().flatten().filter(begins_with_digit);
    renamed.fold(replacement.to_owned(), |replacement, name| {
        let written = name.strip_prefix('_').unwrap_or(name);
        let renamed = format!("${{{name}}}");
        let braced = replacement.replace(&format!("${{{written}}}"), &renamed);
        braced.replace(&format!("${written}"), &renamed)
    })
}

fn parseable(pattern: &str) -> Cow<'_, str> {
    if regex_syntax::parse(pattern).is_ok() {
        return Cow::Borrowed(pattern);
    }
    Cow::Owned(spelling::spelled(pattern))
}

/// The expression with what is at `places` replaced.
fn narrowed(pattern: &str, places: Places<'_>) -> Option<String> {
    let parsed = Parser::new().parse(pattern).ok()?;
    let Ok(places) = ast::visit(&parsed, places);
    let (mut narrow, mut at) = (String::new(), 0);
    for (range, replacement) in places {
        narrow.push_str(pattern.get(at..range.start).unwrap_or_default());
        narrow.push_str(&replacement);
        at = range.end;
    }
    narrow.push_str(pattern.get(at..).unwrap_or_default());
    Some(narrow)
}

/// Whether something is written that Go reads otherwise than `regex`.
struct Differs(bool);

impl Visitor for Differs {
    type Output = bool;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<bool, Self::Err> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        if let Ast::Assertion(assertion) = ast {
            use AssertionKind::{WordBoundaryEndAngle, WordBoundaryStartAngle};
            self.0 |= matches!(assertion.kind, WordBoundaryStartAngle | WordBoundaryEndAngle);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        self.0 |= matches!(item, ClassSetItem::Bracketed(_));
        Ok(())
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &ClassSetBinaryOp) -> Result<(), Self::Err> {
        self.0 = true;
        Ok(())
    }
}

/// Where something is written that means another thing in Go, and what says that to `regex`.
#[derive(Default)]
struct Places<'a> {
    found: Vec<(Range<usize>, Cow<'static, str>)>,
    /// The expression, if its repeats of classes of Unicode lose their upper bound.
    unbounded_in: Option<&'a str>,
}

impl Places<'_> {
    fn add(&mut self, span: Span, replacement: impl Into<Cow<'static, str>>) {
        self.found.push((span.start.offset..span.end.offset, replacement.into()));
    }

    /// Takes the upper bound from a repeat of what has a class of Unicode.
    fn unbind(&mut self, repeated: &Repetition) {
        let inner = repeated.ast.span();
        let inner = self.unbounded_in.and_then(|all| all.get(inner.start.offset..inner.end.offset));
        let of_unicode = inner.is_some_and(|inner| inner.contains(r"\p") || inner.contains(r"\P"));
        let RepetitionKind::Range(RepetitionRange::Bounded(least, _)) = repeated.op.kind else {
            return;
        };
        if of_unicode {
            let lazy = if repeated.greedy { "" } else { "?" };
            self.add(repeated.op.span, format!("{{{least},}}{lazy}"));
        }
    }
}

impl Visitor for Places<'_> {
    type Output = Vec<(Range<usize>, Cow<'static, str>)>;
    type Err = std::convert::Infallible;

    fn finish(mut self) -> Result<Self::Output, Self::Err> {
        self.found.sort_by_key(|(place, _)| place.start);
        Ok(self.found)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        match ast {
            Ast::ClassPerl(class) => self.add(class.span, of_ascii(class)),
            Ast::Repetition(repeated) => self.unbind(repeated),
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
