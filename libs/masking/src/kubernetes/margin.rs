//! What stands before each line of YAML that is quoted, commented out, framed or part of a patch.

use memchr::memchr_iter;

/// How the lines of a text begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Margin {
    /// With the YAML itself.
    Nothing,
    /// With marks of quotations, comments or frames: `> data:`, `# data:`, `│ data:`.
    Marks,
    /// With one character of a patch: `+  password: …`, or a blank where nothing changed.
    Patch,
}

/// Marks before a quoted line; the blanks behind them belong to its indentation.
const MARKS: [&str; 8] = [">", "<", "|", "#", "│", "┃", "║", "▏"];
/// How many quotations may lie inside one another.
const MAX_MARKS: usize = 4;

impl Margin {
    /// The ways to read a text: as it stands, and without the margins that some of its lines have.
    pub(super) fn of(text: &str) -> impl Iterator<Item = Self> {
        let marks = has_line(text, |line| mark_of(line).is_some());
        let patch = has_line(text, |line| line.starts_with('+') || line.starts_with("@@"));
        [Some(Self::Nothing), marks.then_some(Self::Marks), patch.then_some(Self::Patch)]
            .into_iter()
            .flatten()
    }

    /// The bytes at the start of a line that are its margin.
    pub(super) fn width(self, line: &str) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Patch => usize::from(line.starts_with([' ', '+', '-'])),
            Self::Marks => width_of_marks(line),
        }
    }
}

fn has_line(text: &str, is_one: impl Fn(&str) -> bool) -> bool {
    let starts = memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
    std::iter::once(0).chain(starts).any(|start| text.get(start..).is_some_and(&is_one))
}

/// The mark that a text begins with.
fn mark_of(text: &str) -> Option<&'static str> {
    MARKS.into_iter().find(|mark| text.starts_with(mark))
}

/// A blank between two marks separates them; behind the last one it is indentation.
fn width_of_marks(line: &str) -> usize {
    let mut width = 0;
    for _ in 0..MAX_MARKS {
        let rest = line.get(width..).unwrap_or_default();
        let next = rest.strip_prefix(' ').filter(|_| width > 0).unwrap_or(rest);
        let Some(mark) = mark_of(next) else { break };
        width = line.len() - next.len() + mark.len();
    }
    width
}
