//! Real-shaped texts from everywhere: each secret must go, each other byte must stay.
//!
//! The files in `tests/corpus` hold one case after the other. A case begins with a line
//! `=-= SHAPE | SOURCE FORMAT | WHAT IS SPECIAL`; the shape (`yaml`, `json`, `text`) says how it is read to see that its
//! structure survives. Secrets stand between `⟦` and `⟧`. What looks random is written as a recipe between `«` and `»`
//! and made here, so that no scanner takes these files for leaks.

mod recipe;
mod shape;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use tarsy_masking::{Live, Masker};

use crate::support::masker;

/// How many cases there must be of each sort.
const ENOUGH: usize = 300;
/// The classes of mistakes that maskers make, each with a file of its own on either side, and how many cases it must have.
const CLASSES: [&str; 6] = ["structure", "names", "values", "commands", "false-positives", "cost"];
const ENOUGH_OF_CLASS: usize = 20;

/// How long a text is that is written character by character, and how many bytes of its secret may be seen.
const MAX_WRITTEN: usize = 600;
const MAX_SEEN: usize = 6;

/// One text of the corpus.
struct Case {
    /// The file that it stands in.
    file: String,
    title: String,
    shape: String,
    /// What is masked.
    text: String,
    /// The same text, secrets and other parts in turn; the first part is none.
    parts: Vec<String>,
}

fn cases(folder: &str) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&root)
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("text");
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        for case in text.split("=-= ").skip(1) {
            let (head, body) = case.split_once('\n').expect("a head");
            let fields: Vec<&str> = head.split(" | ").collect();
            assert_eq!(fields.len(), 3, "{name}: {head}");
            let title = format!("{name}: {}, {}", fields[1], fields[2]);
            cases.push(case_of(name.clone(), title, fields[0], body));
        }
    }
    cases
}

fn case_of(file: String, title: String, shape: &str, body: &str) -> Case {
    let body = recipe::expand(body, &title);
    let parts: Vec<String> = body.split(['⟦', '⟧']).map(str::to_owned).collect();
    assert_eq!(parts.len() % 2, 1, "{title}: marks do not match");
    Case { file, title, shape: shape.to_owned(), text: parts.concat(), parts }
}

/// Why a text is not masked as it must be, if so.
fn complaint(case: &Case, got: &str) -> Option<String> {
    let mut rest = got;
    for (index, part) in case.parts.iter().enumerate() {
        if index % 2 == 0 {
            let Some(after) = rest.strip_prefix(part.as_str()) else {
                return Some(format!("what is no secret changed, or a secret stayed, at {part:?}"));
            };
            rest = after;
        } else {
            let Some(after) = after_mask(rest) else {
                return Some(format!("{part:?} was left, at {rest:?}"));
            };
            rest = after;
        }
    }
    shape::complaint(&case.shape, &case.text, got)
}

/// What follows a mask; JSON wants it in quotes where a number was.
fn after_mask(text: &str) -> Option<&str> {
    let bare = text.trim_start_matches('\\');
    let (text, quotes) = match bare.strip_prefix('"') {
        Some(inside) => (inside, text.len() - bare.len() + 1),
        None => (text, 0),
    };
    let rest = text.strip_prefix("[MASKED_")?.split_once(']')?.1;
    rest.get(quotes..)
}

fn run(masker: &Masker, cases: &[Case]) -> Vec<String> {
    let check = |case: &Case| {
        let got = masker.mask(&case.text).expect("maskable").text.into_owned();
        let again = masker.mask(&got).expect("maskable").text.into_owned();
        let why = complaint(case, &got)
            .or_else(|| (again != got).then(|| format!("masked again it is {again}")))?;
        Some(format!("── {}\n{}→\n{got}{why}\n", case.title, case.text))
    };
    cases.iter().filter_map(check).collect()
}

fn report(what: &str, cases: &[Case], failures: &[String]) {
    let passed = cases.len() - failures.len();
    let of_class =
        CLASSES.map(|class| (class, cases.iter().filter(|case| case.file == class).count()));
    let classes = of_class.map(|(class, count)| format!("{class} {count}")).join(", ");
    let line = format!("{what} {passed} of {}; {classes}\n", cases.len());
    std::io::stdout().lock().write_all(line.as_bytes()).expect("stdout");
    assert!(failures.is_empty(), "{line}{}", failures.join("\n"));
    assert!(cases.len() >= ENOUGH, "{line}");
    assert!(of_class.iter().all(|(_, count)| *count >= ENOUGH_OF_CLASS), "{line}");
}

