//! The results of an evaluation as JSON, Markdown and `JUnit`.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use tarsy_evaluation::{CaseRun, Figure, Interval, RunReport, Totals};

use super::reliability;
use crate::output;

type Share = fn(&Totals) -> Figure;
type Number = fn(&Totals) -> String;

/// What `eval.json` has.
#[derive(Debug, Serialize)]
pub(super) struct Document<'r> {
    totals: Totals,
    #[serde(flatten)]
    report: &'r RunReport,
}

/// The part of `eval.json` that is read again.
#[derive(Debug, Deserialize)]
struct Stored {
    #[serde(flatten)]
    report: RunReport,
}

pub(super) fn document(report: &RunReport) -> Document<'_> {
    Document { totals: report.totals(), report }
}

pub(super) fn read(text: &str) -> serde_json::Result<RunReport> {
    serde_json::from_str::<Stored>(text).map(|stored| stored.report)
}

/// Writes `eval.json`, `eval.md` and `eval.xml`.
pub(super) fn write(
    folder: &Path,
    report: &RunReport,
    baseline: Option<&RunReport>,
) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
    let files = [
        ("eval.json", serde_json::to_string_pretty(&document(report))? + "\n"),
        ("eval.md", markdown(report, baseline) + "\n"),
        ("eval.xml", junit(report)),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("could not write {}", path.display()))?;
    }
    Ok(())
}

/// `cases 7, A@1 5, A@3 6, grounded 93 %, ghost citations 0`
pub(super) fn last_line(report: &RunReport) -> String {
    let totals = report.totals();
    format!(
        "cases {}, A@1 {}, A@3 {}, grounded {:.0} %, ghost citations {}",
        totals.cases,
        totals.at_1.hits,
        totals.at_3.hits,
        totals.grounded.percent(),
        totals.claims.ghost_citations
    )
}

/// Three tables: the figures, how far they can be relied on, and each run.
pub(super) fn markdown(report: &RunReport, baseline: Option<&RunReport>) -> String {
    let totals = report.totals();
    let before = baseline.map(RunReport::totals);
    let mut lines = vec!["| figure | value | 95 % interval | before |".to_owned()];
    lines.push("|---|---|---|---|".to_owned());
    let figures: [(&str, Share); 6] = [
        ("A@1", |totals| totals.at_1),
        ("A@3", |totals| totals.at_3),
        ("object", |totals| totals.object),
        ("category", |totals| totals.category),
        ("required evidence", |totals| totals.evidence),
        ("grounded claims", |totals| totals.grounded),
    ];
    for (name, figure) in figures {
        let now = figure(&totals);
        let interval = now.interval;
        lines.push(format!(
            "| {name} | {} | {:.0} to {:.0} % | {} |",
            share(&now),
            interval.low * 100.0,
            interval.high * 100.0,
            before.as_ref().map(|before| share(&figure(before))).unwrap_or_default()
        ));
    }
    let numbers: [(&str, Number); 8] = [
        ("unsupported or contradicted claims", |totals| {
            (totals.claims.unsupported + totals.claims.contradicted).to_string()
        }),
        ("ghost citations", |totals| totals.claims.ghost_citations.to_string()),
        ("tool calls", |totals| totals.tool_calls.to_string()),
        ("… failed or not recorded", |totals| totals.failed_tool_calls.to_string()),
        ("tokens", |totals| output::tokens(totals.total_tokens, totals.tokens_estimated)),
        ("cost", |totals| output::dollars(totals.cost_micro_usd)),
        ("seconds", |totals| (totals.duration_ms / 1000).to_string()),
        ("errors", |totals| totals.errors.to_string()),
    ];
    for (name, number) in numbers {
        let before = before.as_ref().map(number).unwrap_or_default();
        let mean = means(&totals, name);
        lines.push(format!("| {name} | {} | {mean} | {before} |", number(&totals)));
    }
    lines.push(String::new());
    lines.extend(reliability::table(report));
    lines.push(String::new());
    lines.push("| case | run | rank | object | category | claims | result |".to_owned());
    lines.push("|---|---|---|---|---|---|---|".to_owned());
    lines.extend(report.runs.iter().map(row));
    lines.join("\n")
}

/// The interval of the mean of a run.
fn means(totals: &Totals, name: &str) -> String {
    let of = |interval: Option<Interval>, show: fn(f64) -> String| {
        interval.map_or_else(String::new, |Interval { low, high }| {
            format!("{} to {} per run", show(low.max(0.0)), show(high))
        })
    };
    let means = totals.means;
    match name {
        "tool calls" => of(means.tool_calls, |value| format!("{value:.1}")),
        "tokens" => of(means.tokens, |value| format!("{value:.0}")),
        "cost" => of(means.cost_micro_usd, |value| format!("{:.4} $", value / 1e6)),
        "seconds" => of(means.duration_ms, |value| format!("{:.1}", value / 1e3)),
        _ => String::new(),
    }
}

fn share(figure: &Figure) -> String {
    format!("{} of {} ({:.0} %)", figure.hits, figure.total, figure.percent())
}

