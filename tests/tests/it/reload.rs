//! Changed configuration reaches running services: nobody is refused meanwhile, sessions go on, and files that are not
//! valid change nothing.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tokio::process::Child;

use crate::command_line::{down, problem, run, start, tarsy, text};

/// How long services may take to start again on a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

/// A configuration with one more chain.
fn configure(folder: &Path, chain: &str) -> anyhow::Result<()> {
    let chains = json!({chain: {
        "alert_types": [format!("{chain}-alert")],
        "stages": [{"name": "look", "agents": [{"name": "host"}]}],
    }});
    let agents =
        json!({"host": {"mcp_servers": ["host"], "custom_instructions": "Look at this machine."}});
    let text = json!({"agent_chains": chains, "agents": agents}).to_string();
    Ok(std::fs::write(folder.join("tarsy.yaml"), text)?)
}

async fn get(url: &str) -> anyhow::Result<Value> {
    Ok(reqwest::get(url).await?.error_for_status()?.json().await?)
}

async fn knows(url: &str, chain: &str) -> anyhow::Result<bool> {
    let types = get(&format!("{url}/api/v1/alert-types")).await?.to_string();
    Ok(types.contains(&format!("{chain}-alert")))
}

async fn until_known(url: &str, chain: &str) -> anyhow::Result<()> {
    let known = async {
        while !knows(url, chain).await? {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(LIMIT, known).await.with_context(|| format!("{chain} is not known"))?
}

fn hang_up(server: &Child) -> anyhow::Result<()> {
    let pid = i32::try_from(server.id().context("it has ended")?)?;
    Ok(kill(Pid::from_raw(pid), Signal::SIGHUP)?)
}

async fn visit(visitor: &reqwest::Client, page: &str) -> anyhow::Result<()> {
    visitor.get(page).send().await?.error_for_status()?.bytes().await?;
    Ok(())
}

/// Asks for a page again and again, each time over a connection of its own, while `change` is done. Nobody is refused.
async fn beside_visits(
    url: &str,
    change: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let page = format!("{url}/api/v1/alert-types");
    let (mut answered, mut refused) = (0, Vec::new());
    let visitor = reqwest::Client::builder().pool_max_idle_per_host(0).build()?;
    let visits = async {
        loop {
            match visit(&visitor, &page).await {
                Ok(()) => answered += 1,
                Err(error) => refused.push(format!("{error:#}")),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let changed = tokio::select! {
        changed = change => changed,
        () = visits => Ok(()),
    };
    assert_eq!(refused, Vec::<String>::new());
    assert!(answered > 10, "{answered}");
    changed
}

#[tokio::test]
async fn changed_files_are_used_while_nobody_is_refused_and_sessions_go_on() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let (home, config) = (folder.path().join("home"), folder.path().join("config"));
    std::fs::create_dir(&config)?;
    configure(&config, "first")?;
    let mut command = tarsy(&home);
    command.args(["up", "--port", "0"]).env("TARSY_CONFIG_DIR", &config);
    // A session streams for some seconds.
    command.env("OFFLINE_TOKENS_PER_SECOND", "200");
    let (server, url) = start(&mut command).await?;
    let submitted =
        run(&home, &["submit", "--example", "host", "--type", "first-alert", "--json"]).await?;
    let session: Value = serde_json::from_slice(&submitted.stdout)
        .with_context(|| format!("{}{}", text(&submitted), problem(&submitted)))?;
    let session = session["session_id"].as_str().context("no id")?.to_owned();
    beside_visits(&url, change_several_times((&server, &url), &home, &config)).await?;

    let ended = run(&home, &["watch", &session]).await?;
    let status = get(&format!("{url}/api/v1/sessions/{session}/status")).await?;
    assert_eq!(status["status"], "completed", "{}{}", text(&ended), problem(&ended));
    down(server).await
}

async fn change_several_times(
    (server, url): (&Child, &str),
    home: &Path,
    config: &Path,
) -> anyhow::Result<()> {
    std::fs::write(config.join("tarsy.yaml"), "agent_chains:\n  first:\n    stagges: []\n")?;
    let refused = run(home, &["config", "reload"]).await?;
    assert!(!refused.status.success(), "{}", text(&refused));
    let why = problem(&refused);
    assert!(why.contains("tarsy.yaml:3") && why.contains("stagges"), "{why}");
    hang_up(server)?;
    assert!(knows(url, "first").await?);

    configure(config, "second")?;
    let reloaded = run(home, &["config", "reload"]).await?;
    let printed = text(&reloaded);
    assert!(reloaded.status.success(), "{printed}{}", problem(&reloaded));
    assert!(printed.contains("every service runs with configuration"), "{printed}");
    assert!(knows(url, "second").await? && !knows(url, "first").await?);

    configure(config, "third")?;
    hang_up(server)?;
    until_known(url, "third").await
}

#[tokio::test]
async fn services_that_are_processes_of_their_own_read_changed_files_too() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let (home, config) = (folder.path().join("home"), folder.path().join("config"));
    std::fs::create_dir(&config)?;
    configure(&config, "first")?;
    let mut command = tarsy(&home);
    command.args(["up", "--port", "0", "--split", "--orchestrators", "1"]);
    let (server, url) = start(command.env("TARSY_CONFIG_DIR", &config)).await?;
    beside_visits(&url, async {
        configure(&config, "second")?;
        let reloaded = run(&home, &["config", "reload", "--json"]).await?;
        let printed: Value = serde_json::from_slice(&reloaded.stdout)
            .with_context(|| format!("{}{}", text(&reloaded), problem(&reloaded)))?;
        assert_eq!(printed["late"], json!([]), "{printed}");
        until_known(&url, "second").await?;
        configure(&config, "third")?;
        hang_up(&server)?;
        until_known(&url, "third").await
    })
    .await?;
    down(server).await
}
