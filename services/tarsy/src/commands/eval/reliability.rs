//! The table of how far a stated confidence can be relied on, of own cases beside those of others.

use tarsy_domain::verdict::Confidence;
use tarsy_evaluation::{Figure, Reliability, RunReport};

/// The lines of the table.
pub(super) fn table(report: &RunReport) -> Vec<String> {
    let groups = [None, Some(false), Some(true)].map(|foreign| report.reliability(foreign));
    let row = |name: &str, cell: &dyn Fn(&Reliability) -> String| {
        let cells = groups.each_ref().map(cell);
        format!("| {name} | {} |", cells.join(" | "))
    };
    let mut lines = vec![
        "| reliability | all | own cases | foreign cases |".to_owned(),
        "|---|---|---|---|".to_owned(),
        row("A@1", &|group| share(group.at_1)),
        row("a cause is stated", &|group| share(group.stated)),
    ];
    for confidence in [Confidence::High, Confidence::Medium, Confidence::Low] {
        let name = format!("right, of causes with *{}*", confidence.as_str());
        lines.push(row(&name, &|group| share(group.right(confidence))));
    }
    let brier = |group: &Reliability| {
        group.brier.map_or_else(|| "–".to_owned(), |score| format!("{score:.3}"))
    };
    lines.push(row("Brier score", &brier));
    lines.push(row("false causes, of healthy cases", &|group| share(group.false_causes)));
    lines
}

/// `9 of 10 (60 to 98 %)`: a share with its 95 % interval.
fn share(figure: Figure) -> String {
    if figure.total == 0 {
        return "–".to_owned();
    }
    let (low, high) = (figure.interval.low * 100.0, figure.interval.high * 100.0);
    format!("{} of {} ({low:.0} to {high:.0} %)", figure.hits, figure.total)
}

#[cfg(test)]
mod tests {
    use tarsy_evaluation::{CaseRun, Score};

    use super::*;

    #[test]
    fn own_and_foreign_cases_stand_side_by_side() {
        let run = |stated, rank, foreign| CaseRun {
            foreign,
            score: Score { rank, stated, ..Score::default() },
            ..CaseRun::default()
        };
        let healthy =
            CaseRun { score: Score { healthy: true, ..Score::default() }, ..CaseRun::default() };
        let runs = vec![
            run(Some(Confidence::High), Some(1), false),
            run(Some(Confidence::Medium), None, true),
            healthy,
        ];
        let text = table(&RunReport { provider: None, runs }).join("\n");
        for row in [
            "| A@1 | 1 of 2 (9 to 91 %) | 1 of 1 (21 to 100 %) | 0 of 1 (0 to 79 %) |",
            "| right, of causes with *high* | 1 of 1 (21 to 100 %) | 1 of 1 (21 to 100 %) | – |",
            "| right, of causes with *medium* | 0 of 1 (0 to 79 %) | – | 0 of 1 (0 to 79 %) |",
            "| Brier score | 0.185 | 0.010 | 0.360 |",
            "| false causes, of healthy cases | 0 of 1 (0 to 79 %) | 0 of 1 (0 to 79 %) | – |",
        ] {
            assert!(text.contains(row), "{text}");
        }
    }
}
