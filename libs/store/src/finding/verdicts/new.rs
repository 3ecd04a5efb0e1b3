//! A verdict as the owner of a session stores it.

use tarsy_domain::id::{ExecutionId, VerdictId};
use tarsy_domain::verdict::{AffectedObject, Alternative, Evidence, ExplainingChange, Verdict};

use crate::encode::{clean, clean_maybe};

/// A verdict that is reached in this transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct NewVerdict {
    pub id: VerdictId,
    /// The agent that reached it; none for one about the whole session.
    pub execution_id: Option<ExecutionId>,
    /// Within its limits: [`Verdict::bounded`].
    pub verdict: Verdict,
}

impl NewVerdict {
    pub(crate) fn clean(&mut self) {
        let verdict = &mut self.verdict;
        clean(&mut verdict.answer);
        clean(&mut verdict.cause);
        clean_maybe(&mut verdict.since);
        clean_object(&mut verdict.object);
        clean_evidence(&mut verdict.evidence);
        verdict.change.iter_mut().for_each(clean_change);
        verdict.alternatives.iter_mut().for_each(clean_alternative);
        for one in &mut verdict.not_examined {
            clean(&mut one.what);
            clean(&mut one.why);
        }
        verdict.next_steps.iter_mut().for_each(clean);
        for chart in &mut verdict.charts {
            clean(&mut chart.metric);
            clean(&mut chart.object);
            clean(&mut chart.unit);
        }
    }
}

fn clean_alternative(one: &mut Alternative) {
    clean(&mut one.cause);
    clean(&mut one.because);
    one.object.iter_mut().for_each(clean_object);
    clean_evidence(&mut one.evidence);
    one.change.iter_mut().for_each(clean_change);
}

fn clean_change(change: &mut ExplainingChange) {
    clean_maybe(&mut change.object);
    clean_maybe(&mut change.service);
    clean(&mut change.text);
}

fn clean_object(object: &mut AffectedObject) {
    clean(&mut object.kind);
    clean(&mut object.name);
    clean_maybe(&mut object.namespace);
}

fn clean_evidence(evidence: &mut [Evidence]) {
    for one in evidence {
        clean(&mut one.text);
    }
}
