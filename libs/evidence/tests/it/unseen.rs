//! Texts that were written before the checker saw them, in the words in which others report.
//!
//! `tests/unseen/README.md` describes the files. Nothing is derived from them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tarsy_evidence::{ClaimKind, Ground};

use crate::corpus::{flags, parse, print};

/// Of the true texts, those that may be marked.
const FALSE_MARKS: f64 = 0.01;
/// Of the false texts, those that must be marked; many state no reading, or several (ADR 0132).
const TRUE_MARKS: f64 = 0.34;

#[derive(Default)]
struct Marks {
    of_true: usize,
    true_texts: usize,
    of_false: usize,
    false_texts: usize,
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred texts")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[test]
fn what_others_write_is_marked_only_where_it_is_false() {
    let mut sets: BTreeMap<String, Marks> = BTreeMap::new();
    let mut wrong = String::new();
    let mut grounds: BTreeMap<(ClaimKind, Ground), (usize, usize)> = BTreeMap::new();
    for case in parse::in_folder("tests/unseen", parse::plain) {
        let evidence = case.evidence();
        let set = case.name.split('_').next().unwrap_or_default().to_owned();
        let marks = sets.entry(set).or_default();
        for sample in &case.samples {
            let flags = flags(&evidence, &sample.text);
            let marked = usize::from(!flags.is_empty());
            for one in evidence.check(&sample.text).flagged() {
                let Some(ground) = one.ground else { continue };
                let (of_true, of_false) = grounds.entry((one.claim.kind(), ground)).or_default();
                *(if sample.is_true { of_true } else { of_false }) += 1;
            }
            if sample.is_true {
                marks.true_texts += 1;
                marks.of_true += marked;
            } else {
                marks.false_texts += 1;
                marks.of_false += marked;
            }
            if flags.is_empty() != sample.is_true {
                let what = if sample.is_true { "marked" } else { "missed" };
                let (name, text, flags) = (&case.name, &sample.text, flags.join("\n    "));
                let _ = writeln!(wrong, "{what}: {name}: {text}\n    {flags}");
            }
        }
    }
    let mut table = String::new();
    for (set, marks) in &sets {
        let Marks { of_true, true_texts, of_false, false_texts } = marks;
        let _ = writeln!(
            table,
            "set {set}: marked {of_true} of {true_texts} true texts, {of_false} of {false_texts} false ones"
        );
    }
    for ((kind, ground), (of_true, of_false)) in &grounds {
        let _ = writeln!(
            table,
            "{kind:?} {ground:?}: {of_true} marks of true texts, {of_false} of false ones"
        );
    }
    print(&format!("{table}{wrong}"));
    let sum = |part: fn(&Marks) -> usize| sets.values().map(part).sum::<usize>();
    let false_marks = share(sum(|one| one.of_true), sum(|one| one.true_texts));
    let true_marks = share(sum(|one| one.of_false), sum(|one| one.false_texts));
    assert!(false_marks < FALSE_MARKS, "{table}{wrong}");
    assert!(true_marks >= TRUE_MARKS, "{table}{wrong}");
}
