//! Feeds the masker with truncated, mixed and nested texts of the corpus until the time is over: `cargo run --release -p
//! tarsy-masking --example fuzz -- MINUTES [SEED]`.
//!
//! Nothing may panic, masking what is masked may change nothing, a stream gives what the whole text gives, and JSON stays
//! JSON of the same shape. The first text that breaks one of these is printed with its seed, and the run fails.

#[path = "../tests/it/fragments.rs"]
mod fragments;
#[path = "../tests/it/corpus/recipe.rs"]
#[expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a recipe that cannot be made is a mistake in the corpus"
)]
mod recipe;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::Value;
use tarsy_masking::{Masker, known_groups};

use crate::fragments::FRAGMENTS;

/// How long a made text is at most.
const MAX_TEXT: usize = 6000;
/// Keys of made documents; none is a secret itself.
const KEYS: [&str; 10] =
    ["a", "name", "password", "api_key", "items", "value", "kind", "data", "message", "token"];

/// A small generator of numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.roll(from.len()))
    }
}

fn main() -> ExitCode {
    let mut arguments =
        std::env::args().skip(1).map(|argument| argument.parse::<u64>().unwrap_or(1));
    let minutes = arguments.next().unwrap_or(1);
    let seed = arguments.next().unwrap_or(0x9e37_79b9_7f4a_7c15).max(1);
    let outcome = run(Duration::from_secs(60 * minutes), seed);
    let (line, code) = match outcome {
        Ok(texts) => (format!("clean: {texts} texts in {minutes} minutes\n"), ExitCode::SUCCESS),
        Err(why) => (format!("{why}\n"), ExitCode::FAILURE),
    };
    let written = std::io::stdout().lock().write_all(line.as_bytes());
    if written.is_ok() { code } else { ExitCode::FAILURE }
}

fn run(time: Duration, seed: u64) -> Result<u64, String> {
    let corpus = corpus().map_err(|error| format!("no corpus: {error}"))?;
    let maskers: Vec<(&str, Masker)> = known_groups()
        .map(|group| Masker::builder().group(group).build().map(|masker| (group, masker)))
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    let mut texts = 0;
    while start.elapsed() < time {
        texts += 1;
        let mut dice = Dice(seed.wrapping_mul(2 * texts + 1) | 1);
        for _ in 0..8 {
            dice.roll(2);
        }
        let document = (dice.roll(3) == 0).then(|| document(&mut dice, &corpus, 3));
        let text = match &document {
            Some(document) if dice.roll(2) == 0 => format!("{document:#}"),
            Some(document) => document.to_string(),
            None => truncated(&mut dice, &corpus),
        };
        for (group, masker) in &maskers {
            if let Err(why) = check(masker, &text, document.as_ref()) {
                return Err(format!(
                    "text {texts} of seed {seed}, group {group}: {why}\n── text\n{text}"
                ));
            }
        }
    }
    Ok(texts)
}

/// All texts of the corpus, without its marks.
fn corpus() -> std::io::Result<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut texts = Vec::new();
    for folder in ["positive", "negative"] {
        for entry in std::fs::read_dir(root.join(folder))? {
            let file = std::fs::read_to_string(entry?.path())?;
            let cases = file.split("=-= ").skip(1).filter_map(|case| case.split_once('\n'));
            texts.extend(
                cases.map(|(head, body)| recipe::expand(body, head).replace(['⟦', '⟧'], "")),
            );
        }
    }
    // Folders are listed in any order; a seed must mean the same everywhere.
    texts.sort_unstable();
    Ok(texts)
}

/// Parts of several texts, truncated and glued.
fn truncated(dice: &mut Dice, corpus: &[String]) -> String {
    let mut text = String::new();
    for _ in 0..=dice.roll(6) {
        if dice.roll(3) == 0 {
            text.push_str(dice.pick(&FRAGMENTS).copied().unwrap_or_default());
            continue;
        }
        let source = dice.pick(corpus).map_or("", String::as_str);
        let from =
            source.floor_char_boundary(if dice.roll(2) == 0 { 0 } else { dice.roll(source.len()) });
        let rest = source.get(from..).unwrap_or_default();
        let length = if dice.roll(2) == 0 { rest.len() } else { dice.roll(rest.len()) };
        text.push_str(rest.get(..rest.floor_char_boundary(length)).unwrap_or_default());
    }
    for _ in 0..dice.roll(4) {
        let at = text.floor_char_boundary(dice.roll(text.len() + 1));
        if dice.roll(2) == 0 {
            text.insert_str(at, dice.pick(&FRAGMENTS).copied().unwrap_or_default());
        } else {
            let end = text.ceil_char_boundary(at + dice.roll(20));
            text.replace_range(at..end, "");
        }
    }
    text.truncate(text.floor_char_boundary(MAX_TEXT));
    text
}

/// A document whose strings are texts of the corpus.
fn document(dice: &mut Dice, corpus: &[String], depth: usize) -> Value {
    match dice.roll(if depth == 0 { 4 } else { 7 }) {
        0 => Value::from(dice.roll(1_000_000_000)),
        1 => Value::Bool(dice.roll(2) == 0),
        2 => Value::String(dice.pick(&FRAGMENTS).copied().unwrap_or_default().to_owned()),
        3 => Value::String(truncated(dice, corpus)),
        4 => (0..dice.roll(4)).map(|_| document(dice, corpus, depth - 1)).collect(),
        _ => {
            let fields = (0..dice.roll(5)).map(|_| {
                let key = dice.pick(&KEYS).copied().unwrap_or("a").to_owned();
                (key, document(dice, corpus, depth - 1))
            });
            Value::Object(fields.collect())
        }
    }
}

fn check(masker: &Masker, text: &str, document: Option<&Value>) -> Result<(), String> {
    let once = masker.mask(text).map_err(|error| error.to_string())?.text.into_owned();
    let twice = masker.mask(&once).map_err(|error| error.to_string())?.text.into_owned();
    if once != twice {
        return Err(format!("not stable\n── once\n{once}\n── twice\n{twice}"));
    }
    let mut stream = masker.stream();
    let middle = text.floor_char_boundary(text.len() / 2);
    let streamed = text.split_at(middle);
    let mut fragments = stream.push(streamed.0).map_err(|error| error.to_string())?;
    fragments.push_str(&stream.push(streamed.1).map_err(|error| error.to_string())?);
    fragments.push_str(&stream.finish().map_err(|error| error.to_string())?.text);
    if fragments != once {
        return Err(format!("a stream gives\n{fragments}\n── and the whole\n{once}"));
    }
    let Some(document) = document else { return Ok(()) };
    let parsed: Value = serde_json::from_str(&once)
        .map_err(|error| format!("no JSON any more, {error}\n── masked\n{once}"))?;
    if same_shape(document, &parsed) {
        Ok(())
    } else {
        Err(format!("another shape\n── masked\n{once}"))
    }
}

fn same_shape(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|((key, a), (other, b))| key == other && same_shape(a, b))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_shape(a, b))
        }
        (Value::Object(_) | Value::Array(_), _) => false,
        (a, b) => a == b || matches!(b, Value::String(text) if text.contains("[MASKED_")),
    }
}
