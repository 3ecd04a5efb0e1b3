//! Results of tool servers of other authors: the cause, the readings of the evidence checker, and claims about them.
//!
//! `tests/foreign/README.md` describes the files.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, iter};

use tarsy_analyst::Report;
use tarsy_domain::verdict::Confidence;
use tarsy_evidence::{Call, Evidence, read};

use crate::faults::{Case, Expected, cases, report, wrong};

/// Of the stated causes with confidence *high*, those that must be right.
const RIGHT_OF_HIGH: f64 = 0.9;
/// Of the incidents with a fault, those of which a cause must be stated.
const STATED: f64 = 0.7;
/// Of the true claims, those that may be marked.
const FALSE_MARKS: f64 = 0.01;
/// Of the false claims, those that must be marked: many are in sentences with several numbers (ADR 0132).
const TRUE_MARKS: f64 = 0.62;

#[derive(Default)]
struct Figures {
    faults: u32,
    right: u32,
    stated: u32,
    high: u32,
    high_right: u32,
    medium: u32,
    medium_right: u32,
    healthy: u32,
    false_causes: u32,
    readings: u32,
    readings_found: u32,
    true_claims: u32,
    false_marks: u32,
    false_claims: u32,
    true_marks: u32,
}

impl Figures {
    fn add(&mut self, other: &Self) {
        self.faults += other.faults;
        self.right += other.right;
        self.stated += other.stated;
        self.high += other.high;
        self.high_right += other.high_right;
        self.medium += other.medium;
        self.medium_right += other.medium_right;
        self.healthy += other.healthy;
        self.false_causes += other.false_causes;
        self.readings += other.readings;
        self.readings_found += other.readings_found;
        self.true_claims += other.true_claims;
        self.false_marks += other.false_marks;
        self.false_claims += other.false_claims;
        self.true_marks += other.true_marks;
    }

    fn row(&self, name: &str) -> String {
        format!(
            "{name:<16} A@1 {}/{}, stated {}, high right {}/{}, medium {}/{}, false causes {}/{}, readings {}/{}, marks of true claims {}/{}, of false ones {}/{}\n",
            self.right,
            self.faults,
            self.stated,
            self.high_right,
            self.high,
            self.medium_right,
            self.medium,
            self.false_causes,
            self.healthy,
            self.readings_found,
            self.readings,
            self.false_marks,
            self.true_claims,
            self.true_marks,
            self.false_claims,
        )
    }
}

fn share(part: u32, whole: u32) -> f64 {
    f64::from(part) / f64::from(whole.max(1))
}

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign");
    let mut files: Vec<_> = fs::read_dir(root).unwrap().map(|one| one.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|one| one == "txt"));
    files.sort();
    files
}

fn lines<'c>(case: &'c Case, mark: &str) -> impl Iterator<Item = &'c str> {
    case.head.lines().filter_map(move |line| line.strip_prefix(mark))
}

fn judge_cause(case: &Case, report: &Report, figures: &mut Figures, notes: &mut String) {
    let wrong = wrong(case, report);
    let is_stated = report.verdict.is_some();
    let is = |confidence: Confidence| {
        u32::from(report.verdict.as_ref().is_some_and(|one| one.confidence == confidence))
    };
    let right = u32::from(wrong.is_none());
    match case.expected {
        Expected::None(_) => {
            figures.healthy += 1;
            figures.false_causes += u32::from(is_stated);
        }
        Expected::Cause(_) => {
            figures.faults += 1;
            figures.stated += u32::from(is_stated);
            figures.right += right;
        }
    }
    figures.high += is(Confidence::High);
    figures.high_right += is(Confidence::High) * right;
    figures.medium += is(Confidence::Medium);
    figures.medium_right += is(Confidence::Medium) * right;
    if let Some(wrong) = wrong {
        let _ = writeln!(notes, "  cause: {wrong}");
    }
}

