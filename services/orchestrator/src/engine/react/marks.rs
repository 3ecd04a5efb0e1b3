//! The keywords of a `react` message, and how models write them.

/// The longest name of a tool, in bytes.
pub(super) const MAX_NAME: usize = 200;
/// How far before an input its action is looked for, in bytes: a name, the keyword, decoration.
const LOOKBACK: usize = MAX_NAME + 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Thought,
    Action,
    Input,
    Observation,
    Answer,
}

/// The longer words first: `action` begins `action input`.
const WORDS: [(&str, Mark); 10] = [
    ("action input", Mark::Input),
    ("action_input", Mark::Input),
    ("action-input", Mark::Input),
    ("actioninput", Mark::Input),
    ("final answer", Mark::Answer),
    ("final_answer", Mark::Answer),
    ("finalanswer", Mark::Answer),
    ("observation", Mark::Observation),
    ("thought", Mark::Thought),
    ("action", Mark::Action),
];

/// A keyword in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) mark: Mark,
    /// Where its first letter stands.
    pub(super) at: usize,
    pub(super) body: usize,
    pub(super) colon: bool,
}

/// How sure it must be that an `Action` in the middle of a text is meant as a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    /// An input follows it.
    Input,
    /// Nothing does: it must begin a line, or follow a sentence and have its colon.
    Position,
}

/// The keyword that the line at `at` begins with.
pub(super) fn head(text: &str, at: usize) -> Option<Found> {
    let line = text.get(at..)?.split('\n').next()?;
    let word = line.trim_start_matches(is_decoration);
    if let Some(found) = keyword(text, at + line.len() - word.len()) {
        return Some(found);
    }
    let item = word.strip_prefix("- ")?.trim_start_matches(is_decoration);
    keyword(text, at + line.len() - item.len()).filter(|found| found.mark == Mark::Input)
}

/// The keyword whose first letter stands at `at`.
pub(super) fn keyword(text: &str, at: usize) -> Option<Found> {
    let line = text.get(at..)?.split('\n').next()?;
    WORDS.iter().find_map(|(word, mark)| {
        let head = line.get(..word.len())?;
        if !head.eq_ignore_ascii_case(word) {
            return None;
        }
        let rest = line.get(word.len()..)?;
        if rest.starts_with(|letter: char| letter.is_alphabetic()) {
            return None;
        }
        let after = rest
            .trim_start_matches(|letter: char| " *_`".contains(letter) || letter.is_ascii_digit());
        let body = after.strip_prefix(':').or_else(|| after.strip_prefix('：'));
        let colon = body.is_some();
        let mut body = body.unwrap_or(after);
        let is_closed = rest.len() > after.len()
            && rest.get(..rest.len() - after.len()).is_some_and(|gap| gap.contains(['*', '_']));
        if colon && !is_closed {
            body = without_emphasis(text.get(..at).unwrap_or_default(), body);
        }
        Some(Found { mark: *mark, at, body: at + line.len() - body.len(), colon })
    })
}

/// A body without the end of the emphasis that its keyword begins with.
fn without_emphasis<'a>(before: &str, body: &'a str) -> &'a str {
    let open = before.len() - before.trim_end_matches(['*', '_']).len();
    let run = body.len() - body.trim_start_matches(['*', '_']).len();
    if open > 0 {
        body.get(run.min(open)..).unwrap_or(body)
    } else {
        body.strip_prefix("** ").unwrap_or(body)
    }
}

/// The inputs in `text[from..to]`, wherever they stand in their lines.
pub(super) fn inputs(text: &str, from: usize, to: usize) -> impl Iterator<Item = Found> {
    let part = text.get(from..to).unwrap_or_default();
    let lower = part.to_ascii_lowercase();
    let starts: Vec<_> = lower.match_indices("action").map(|(at, _)| from + at).collect();
    starts.into_iter().filter_map(|at| keyword(text, at).filter(|one| one.mark == Mark::Input))
}

