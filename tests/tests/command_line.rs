//! The command line, as a newcomer uses it: up, submit, stop, up again.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

const START: Duration = Duration::from_mins(2);

fn program() -> PathBuf {
    let mut path = std::env::current_exe().unwrap_or_default();
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    path.join("tarsy")
}

fn tarsy(home: &Path) -> Command {
    let mut command = Command::new(program());
    command.current_dir(tarsy_testkit::workspace()).arg("--home").arg(home).kill_on_drop(true);
    for name in ["GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "XAI_API_KEY"] {
        command.env_remove(name);
    }
    command
}

/// Starts everything and tells the address it says it is ready at.
async fn up(home: &Path) -> anyhow::Result<(Child, String)> {
    let mut child = tarsy(home)
        .args(["up", "--port", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let ready = async {
        while let Some(line) = lines.next_line().await? {
            if let Some((_, url)) = line.split_once("TARSy is ready: ") {
                return Ok(url.to_owned());
            }
        }
        let mut problem = String::new();
        if let Some(stderr) = child.stderr.as_mut() {
            tokio::io::AsyncReadExt::read_to_string(stderr, &mut problem).await?;
        }
        anyhow::bail!("it ended before it was ready: {problem}")
    };
    let url = tokio::time::timeout(START, ready).await.context("not ready in time")??;
    Ok((child, url))
}

async fn down(mut child: Child) -> anyhow::Result<()> {
    let pid = i32::try_from(child.id().context("it has ended already")?)?;
    kill(Pid::from_raw(pid), Signal::SIGINT)?;
    let status = tokio::time::timeout(Duration::from_mins(1), child.wait()).await??;
    anyhow::ensure!(status.success(), "it did not stop cleanly: {status}");
    Ok(())
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn two_commands_lead_to_a_finished_investigation_and_a_restart_keeps_it() -> anyhow::Result<()>
{
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let (server, url) = up(&home).await?;
    let info: serde_json::Value =
        reqwest::get(format!("{url}/api/v1/system/info")).await?.json().await?;
    assert_eq!(info["llm"]["offline"], true, "without a key, the offline analyst says so: {info}");
    let page = reqwest::get(&url).await?.text().await?;
    assert!(page.contains("<div id=\"root\""), "the dashboard is served: {page}");

    let submit = tarsy(&home).args(["submit", "--example", "host", "--follow"]).output().await?;
    let said = text(&submit);
    assert!(submit.status.success(), "{said}{}", String::from_utf8_lossy(&submit.stderr));
    assert_eq!(said.lines().last(), Some("completed"), "{said}");
    let calls = said.lines().filter(|line| line.contains("call host.")).count();
    assert!(calls >= 3, "{said}");

    let second = tarsy(&home).args(["up", "--port", "0"]).output().await?;
    assert!(!second.status.success());
    let why = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(why.contains("another tarsy already runs"), "{why}");
    down(server).await?;

    let (server, _) = up(&home).await?;
    let listed = text(&tarsy(&home).arg("sessions").output().await?);
    assert!(listed.contains("completed"), "the session is still there: {listed}");
    down(server).await
}

#[tokio::test]
async fn mistakes_are_told_with_the_way_out() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let nowhere = tarsy(folder.path())
        .args(["--url", "http://127.0.0.1:9", "submit", "--example", "host"])
        .output()
        .await?;
    let why = String::from_utf8_lossy(&nowhere.stderr).into_owned();
    assert!(!nowhere.status.success() && why.contains("tarsy up"), "{why}");

    let unknown = tarsy(folder.path()).args(["submit", "--example", "hots"]).output().await?;
    let why = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(why.contains("there are host"), "{why}");

    let config = folder.path().join("config");
    std::fs::create_dir(&config)?;
    std::fs::write(config.join("tarsy.yaml"), "agent_chains:\n  mine:\n    alert_typs: [a]\n")?;
    let check = tarsy(folder.path())
        .args(["config", "check", "--dir", &config.display().to_string()])
        .output()
        .await?;
    let why = String::from_utf8_lossy(&check.stderr).into_owned();
    assert!(!check.status.success());
    assert!(why.contains("tarsy.yaml:3") && why.contains("alert_types"), "{why}");
    Ok(())
}
