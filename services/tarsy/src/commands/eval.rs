//! `tarsy eval`: runs cases through a running TARSy, and scores the reports.

mod case;
mod cases;
mod layouts;
mod output;
mod reliability;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use tarsy_evaluation::{CaseRun, RunReport, Score, grounding, score};

use crate::client::{Client, NewReplay};
use crate::commands::replay;
use crate::follow;
use crate::output::{self as print, Format};
use case::Case;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A folder with one folder for each case, the folder of one case, or recorded tool caches or fixtures.
    folder: PathBuf,
    /// The provider for every model call; default: those of the cases.
    #[arg(long)]
    provider: Option<String>,
    /// How often each case is run.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    runs: u32,
    /// A folder with prompt templates, `NAME.md` each, instead of the built-in ones.
    #[arg(long)]
    prompts: Option<PathBuf>,
    /// A file with a resolved chain for all cases; default: those of the cases.
    #[arg(long)]
    chain: Option<PathBuf>,
    /// The folder for `eval.json`, `eval.md` and `eval.xml` (`JUnit`).
    #[arg(long)]
    out: Option<PathBuf>,
    /// An `eval.json` of an earlier run to compare with.
    #[arg(long)]
    baseline: Option<PathBuf>,
}

pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let chain = options.chain.as_deref().map(replay::chain).transpose()?;
    let cases = cases::read(&options.folder, chain.as_ref())?;
    let baseline = options.baseline.as_deref().map(baseline).transpose()?;
    let changes = NewReplay {
        provider: options.provider.clone(),
        chain,
        prompts: options.prompts.as_deref().map(replay::prompts).transpose()?.unwrap_or_default(),
    };
    let mut runs = Vec::new();
    for case in &cases {
        runs.extend(run_case(client, case, &changes, options.runs).await?);
    }
    let report = RunReport { provider: options.provider.clone(), runs };
    if let Some(folder) = &options.out {
        output::write(folder, &report, baseline.as_ref())?;
    }
    match format {
        Format::Json => print::document(&output::document(&report))?,
        Format::Text => {
            print::line(&output::markdown(&report, baseline.as_ref()));
            print::line(&output::last_line(&report));
        }
    }
    let failed = report.runs.iter().any(|run| run.error.is_some());
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn baseline(path: &Path) -> anyhow::Result<RunReport> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("--baseline: could not read {}", path.display()))?;
    output::read(&text).with_context(|| format!("--baseline: {} is no evaluation", path.display()))
}

async fn run_case(
    client: &Client,
    case: &Case,
    changes: &NewReplay,
    times: u32,
) -> anyhow::Result<Vec<CaseRun>> {
    let original = client
        .bring_in(&case.folder.recording)
        .await
        .with_context(|| format!("the case {} could not be stored", case.name))?;
    let mut runs = Vec::new();
    for run in 1..=times {
        print::remark(&format!("{} {run}/{times}", case.name));
        runs.push(run_once(client, case, (&original, changes), run).await);
    }
    Ok(runs)
}

/// A run that fails has an error instead of a score.
async fn run_once(
    client: &Client,
    case: &Case,
    (original, changes): (&str, &NewReplay),
    run: u32,
) -> CaseRun {
    let score_of_failure = Score::missed(&case.folder.expected);
    let mut result = CaseRun {
        case: case.name.clone(),
        foreign: case.foreign,
        run,
        score: score_of_failure,
        ..CaseRun::default()
    };
    let finished = async {
        let id = client.replay(original, changes).await?;
        result.session_id = Some(id.clone());
        let status = follow::end(client, &id).await?;
        let recording = client.recording(&id).await?;
        let failed = recording.calls.iter().filter(|call| call.status.as_str() != "completed");
        result.failed_tool_calls = count(failed.count());
        result.tool_calls = count(recording.calls.len());
        result.total_tokens = recording.usage.total_tokens;
        result.tokens_estimated = recording.usage.tokens_estimated;
        result.cost_micro_usd = recording.usage.cost_micro_usd;
        result.duration_ms = recording.usage.duration_ms.unwrap_or_default();
        anyhow::ensure!(
            status == "completed",
            "the session {id} is {status}: {}",
            recording.report.error_message.as_deref().unwrap_or("no reason is stored")
        );
        let analysis = recording.report.final_analysis.as_deref().unwrap_or_default();
        let verdict = client.session(&id).await?.verdict;
        result.score = score(analysis, verdict.as_ref(), &case.folder.expected);
        result.grounding = grounding(&recording);
        anyhow::Ok(())
    };
    if let Err(error) = finished.await {
        result.error = Some(format!("{error:#}"));
    }
    result
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
