//! Reads the files of the corpus.

use std::path::{Path, PathBuf};

use tarsy_evidence::{Call, Evidence, Verdict};

/// What a sample is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Citation,
    Name,
    Number,
    Quotation,
    Time,
}

pub(crate) struct Recorded {
    pub(crate) number: u32,
    pub(crate) tool: String,
    arguments: String,
    pub(crate) text: String,
    answered_at: Option<jiff::Timestamp>,
}

impl Recorded {
    fn call(&self) -> Call<'_> {
        let Self { number, tool, arguments, text, answered_at } = self;
        Call { number: *number, tool, arguments, text, answered_at: *answered_at }
    }
}

/// A text that is true or false.
#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) is_true: bool,
    /// The verdict that some claim in it must get.
    pub(crate) verdict: Option<Verdict>,
    /// `hand`, or the mutation that made it.
    pub(crate) origin: &'static str,
}

/// One file.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) calls: Vec<Recorded>,
    given: String,
    pub(crate) samples: Vec<Sample>,
}

impl Case {
    pub(crate) fn evidence(&self) -> Evidence {
        let calls: Vec<Call<'_>> = self.calls.iter().map(Recorded::call).collect();
        Evidence::new(&calls, &[&self.given])
    }
}

pub(crate) fn cases() -> Vec<Case> {
    in_folder("tests/corpus", samples)
}

/// The files of a folder, whose texts are read so.
pub(crate) fn in_folder(folder: &str, samples: fn(&str, bool) -> Vec<Sample>) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&root).expect("the corpus");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    files.iter().map(|file| case(file, samples)).collect()
}

fn case(file: &Path, samples: fn(&str, bool) -> Vec<Sample>) -> Case {
    let text = std::fs::read_to_string(file).expect("text");
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let mut case = Case { name, calls: Vec::new(), given: String::new(), samples: Vec::new() };
    for section in text.split("\n=== ").skip(1) {
        let (head, body) = section.split_once('\n').unwrap_or((section, ""));
        let mut words = head.splitn(2, ' ');
        match words.next().expect("a word") {
            "call" => case.calls.push(recorded(words.next().expect("a call"), body)),
            "given" => body.clone_into(&mut case.given),
            "true" => case.samples.extend(samples(body, true)),
            "false" => case.samples.extend(samples(body, false)),
            other => panic!("{}: unknown section {other}", case.name),
        }
    }
    case
}

/// `1 kubectl.get_pods {"namespace":"shop"} at 2026-11-23T14:10:00Z`
fn recorded(head: &str, body: &str) -> Recorded {
    let (head, at) =
        head.split_once(" at ").map_or((head, None), |(head, at)| (head, Some(at.trim())));
    let mut words = head.splitn(3, ' ');
    Recorded {
        number: words.next().and_then(|number| number.parse().ok()).expect("a number"),
        tool: words.next().expect("a tool").to_owned(),
        arguments: words.next().unwrap_or("{}").to_owned(),
        text: body.to_owned(),
        answered_at: at.map(|at| at.parse().expect("a timestamp")),
    }
}

/// A text a line, of any kind; `\n` in it begins a line.
pub(crate) fn plain(body: &str, is_true: bool) -> Vec<Sample> {
    let lines = body.lines().filter(|line| !line.trim().is_empty());
    let sample = |line: &str| Sample {
        kind: Kind::Number,
        text: line.replace("\\n", "\n"),
        is_true,
        verdict: None,
        origin: "hand",
    };
    lines.map(sample).collect()
}

/// `number | text`, or `number contradicted | text`; `\n` in it begins a line.
fn samples(body: &str, is_true: bool) -> Vec<Sample> {
    let lines = body.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let (head, text) = line.split_once(" | ").unwrap_or_else(|| panic!("no bar: {line}"));
            let mut words = head.split_whitespace();
            let kind = match words.next() {
                Some("number") => Kind::Number,
                Some("time") => Kind::Time,
                Some("quote") => Kind::Quotation,
                Some("name") => Kind::Name,
                Some("cite") => Kind::Citation,
                other => panic!("unknown kind {other:?}: {line}"),
            };
            let verdict = words.next().map(|word| match word {
                "contradicted" => Verdict::Contradicted,
                "elsewhere" => Verdict::SupportedElsewhere,
                "none" => Verdict::NoSuchCall,
                "unsupported" => Verdict::Unsupported,
                "uncited" => Verdict::Uncited,
                other => panic!("unknown verdict {other}: {line}"),
            });
            Sample { kind, text: text.replace("\\n", "\n"), is_true, verdict, origin: "hand" }
        })
        .collect()
}