fn row(run: &CaseRun) -> String {
    let score = &run.score;
    let word = |is: Option<bool>| is.map_or("–", |is| if is { "yes" } else { "no" });
    format!(
        "| {} | {} | {} | {} | {} | {} of {} | {} |",
        run.case,
        run.run,
        score.rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string()),
        word(score.object),
        word(score.category),
        run.grounding.supported,
        run.grounding.claims,
        fault(run).unwrap_or_else(|| "ok".to_owned()).replace(['|', '\n'], " ")
    )
}

/// What is wrong with a run; none if its first cause is the expected one.
fn fault(run: &CaseRun) -> Option<String> {
    if let Some(error) = &run.error {
        return Some(error.clone());
    }
    let mut faults = Vec::new();
    match run.score.rank {
        _ if run.score.healthy => {
            faults.extend(
                run.score.stated.map(|_| "a cause is stated, and nothing is wrong".to_owned()),
            );
        }
        None => faults.push("the expected cause is not named".to_owned()),
        Some(1) => {}
        Some(rank) => faults.push(format!("the expected cause is in place {rank}")),
    }
    if !run.score.missing_evidence.is_empty() {
        faults.push(format!("missing: {}", run.score.missing_evidence.join(", ")));
    }
    if !run.score.forbidden_evidence.is_empty() {
        faults.push(format!("forbidden: {}", run.score.forbidden_evidence.join(", ")));
    }
    (!faults.is_empty()).then(|| faults.join("; "))
}

fn junit(report: &RunReport) -> String {
    let faults: Vec<Option<String>> = report.runs.iter().map(fault).collect();
    let errors = report.runs.iter().filter(|run| run.error.is_some()).count();
    let failures = faults.iter().flatten().count() - errors;
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"tarsy eval\" tests=\"{}\" \
         failures=\"{failures}\" errors=\"{errors}\">\n",
        report.runs.len()
    );
    for (run, fault) in report.runs.iter().zip(faults) {
        let name = escaped(&format!("{} {}", run.case, run.run));
        let (seconds, millis) = (run.duration_ms / 1000, run.duration_ms % 1000);
        let head = format!("  <testcase name=\"{name}\" time=\"{seconds}.{millis:03}\"");
        let element = if run.error.is_some() { "error" } else { "failure" };
        let line = match fault {
            None => format!("{head}/>\n"),
            Some(fault) => {
                format!("{head}><{element} message=\"{}\"/></testcase>\n", escaped(&fault))
            }
        };
        text.push_str(&line);
    }
    text + "</testsuite>\n"
}

/// Text of an attribute; characters that XML has no place for are left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(' '),
            _ if c.is_control() => {}
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use tarsy_evaluation::{Grounding, Score};

    use super::*;

    fn report() -> RunReport {
        let hit = CaseRun {
            case: "disk-full".to_owned(),
            run: 1,
            score: Score {
                rank: Some(1),
                object: Some(true),
                category: Some(false),
                ..Score::default()
            },
            grounding: Grounding {
                claims: 10,
                supported: 9,
                unsupported: 1,
                ..Grounding::default()
            },
            duration_ms: 2_050,
            ..CaseRun::default()
        };
        let missed = CaseRun {
            score: Score { rank: Some(3), object: Some(false), ..Score::default() },
            run: 2,
            ..hit.clone()
        };
        let failed = CaseRun {
            case: "port <taken>".to_owned(),
            error: Some("no \"provider\" | x".to_owned()),
            grounding: Grounding::default(),
            ..CaseRun::default()
        };
        RunReport { provider: Some("offline".to_owned()), runs: vec![hit, missed, failed] }
    }

    #[test]
    fn the_last_line_counts_runs_and_the_document_is_read_again() {
        let line = last_line(&report());
        assert_eq!(line, "cases 2, A@1 1, A@3 2, grounded 90 %, ghost citations 0");
        let text = serde_json::to_string(&document(&report())).unwrap();
        assert_eq!(read(&text).unwrap(), report());
    }

    #[test]
    fn markdown_has_the_earlier_figures_and_one_line_for_each_run() {
        let text = markdown(&report(), Some(&report()));
        assert!(text.contains("| A@1 | 1 of 3 (33 %) | 6 to 79 % | 1 of 3 (33 %) |"), "{text}");
        assert!(text.contains(
            "| disk-full | 2 | 3 | no | – | 9 of 10 | the expected cause is in place 3 |"
        ));
        assert!(text.contains("| no \"provider\"   x |"), "{text}");
    }

    #[test]
    fn junit_separates_failures_from_errors_and_escapes_names() {
        let text = junit(&report());
        assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{text}");
        assert!(text.contains("<testcase name=\"disk-full 1\" time=\"2.050\"/>"), "{text}");
        assert!(text.contains("name=\"port &lt;taken&gt; 0\""), "{text}");
        assert!(text.contains("<error message=\"no &quot;provider&quot; | x\"/>"), "{text}");
    }
}
