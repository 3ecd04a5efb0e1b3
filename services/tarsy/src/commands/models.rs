//! `tarsy models`: finds the model servers of this machine, tries what investigations need, and writes a provider.

mod ask;
mod lines;
mod listing;
mod report;
mod trial;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use futures::future::join_all;
use tarsy_catalog::Env;
use tarsy_service::Settings;
use url::Url;

use self::ask::Server;
use self::lines::{Entry, Written};
use self::listing::{Found, Kind, Model};
use self::report::{Report, Row};
use self::trial::Trial;
use crate::output::{self, Format, field};

/// Where Ollama, llama.cpp, vLLM and LM Studio listen, unless they are given another port.
const USUAL: [&str; 4] = [
    "http://127.0.0.1:11434",
    "http://127.0.0.1:8080",
    "http://127.0.0.1:8000",
    "http://127.0.0.1:1234",
];

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Addresses to ask instead of the usual ports of this machine, such as <http://127.0.0.1:9000>.
    #[arg(value_name = "ADDRESS")]
    addresses: Vec<Url>,
    /// A listed model to try; may be repeated. Default: those in memory, or the only one.
    #[arg(long = "model", value_name = "NAME")]
    models: Vec<String>,
    /// Lists the models, and calls none.
    #[arg(long, conflicts_with = "write")]
    no_trial: bool,
    /// Seconds that a model may take for each of the two answers (1 to 600).
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=600))]
    wait: u64,
    /// The name of the variable that holds the servers' key, never the key.
    #[arg(long, value_name = "VARIABLE")]
    key_env: Option<String>,
    /// Writes the provider of the model that was tried into llm-providers.yaml, once the configuration is valid with it.
    #[arg(long)]
    write: bool,
    /// The folder of llm-providers.yaml; default: `TARSY_CONFIG_DIR`, or deploy/config.
    #[arg(long, requires = "write")]
    dir: Option<PathBuf>,
    /// The model's context window in tokens, where the server does not state it, or less of it is to be used.
    #[arg(long, value_name = "TOKENS", requires = "write")]
    context_window: Option<u64>,
}

/// A server that answered.
struct Answering {
    server: Server,
    kind: Kind,
    models: Vec<Model>,
}

pub(crate) async fn run(options: &Options, format: Format) -> anyhow::Result<ExitCode> {
    let settings = Settings::from_env()?;
    let key = options.key_env.as_ref().map(|name| {
        let value = settings.environment().get(name).filter(|value| !value.is_empty());
        value.with_context(|| format!("--key-env: {name} is not set"))
    });
    let (answering, unanswered) = find(options, key.transpose()?.map(String::as_str)).await?;
    let mut report = Report { unanswered, ..Report::default() };
    if answering.is_empty() {
        report.print(format)?;
        return Ok(ExitCode::FAILURE);
    }
    check_names(&answering, &options.models)?;
    for one in answering {
        report.rows.extend(tried(one, options).await);
    }
    if !options.write {
        report.print(format)?;
        return Ok(ExitCode::SUCCESS);
    }
    let folder = options.dir.clone().or_else(|| settings.config_dir.clone());
    let env = Env::of(settings.environment().clone());
    let written = write(&report.rows, options, folder, &env);
    let code = if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    report.written = Some(written.map_err(|error| format!("{error:#}")));
    report.print(format)?;
    Ok(code)
}

/// The servers that answer, and why the other addresses do not count.
async fn find(
    options: &Options,
    key: Option<&str>,
) -> anyhow::Result<(Vec<Answering>, Vec<(String, String)>)> {
    let addresses = if options.addresses.is_empty() {
        USUAL.iter().map(|address| Url::parse(address)).collect::<Result<_, _>>()?
    } else {
        options.addresses.clone()
    };
    let servers: Vec<Server> =
        addresses.iter().map(|address| Server::new(address, key)).collect::<Result<_, _>>()?;
    let found = join_all(servers.iter().map(listing::of)).await;
    let (mut answering, mut unanswered) = (Vec::new(), Vec::new());
    for (server, found) in servers.into_iter().zip(found) {
        match found {
            Found::Models(kind, models) if models.is_empty() => {
                let reason = format!("{} has no model to converse with: load one", kind.title());
                unanswered.push((server.address, reason));
            }
            Found::Models(kind, models) => answering.push(Answering { server, kind, models }),
            Found::Nothing(reason) => unanswered.push((server.address, reason)),
        }
    }
    Ok((answering, unanswered))
}

