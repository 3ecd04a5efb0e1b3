//! The figures of an evaluation: each case as often as it was run, and all of them together.

use serde::{Deserialize, Serialize};

use crate::grounding::Grounding;
use crate::score::Score;
use crate::statistics::{Interval, mean, wilson};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseRun {
    /// The name of the case's folder.
    pub case: String,
    /// Whether others made the case.
    #[serde(default)]
    pub foreign: bool,
    /// From 1.
    pub run: u32,
    /// The session that ran it; none if it could not be started.
    pub session_id: Option<String>,
    /// Why it has no score.
    pub error: Option<String>,
    pub score: Score,
    pub grounding: Grounding,
    pub tool_calls: u32,
    /// Calls that the record does not have, or that failed.
    pub failed_tool_calls: u32,
    pub total_tokens: i64,
    /// Whether providers left a part of the tokens out, which is estimated.
    #[serde(default)]
    pub tokens_estimated: bool,
    /// In millionths of a US dollar; none if no call has a price.
    #[serde(default)]
    pub cost_micro_usd: Option<i64>,
    pub duration_ms: i64,
}

/// An evaluation as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// The provider that was chosen; none if each case has its own.
    pub provider: Option<String>,
    pub runs: Vec<CaseRun>,
}

/// A share with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub hits: u32,
    pub total: u32,
    pub interval: Interval,
}

impl Figure {
    pub(crate) fn new(hits: u32, total: u32) -> Self {
        Self { hits, total, interval: wilson(hits, total) }
    }

    /// From 0 to 100; 0 without observations.
    pub fn percent(&self) -> f64 {
        if self.total == 0 { 0.0 } else { f64::from(self.hits) * 100.0 / f64::from(self.total) }
    }
}

/// All runs together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub cases: u32,
    pub runs: u32,
    pub errors: u32,
    pub at_1: Figure,
    pub at_3: Figure,
    pub object: Figure,
    pub category: Figure,
    /// Reports that state all required evidence.
    pub evidence: Figure,
    /// Claims that a result shows.
    pub grounded: Figure,
    pub claims: Grounding,
    pub tool_calls: u64,
    pub failed_tool_calls: u64,
    pub total_tokens: i64,
    /// Whether providers left a part of the tokens out, which is estimated.
    #[serde(default)]
    pub tokens_estimated: bool,
    /// In millionths of a US dollar; none if no run has a price.
    #[serde(default)]
    pub cost_micro_usd: Option<i64>,
    pub duration_ms: i64,
    /// Of the means of a run; none of a single run.
    pub means: Means,
}

/// The intervals of what one run takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Means {
    pub tool_calls: Option<Interval>,
    pub tokens: Option<Interval>,
    /// Of the runs with a price.
    pub cost_micro_usd: Option<Interval>,
    pub duration_ms: Option<Interval>,
}

impl Means {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    fn of(runs: &[CaseRun]) -> Self {
        let of = |value: fn(&CaseRun) -> Option<i64>| {
            mean(&runs.iter().filter_map(value).map(|value| value as f64).collect::<Vec<_>>())
        };
        Self {
            tool_calls: of(|run| Some(run.tool_calls.into())),
            tokens: of(|run| Some(run.total_tokens)),
            cost_micro_usd: of(|run| run.cost_micro_usd),
            duration_ms: of(|run| Some(run.duration_ms)),
        }
    }
}

impl RunReport {
    /// The figures of all runs. A run without a score counts as a miss.
    pub fn totals(&self) -> Totals {
        let runs = count(self.runs.len());
        // Where nothing is wrong, no cause is expected: `reliability` counts these.
        let faulty = || self.runs.iter().filter(|run| !run.score.healthy);
        let hits = |is_hit: fn(&CaseRun) -> bool| {
            let hits = faulty().filter(|run| run.error.is_none() && is_hit(run));
            Figure::new(count(hits.count()), count(faulty().count()))
        };
        // A case that expects no object or no category counts for neither.
        let asked = |answer: fn(&CaseRun) -> Option<bool>| {
            let answers = self.runs.iter().filter_map(answer);
            let (total, hits) =
                answers.fold((0, 0), |(total, hits), hit| (total + 1, hits + u32::from(hit)));
            Figure::new(hits, total)
        };
        let mut names: Vec<&str> = self.runs.iter().map(|run| run.case.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let claims = self.runs.iter().fold(Grounding::default(), |sum, run| sum.and(run.grounding));
        Totals {
            cases: count(names.len()),
            runs,
            errors: count(self.runs.iter().filter(|run| run.error.is_some()).count()),
            at_1: hits(|run| run.score.is_at(1)),
            at_3: hits(|run| run.score.is_at(3)),
            object: asked(|run| run.score.object),
            category: asked(|run| run.score.category),
            evidence: hits(|run| run.score.missing_evidence.is_empty()),
            grounded: Figure::new(claims.supported, claims.claims),
            claims,
            tool_calls: self.runs.iter().map(|run| u64::from(run.tool_calls)).sum(),
            failed_tool_calls: self.runs.iter().map(|run| u64::from(run.failed_tool_calls)).sum(),
            total_tokens: self.runs.iter().map(|run| run.total_tokens).sum(),
            tokens_estimated: self.runs.iter().any(|run| run.tokens_estimated),
            cost_micro_usd: self
                .runs
                .iter()
                .filter_map(|run| run.cost_micro_usd)
                .reduce(|a, b| a + b),
            duration_ms: self.runs.iter().map(|run| run.duration_ms).sum(),
            means: Means::of(&self.runs),
        }
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(case: &str, rank: Option<u32>) -> CaseRun {
        CaseRun {
            case: case.to_owned(),
            score: Score { rank, ..Score::default() },
            grounding: Grounding {
                claims: 4,
                supported: 3,
                unsupported: 1,
                ..Grounding::default()
            },
            tool_calls: 5,
            ..CaseRun::default()
        }
    }

    #[test]
    fn a_run_without_a_score_is_a_miss() {
        let failed = CaseRun { error: Some("no provider".to_owned()), ..run("b", Some(1)) };
        let runs = vec![run("a", Some(1)), run("a", Some(3)), failed, run("c", None)];
        let totals = RunReport { provider: None, runs }.totals();
        assert_eq!((totals.cases, totals.runs, totals.errors), (3, 4, 1));
        assert_eq!((totals.at_1.hits, totals.at_3.hits, totals.at_1.total), (1, 2, 4));
        assert_eq!((totals.grounded.hits, totals.grounded.total), (12, 16));
        assert!((totals.grounded.percent() - 75.0).abs() < 1e-9);
        assert_eq!(totals.tool_calls, 20);
        assert_eq!(totals.means.tool_calls.map(|one| (one.low, one.high)), Some((5.0, 5.0)));
        assert_eq!((totals.cost_micro_usd, totals.means.cost_micro_usd), (None, None));
        assert_eq!(totals.object.total, 0, "no case expects an object");
    }
}
