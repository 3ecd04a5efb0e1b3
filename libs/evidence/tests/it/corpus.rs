//! True and false claims over the output of real tools: how many false ones are flagged, and how many true ones.
//!
//! `tests/corpus/README.md` describes the files. Claims are written by hand; [`mutate`] derives more from them.

mod mutate;
pub(crate) mod parse;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use tarsy_evidence::{Evidence, Verdict};

use parse::{Case, Kind, Sample};

/// What the checker must reach for numbers, quotations, citations and names.
const PRECISION: f64 = 0.99;
const RECALL: f64 = 0.90;
/// Of numbers less: most in sentences with several are left out (ADR 0132).
const RECALL_OF_NUMBERS: f64 = 0.6;
/// How much there must be, and how much of it by hand.
const ENOUGH: usize = 400;
const ENOUGH_BY_HAND: usize = 150;
const ENOUGH_TOOLS: usize = 25;

#[derive(Default)]
struct Score {
    true_claims: usize,
    false_claims: usize,
    flagged: usize,
    false_alarms: usize,
}

type Scores = BTreeMap<Kind, Score>;

impl Score {
    fn add(&mut self, is_true: bool, is_flagged: bool) {
        let flagged = usize::from(is_flagged);
        if is_true {
            self.true_claims += 1;
            self.false_alarms += flagged;
        } else {
            self.false_claims += 1;
            self.flagged += flagged;
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a few thousand claims")]
    fn precision(&self) -> f64 {
        self.flagged as f64 / ((self.flagged + self.false_alarms) as f64).max(1.0)
    }

    #[expect(clippy::cast_precision_loss, reason = "a few thousand claims")]
    fn recall(&self) -> f64 {
        self.flagged as f64 / (self.false_claims as f64).max(1.0)
    }
}

/// The verdicts that warn of this text.
pub(crate) fn flags(evidence: &Evidence, text: &str) -> Vec<String> {
    let report = evidence.check(text);
    let describe = |checked: &tarsy_evidence::Checked| {
        let claimed = text.get(checked.claim.range.clone()).unwrap_or_default();
        format!(
            "{:?} {:?} `{claimed}` {}",
            checked.verdict,
            checked.claim.kind(),
            checked.instead.as_deref().unwrap_or_default()
        )
    };
    report.flagged().map(describe).collect()
}

/// Scores of the texts that are written by hand, scores of all, and what was judged wrongly.
fn judge(cases: &[Case]) -> (Scores, Scores, String) {
    let (mut by_hand, mut all) = (Scores::new(), Scores::new());
    let mut wrong = String::new();
    for case in cases {
        let evidence = case.evidence();
        for Sample { kind, text, is_true, origin, .. } in mutate::all(case) {
            let flags = flags(&evidence, &text);
            all.entry(kind).or_default().add(is_true, !flags.is_empty());
            if origin == "hand" {
                by_hand.entry(kind).or_default().add(is_true, !flags.is_empty());
            }
            if flags.is_empty() != is_true {
                let what = if is_true { "false alarm" } else { "missed" };
                let _ = writeln!(
                    wrong,
                    "{what}: {} ({origin}): {text}\n    {}",
                    case.name,
                    flags.join("\n    ")
                );
            }
        }
    }
    (by_hand, all, wrong)
}

/// Past what captures the output of tests: the figures belong to every run.
pub(crate) fn print(text: &str) {
    std::io::stdout().lock().write_all(text.as_bytes()).expect("stdout");
}

fn table(title: &str, scores: &Scores) -> String {
    let mut out = format!(
        "{title}\n{:<10} {:>6} {:>6} {:>8} {:>7} {:>10} {:>8}\n",
        "kind", "true", "false", "flagged", "alarms", "precision", "recall"
    );
    for (kind, score) in scores {
        let _ = writeln!(
            out,
            "{:<10} {:>6} {:>6} {:>8} {:>7} {:>9.2}% {:>7.2}%",
            format!("{kind:?}").to_lowercase(),
            score.true_claims,
            score.false_claims,
            score.flagged,
            score.false_alarms,
            score.precision() * 100.0,
            score.recall() * 100.0
        );
    }
    out
}

#[test]
fn false_claims_are_flagged_and_true_ones_are_not() {
    let cases = parse::cases();
    let (by_hand, scores, wrong) = judge(&cases);
    print(&format!(
        "{}{}{wrong}",
        table("claims written by hand", &by_hand),
        table("with derived claims", &scores)
    ));
    for kind in [Kind::Number, Kind::Quotation, Kind::Citation, Kind::Name] {
        let score = &scores[&kind];
        assert!(
            score.precision() > PRECISION,
            "{kind:?}: precision {}\n{wrong}",
            score.precision()
        );
        let least = if kind == Kind::Number { RECALL_OF_NUMBERS } else { RECALL };
        assert!(score.recall() > least, "{kind:?}: recall {}\n{wrong}", score.recall());
    }
    let time = &scores[&Kind::Time];
    assert!(time.precision() > PRECISION && time.recall() > RECALL, "{wrong}");
}

#[test]
fn the_corpus_is_large_enough() {
    let cases = parse::cases();
    let count = |by_hand: bool, is_true: bool| {
        let samples = cases.iter().flat_map(mutate::all);
        samples
            .filter(|sample| sample.is_true == is_true && (!by_hand || sample.origin == "hand"))
            .count()
    };
    let tools: std::collections::BTreeSet<&str> =
        cases.iter().flat_map(|case| case.calls.iter().map(|call| call.tool.as_str())).collect();
    print(&format!(
        "{} true ({} by hand), {} false ({} by hand), {} tools\n",
        count(false, true),
        count(true, true),
        count(false, false),
        count(true, false),
        tools.len()
    ));
    assert!(count(false, true) >= ENOUGH && count(false, false) >= ENOUGH);
    assert!(count(true, true) >= ENOUGH_BY_HAND && count(true, false) >= ENOUGH_BY_HAND);
    assert!(tools.len() >= ENOUGH_TOOLS, "{tools:?}");
}

#[test]
fn contradictions_and_wrong_calls_have_their_own_verdict() {
    let mut misjudged = Vec::new();
    let mut expected = 0;
    for case in parse::cases() {
        let evidence = case.evidence();
        for sample in &case.samples {
            let Some(verdict) = sample.verdict else { continue };
            expected += 1;
            let verdicts: Vec<Verdict> =
                evidence.check(&sample.text).claims.iter().map(|checked| checked.verdict).collect();
            if !verdicts.contains(&verdict) {
                misjudged.push(format!(
                    "{}: {} is {verdicts:?}, not {verdict:?}",
                    case.name, sample.text
                ));
            }
        }
    }
    // A verdict of the other flagged kinds warns all the same.
    assert!(
        misjudged.len() * 10 <= expected,
        "{} of {expected}:\n{}",
        misjudged.len(),
        misjudged.join("\n")
    );
}