fn check_names(answering: &[Answering], wanted: &[String]) -> anyhow::Result<()> {
    let listed: Vec<&str> =
        answering.iter().flat_map(|one| &one.models).map(|model| model.name.as_str()).collect();
    for name in wanted {
        ensure!(
            listed.contains(&name.as_str()),
            "--model: no server lists {}; there are: {}",
            field(name),
            field(&listed.join(", "))
        );
    }
    Ok(())
}

/// The models that are tried: those that are named, else those in memory, else the only one. Loading another one takes the
/// place of what somebody may be using.
fn chosen<'a>(models: &'a [Model], options: &Options) -> Vec<&'a Model> {
    let named = |model: &&Model| options.models.contains(&model.name);
    let in_memory = |model: &&Model| model.loaded == Some(true);
    match models {
        _ if options.no_trial => Vec::new(),
        _ if !options.models.is_empty() => models.iter().filter(named).collect(),
        [only] => vec![only],
        _ => models.iter().filter(in_memory).collect(),
    }
}

/// Tries the chosen models one after the other: a server on this machine has one slot.
async fn tried(one: Answering, options: &Options) -> Vec<Row> {
    let wait = Duration::from_secs(options.wait);
    let mut rows: Vec<Row> = Vec::new();
    let names: Vec<String> =
        chosen(&one.models, options).into_iter().map(|model| model.name.clone()).collect();
    for model in one.models {
        let mut row = Row::new(&one.server, one.kind, model);
        if names.contains(&row.model.name) {
            let (name, at) = (row.model.name.clone(), &row.server);
            output::remark(&format!(
                "trying {} at {at}, up to {} s an answer",
                field(&name),
                options.wait
            ));
            row.tool_calls = trial::tool_call(&one.server, &name, wait).await;
            if row.tool_calls.outcome != trial::Outcome::Unanswered {
                row.json_schema = trial::json_schema(&one.server, &name, wait).await;
            }
        }
        rows.push(row);
    }
    // Only a model in memory has a context window that is known.
    if let (false, Found::Models(_, models)) = (names.is_empty(), listing::of(&one.server).await) {
        for model in models {
            let row = rows.iter_mut().find(|row| row.model.name == model.name);
            if let Some(row) = row {
                row.model = model;
            }
        }
    }
    for row in &mut rows {
        row.api_key_env.clone_from(&options.key_env);
    }
    rows
}

/// Writes the provider of the one model that answered.
fn write(
    rows: &[Row],
    options: &Options,
    folder: Option<PathBuf>,
    env: &Env,
) -> anyhow::Result<Written> {
    let answered = |trial: &Trial| trial.was_answered();
    let usable: Vec<&Row> =
        rows.iter().filter(|row| answered(&row.tool_calls) || answered(&row.json_schema)).collect();
    let row = match usable.as_slice() {
        [row] => *row,
        [] if rows.iter().any(Row::was_tried) => bail!("no model answered; nothing is written"),
        [] => bail!("no model was tried, because none is in memory: name one with --model"),
        [..] => bail!("{} models answered: name the one to write with --model", usable.len()),
    };
    let folder = folder
        .context("there is no configuration folder: name it with --dir, or set TARSY_CONFIG_DIR")?;
    let stated = options.context_window.or(row.model.context_window);
    let context_window = lines::window(stated, row.kind.window_option())?;
    lines::write(&folder, row.entry(context_window), env)
}

impl Row {
    fn entry(&self, context_window: u32) -> Entry {
        Entry {
            name: lines::provider_name(self.kind.prefix(), &self.model.name),
            model: self.model.name.clone(),
            base_url: self.base_url.clone(),
            context_window,
            api_key_env: self.api_key_env.clone(),
        }
    }
}