/// `= object | field | value`: the parts of the object, the end of the field, the value as it is shown.
fn judge_readings(case: &Case, figures: &mut Figures, notes: &mut String) {
    for line in lines(case, "= ") {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [object, field, value] = parts.as_slice() else { panic!("{line}") };
        let found = case.transcript.calls.iter().flat_map(|call| read(&call.text)).any(|one| {
            let has_object = object.is_empty() || one.object.parts().any(|part| part == *object);
            has_object && one.field.ends_with(field) && &*one.value.text == *value
        });
        figures.readings += 1;
        figures.readings_found += u32::from(found);
        if !found {
            let _ = writeln!(notes, "  reading: {}: {line}", case.name);
        }
    }
}

/// What is marked in a text, apart from that it cites no call.
fn marks(evidence: &Evidence, text: &str) -> Vec<String> {
    let shown = |one: &tarsy_evidence::Checked| {
        let claimed = text.get(one.claim.range.clone()).unwrap_or_default();
        format!("{:?} `{claimed}` {}", one.verdict, one.instead.as_deref().unwrap_or_default())
    };
    evidence.check(text).flagged().map(shown).collect()
}

fn judge_claims(case: &Case, report: &Report, figures: &mut Figures, notes: &mut String) {
    let calls = &case.transcript.calls;
    let arguments: Vec<String> = calls.iter().map(|call| call.arguments.to_string()).collect();
    let calls: Vec<Call<'_>> = iter::zip(calls, &arguments)
        .map(|(call, arguments)| Call {
            number: call.number,
            tool: &call.tool,
            arguments,
            text: &call.text,
            answered_at: case.transcript.received_at,
        })
        .collect();
    let evidence = Evidence::new(&calls, &[&case.transcript.alert]);
    for (mark, is_true) in [("+ ", true), ("- ", false)] {
        for claim in lines(case, mark) {
            let marks = marks(&evidence, claim);
            let is_marked = u32::from(!marks.is_empty());
            if is_true {
                figures.true_claims += 1;
                figures.false_marks += is_marked;
            } else {
                figures.false_claims += 1;
                figures.true_marks += is_marked;
            }
            if is_true != marks.is_empty() {
                let what = if is_true { "marked" } else { "missed" };
                let _ = writeln!(notes, "  {what}: {}: {claim} {marks:?}", case.name);
            }
        }
    }
    // What the analyst writes is true.
    figures.true_claims += 1;
    let marks = marks(&evidence, &report.markdown);
    if !marks.is_empty() {
        figures.false_marks += 1;
        let _ = writeln!(notes, "  marked in the report: {}: {marks:?}", case.name);
    }
}

#[test]
fn what_servers_of_others_answer_is_read_and_judged() {
    let mut all = Figures::default();
    let (mut table, mut notes) = (String::new(), String::new());
    for file in files() {
        let mut figures = Figures::default();
        for mut case in cases(&fs::read_to_string(&file).unwrap()) {
            for call in &mut case.transcript.calls {
                call.failed = call.text.starts_with("Error executing");
            }
            let report = report(&case.transcript);
            judge_cause(&case, &report, &mut figures, &mut notes);
            judge_readings(&case, &mut figures, &mut notes);
            judge_claims(&case, &report, &mut figures, &mut notes);
        }
        table += &figures.row(&file.file_stem().unwrap().to_string_lossy());
        all.add(&figures);
    }
    table += &all.row("all");
    std::io::stdout().lock().write_all(format!("{table}{notes}").as_bytes()).unwrap();
    assert!(share(all.high_right, all.high) >= RIGHT_OF_HIGH, "{notes}");
    assert!(share(all.stated, all.faults) >= STATED, "{notes}");
    assert_eq!(all.false_causes, 0, "{notes}");
    assert_eq!(all.readings_found, all.readings, "{notes}");
    assert!(share(all.false_marks, all.true_claims) <= FALSE_MARKS, "{notes}");
    assert!(share(all.true_marks, all.false_claims) >= TRUE_MARKS, "{notes}");
}