/// An answer in the middle of a line of `text[from..to]`, after a sentence.
pub(super) fn inline_answer(text: &str, from: usize, to: usize) -> Option<Found> {
    let part = text.get(from..to)?;
    part.match_indices("Final Answer").find_map(|(at, _)| {
        let found = keyword(text, from + at)?;
        let before = text.get(..found.at)?;
        let rest = text.get(found.body..to)?.trim();
        // Without its colon it must begin a sentence, not a quotation.
        let begins = before.trim_end_matches([' ', '*', '_']).ends_with(['.', '!', '?']);
        let is_meant = begins && !rest.is_empty() && !is_about_the_answer(rest);
        (if found.colon { ends_sentence(before) } else { is_meant }).then_some(found)
    })
}

/// Whether words behind a `Final Answer` without colon make it the subject of a sentence, as in "Final Answer is not known
/// yet". An object of Kubernetes begins with a small letter, too: "Final Answer pod-2 restarts".
pub(super) fn is_about_the_answer(rest: &str) -> bool {
    const GO_ON: &str = "about after and as at based because before below by can cannot can't comes could depends does \
                         doesn't follows for from has in isn't is may might must needs not of on only or please requires \
                         should so that to until was when will with without won't would yet";
    let word = rest.split([' ', '\n', '\t', ',', '.', ':', ';']).next().unwrap_or_default();
    word.starts_with(char::is_lowercase) && GO_ON.split_whitespace().any(|known| known == word)
}

/// The call that stands directly before `to`, not before `from`.
pub(super) fn action_before(
    text: &str,
    (from, to): (usize, usize),
    certainty: Certainty,
) -> Option<Found> {
    let mut start = from.max(to.saturating_sub(LOOKBACK));
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let part = text.get(start..to)?;
    let lower = part.to_ascii_lowercase();
    let mut found = lower.rmatch_indices("action").filter_map(|(at, _)| {
        let found = keyword(text, start + at).filter(|found| found.mark == Mark::Action)?;
        tool_name(text.get(found.body..to)?)?;
        is_meant(text, found, certainty).then_some(found)
    });
    found.next()
}

fn is_meant(text: &str, found: Found, certainty: Certainty) -> bool {
    let before = text.get(..found.at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    if line.chars().all(|letter| is_decoration(letter) || letter == '-') {
        return true;
    }
    match certainty {
        Certainty::Input => {
            !before.ends_with(|letter: char| letter.is_alphanumeric() || "_-`".contains(letter))
        }
        Certainty::Position => {
            let title = text.get(found.at..).is_some_and(|word| word.starts_with('A'));
            title && found.colon && ends_sentence(before)
        }
    }
}

fn ends_sentence(before: &str) -> bool {
    before
        .trim_end_matches([' ', '\t', '*', '_'])
        .ends_with(['.', '!', '?', ':', ';', ')', '\n', '。', '！', '？'])
}

/// The name of a tool with its server, `host.load`, or a call of it, `host.load({})`.
pub(super) fn tool_name(value: &str) -> Option<&str> {
    let value = bare(value);
    let name = match value.split_once('(') {
        Some((name, rest)) if rest.ends_with(')') => bare(name),
        Some(_) => return None,
        None => value,
    };
    let has_server = name.split('.').count() > 1 && name.split('.').all(|part| !part.is_empty());
    let begins = name.starts_with(|letter: char| letter.is_alphabetic());
    (has_server && begins && is_name(name)).then_some(name)
}

/// Whether it can be the name of a tool.
pub(super) fn is_name(name: &str) -> bool {
    let proper = |letter: char| letter.is_alphanumeric() || "_-./:".contains(letter);
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(proper)
}

/// A name without what models decorate it with.
pub(super) fn bare(name: &str) -> &str {
    let name =
        name.trim_matches(|letter: char| letter.is_whitespace() || "`'\"*[]<>".contains(letter));
    name.trim_end_matches(|letter: char| letter.is_whitespace() || ".,;:`'\"*]>".contains(letter))
}

fn is_decoration(letter: char) -> bool {
    letter.is_whitespace() || "*_#>`".contains(letter)
}
