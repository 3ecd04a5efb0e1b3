//! How far a stated confidence can be relied on, and how often a cause is stated where there is none.

use serde::{Deserialize, Serialize};
use tarsy_domain::verdict::Confidence;

use crate::run::{CaseRun, Figure, RunReport};

/// The chance that each confidence promises: of causes with *high* nine of ten are to be right, with *medium* six.
const PROMISED: [(Confidence, f64); 3] =
    [(Confidence::High, 0.9), (Confidence::Medium, 0.6), (Confidence::Low, 0.3)];

/// The figures of some runs. One that did not complete counts as a run without a cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// Runs of cases with a fault whose first cause is the expected one.
    pub at_1: Figure,
    /// Of these cases, runs that state a cause.
    pub stated: Figure,
    /// Runs that state a cause with this confidence, and how many of the causes are right; the surest first.
    pub by_confidence: Vec<(Confidence, Figure)>,
    /// Brier's score of the promised chances, from 0 (each was kept) to 1; none without a stated cause.
    pub brier: Option<f64>,
    /// Runs of cases without a fault that state a cause.
    pub false_causes: Figure,
}

impl RunReport {
    /// The figures of the runs of own or of foreign cases; of all without a choice.
    pub fn reliability(&self, foreign: Option<bool>) -> Reliability {
        let runs: Vec<&CaseRun> = self
            .runs
            .iter()
            .filter(|run| foreign.is_none_or(|foreign| run.foreign == foreign))
            .collect();
        let stated = |run: &&&CaseRun| run.score.stated.is_some();
        let figure = |of: &[&CaseRun], is_hit: &dyn Fn(&&&CaseRun) -> bool| {
            Figure::new(count(of.iter().filter(|run| is_hit(run)).count()), count(of.len()))
        };
        let (healthy, faulty): (Vec<&CaseRun>, Vec<&CaseRun>) =
            runs.iter().partition(|run| run.score.healthy);
        let right = |run: &&&CaseRun| run.score.is_at(1);
        let of = |confidence: Confidence| {
            let of: Vec<&CaseRun> =
                runs.iter().copied().filter(|run| run.score.stated == Some(confidence)).collect();
            (confidence, figure(&of, &right))
        };
        Reliability {
            at_1: figure(&faulty, &right),
            stated: figure(&faulty, &stated),
            by_confidence: PROMISED.iter().map(|(confidence, _)| of(*confidence)).collect(),
            brier: brier(&runs),
            false_causes: figure(&healthy, &stated),
        }
    }
}

impl Reliability {
    /// Runs that state a cause with this confidence, and how many of the causes are right.
    pub fn right(&self, confidence: Confidence) -> Figure {
        let of = self.by_confidence.iter().find(|(one, _)| *one == confidence);
        of.map_or_else(|| Figure::new(0, 0), |(_, figure)| *figure)
    }
}

/// The mean square of what the promised chance and the outcome differ by.
fn brier(runs: &[&CaseRun]) -> Option<f64> {
    let squares: Vec<f64> = runs
        .iter()
        .filter_map(|run| {
            let stated = run.score.stated?;
            let (_, promised) = PROMISED.iter().find(|(one, _)| *one == stated)?;
            let outcome = f64::from(u8::from(run.score.is_at(1)));
            Some((promised - outcome).powi(2))
        })
        .collect();
    let total = u32::try_from(squares.len()).ok().filter(|total| *total > 0)?;
    Some(squares.iter().sum::<f64>() / f64::from(total))
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;

    fn run(stated: Option<Confidence>, rank: Option<u32>, foreign: bool, healthy: bool) -> CaseRun {
        let score = Score { rank, stated, healthy, ..Score::default() };
        CaseRun { foreign, score, ..CaseRun::default() }
    }

    #[test]
    fn causes_are_counted_by_confidence_origin_and_health() {
        use Confidence::{High, Low, Medium};
        let runs = vec![
            run(Some(High), Some(1), false, false),
            run(Some(High), Some(2), true, false),
            run(Some(Medium), Some(1), true, false),
            run(None, None, true, false),
            run(Some(Medium), None, true, true),
            run(None, None, false, true),
        ];
        let report = RunReport { provider: None, runs };
        let all = report.reliability(None);
        assert_eq!((all.at_1.hits, all.at_1.total, all.stated.hits), (2, 4, 3));
        assert_eq!((all.false_causes.hits, all.false_causes.total), (1, 2));
        let shares = [High, Medium, Low].map(|one| (all.right(one).hits, all.right(one).total));
        assert_eq!(shares, [(1, 2), (1, 2), (0, 0)]);
        // (0.1² + 0.9² + 0.4² + 0.6²) / 4
        assert!(all.brier.is_some_and(|score| (score - 0.335).abs() < 1e-9), "{all:?}");
        let own = report.reliability(Some(false));
        assert_eq!((own.at_1.hits, own.at_1.total, own.false_causes.hits), (1, 1, 0));
        assert_eq!(RunReport::default().reliability(None).brier, None);
    }
}