#[test]
fn every_secret_of_the_corpus_is_masked_and_all_else_stays() {
    let cases = cases("positive");
    assert!(cases.iter().all(|case| case.parts.len() > 1), "a case without a secret");
    let failures = run(masker("security"), &cases);
    report("positives", &cases, &failures);
}

#[test]
fn nothing_of_the_corpus_is_masked_that_is_no_secret() {
    let cases = cases("negative");
    for group in ["security", "kubernetes"] {
        let failures = run(masker(group), &cases);
        report(&format!("negatives ({group})"), &cases, &failures);
    }
}

#[test]
fn no_vendor_token_is_left_that_a_plain_expression_would_find() {
    let rules: Vec<(&str, regex::Regex)> = tarsy_masking::vendor_expressions()
        .expect("the rules")
        .iter()
        .map(|(rule, expression)| (*rule, regex::Regex::new(expression).expect("compiles")))
        .collect();
    let mut seen = std::collections::BTreeSet::new();
    // A run of nothing but beginnings is a token to an expression, and none to the masker.
    for case in cases("positive").iter().filter(|case| case.file != "cost") {
        let got = masker("security").mask(&case.text).expect("maskable").text;
        for (rule, regex) in &rules {
            if regex.is_match(&case.text) {
                seen.insert(*rule);
            }
            assert!(!regex.is_match(&got), "{rule} in {}:\n{got}", case.title);
        }
    }
    // The corpus has an example of most of them.
    assert!(seen.len() * 10 >= rules.len() * 8, "{} of {}", seen.len(), rules.len());
}

/// The longest part of a secret, in bytes, that a text shows, beside what its other parts have as well.
fn shown(case: &Case, given: &str) -> usize {
    let others: String =
        case.parts.iter().step_by(2).map(String::as_str).collect::<Vec<_>>().join("\n");
    let secrets = case.parts.iter().skip(1).step_by(2);
    let longest = secrets.map(|secret| {
        let signs: Vec<char> = secret.chars().collect();
        let parts = (0..signs.len())
            .flat_map(|from| (from + 1..=signs.len()).rev().map(move |to| (from, to)));
        let found = parts
            .map(|(from, to)| signs[from..to].iter().collect::<String>())
            .filter(|part| given.contains(part.as_str()) && !others.contains(part.as_str()));
        found.map(|part| part.len()).max().unwrap_or(0)
    });
    longest.max().unwrap_or(0)
}

/// What is given out of a text that is written so many characters at a time.
fn written(masker: &Masker, text: &str, size: usize) -> String {
    let signs: Vec<char> = text.chars().collect();
    let (mut live, mut given) = (Live::default(), String::new());
    for chunk in signs.chunks(size) {
        let chunk: String = chunk.iter().collect();
        given.push_str(&live.push(masker, &chunk).expect("maskable"));
    }
    given + &live.finish(masker).expect("maskable")
}

/// Of tokens the letters before the first digit, sign or capital may be seen, which is the prefix of their vendor. What a
/// later line alone makes a secret may be seen in prose: a table is given out row by row, a pipe after a whole command.
#[test]
fn a_text_that_is_written_shows_a_secret_in_one_case_of_a_hundred_at_most() {
    let cases = cases("positive");
    let short = cases.iter().filter(|case| case.text.len() < MAX_WRITTEN);
    let runs = short.flat_map(|case| [1, 4].map(|size| (case, size)));
    let (mut all, mut seen) = (0, Vec::new());
    for (case, size) in runs {
        let given = written(masker("security"), &case.text, size);
        all += 1;
        if shown(case, &given) > MAX_SEEN {
            seen.push(format!("── {}, {size} at a time\n{}→\n{given}\n", case.title, case.text));
        }
    }
    let line = format!("written: {} of {all} show more than {MAX_SEEN} bytes\n", seen.len());
    std::io::stdout().lock().write_all(line.as_bytes()).expect("stdout");
    assert!(all > 10 * ENOUGH && seen.len() * 100 <= all, "{line}{}", seen.join("\n"));
}
