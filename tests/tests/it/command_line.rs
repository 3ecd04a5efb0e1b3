//! The command line, as a newcomer uses it: up, submit, stop, up again.

#![expect(clippy::indexing_slicing, reason = "a missing field fails the test")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::Connection as _;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

const START: Duration = Duration::from_mins(2);
/// Lines of `--follow` for an example about this machine.
const FOLLOWED: usize = 25;

fn program() -> PathBuf {
    let mut path = std::env::current_exe().unwrap_or_default();
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    path.join("tarsy")
}

pub(crate) fn tarsy(home: &Path) -> Command {
    let mut command = Command::new(program());
    command.current_dir(tarsy_testkit::workspace()).arg("--home").arg(home).kill_on_drop(true);
    let keys = ["GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "XAI_API_KEY"];
    let cluster = ["KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"];
    for name in keys.iter().chain(&cluster) {
        command.env_remove(name);
    }
    command
}

/// Starts everything; returns the address that it prints.
async fn up(home: &Path) -> anyhow::Result<(Child, String)> {
    start(tarsy(home).args(["up", "--port", "0"])).await
}

/// Starts this command, which starts everything.
pub(crate) async fn start(command: &mut Command) -> anyhow::Result<(Child, String)> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
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

pub(crate) async fn down(mut child: Child) -> anyhow::Result<()> {
    let pid = i32::try_from(child.id().context("it has ended already")?)?;
    kill(Pid::from_raw(pid), Signal::SIGINT)?;
    let status = tokio::time::timeout(START, child.wait()).await??;
    anyhow::ensure!(status.success(), "it did not stop cleanly: {status}");
    Ok(())
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn problem(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) async fn run(home: &Path, words: &[&str]) -> anyhow::Result<Output> {
    Ok(tokio::time::timeout(START, tarsy(home).args(words).output()).await??)
}

/// Tool servers can be looked at and tried out while everything runs.
async fn tool_servers_are_tried_out(home: &Path) -> anyhow::Result<()> {
    let tools = run(home, &["mcp", "tools", "host"]).await?;
    let listed = text(&tools);
    assert!(
        tools.status.success() && listed.contains("host.disk_usage"),
        "{listed}{}",
        problem(&tools)
    );
    let json = run(home, &["mcp", "tools", "host", "--json"]).await?;
    let json: serde_json::Value = serde_json::from_slice(&json.stdout)?;
    assert!(json[0]["input_schema"].is_object(), "{json}");
    let unknown = run(home, &["mcp", "tools", "hots"]).await?;
    assert!(
        !unknown.status.success() && problem(&unknown).contains("there are: host"),
        "{}",
        problem(&unknown)
    );
    // Servers are looked after now and then.
    let healthy = async {
        loop {
            let servers = text(&run(home, &["mcp", "servers"]).await?);
            if servers.lines().any(|line| line.starts_with("host\thealthy\t")) {
                return anyhow::Ok(());
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    tokio::time::timeout(START, healthy).await.context("the host's server is not healthy")??;

    let called = run(home, &["mcp", "call", "host.system_overview"]).await?;
    assert!(
        called.status.success() && text(&called).contains("load"),
        "{}{}",
        text(&called),
        problem(&called)
    );
    let json = run(home, &["mcp", "call", "host__system_overview", "--json"]).await?;
    let json: serde_json::Value = serde_json::from_slice(&json.stdout)?;
    assert_eq!(json["is_error"], false, "{json}");
    let missing = run(home, &["mcp", "call", "host.nothing"]).await?;
    assert!(
        !missing.status.success() && text(&missing).contains("host.disk_usage"),
        "{}",
        text(&missing)
    );
    let odd = run(home, &["mcp", "call", "host.disk_usage", "oops"]).await?;
    assert!(!odd.status.success() && problem(&odd).contains("key=value"), "{}", problem(&odd));
    let nothing = run(home, &["mcp", "call", "disk_usage"]).await?;
    assert!(
        !nothing.status.success() && problem(&nothing).contains("server.tool"),
        "{}",
        problem(&nothing)
    );
    Ok(())
}

/// Runs a command with `--json`; returns what it prints.
async fn json(home: &Path, words: &[&str]) -> anyhow::Result<serde_json::Value> {
    let output = run(home, &[words, &["--json"]].concat()).await?;
    anyhow::ensure!(output.status.success(), "{words:?}: {}", problem(&output));
    serde_json::from_slice(&output.stdout).with_context(|| format!("{words:?}: {}", text(&output)))
}

/// A token is created, used, listed and revoked.
async fn tokens_are_managed(home: &Path) -> anyhow::Result<()> {
    let create = ["token", "create", "alertmanager", "--alert-type", "host"];
    let created = json(home, &create).await?;
    let token = created["token"].as_str().context("no token")?.to_owned();
    let twice = run(home, &create).await?;
    assert!(!twice.status.success() && problem(&twice).contains("revoke"), "{}", problem(&twice));
    let nothing = run(home, &["token", "create", "x"]).await?;
    assert!(problem(&nothing).contains("--role"), "{}", problem(&nothing));

    let submit = ["submit", "--example", "host", "--token", &token];
    let submitted = run(home, &submit).await?;
    assert!(submitted.status.success(), "{}", problem(&submitted));
    let denied = run(home, &["sessions", "--token", &token]).await?;
    assert!(problem(&denied).contains("viewer"), "{}", problem(&denied));
    let listed = text(&run(home, &["token", "list"]).await?);
    assert!(listed.contains("submit host") && !listed.contains(&token), "{listed}");
    let separated = |line: &str| line.matches('\t').count() == 4 && !line.contains("  ");
    assert!(listed.lines().all(separated), "a pipe has tabs and no padding: {listed}");
    let revoked = run(home, &["token", "revoke", "alertmanager"]).await?;
    assert!(text(&revoked).contains("revoked"), "{}", problem(&revoked));
    assert_eq!(json(home, &["token", "list"]).await?, serde_json::json!([]));
    Ok(())
}

/// Submits with every option, asks, cancels and lists, with JSON for scripts.
async fn sessions_are_driven_from_the_command_line(home: &Path) -> anyhow::Result<()> {
    let alert = home.join("alert.txt");
    std::fs::write(&alert, "the disk of this host is full")?;
    let tools = home.join("tools.json");
    std::fs::write(&tools, r#"{"servers": [{"name": "host", "tools": ["disk_usage"]}]}"#)?;
    let (alert, tools) = (alert.display().to_string(), tools.display().to_string());
    let submit = ["submit", "--data", &alert, "--type", "host", "--tools", &tools];
    let more = ["--fingerprint", "disk full on host-1", "--idempotency-key", "key-1"];
    let submit = [&submit[..], &more[..]].concat();
    let first = json(home, &submit).await?;
    let id = first["session_id"].as_str().context("no session")?;
    assert_eq!(json(home, &submit).await?["session_id"], id, "the same key, the same session");
    let watched = run(home, &["watch", id, "--json"]).await?;
    let events = text(&watched);
    let last: serde_json::Value = serde_json::from_str(events.lines().last().context("nothing")?)?;
    assert_eq!(last["status"], "completed", "{events}");
    let mut calls = events.lines().filter(|line| line.contains("\"tool_name\"")).peekable();
    assert!(calls.peek().is_some(), "{events}");
    assert!(calls.all(|line| line.contains("disk_usage")), "only the requested tool: {events}");

    let asked = run(home, &["ask", id, "Which disk?", "--follow"]).await?;
    assert_eq!(
        text(&asked).lines().last(),
        Some("completed"),
        "{}{}",
        text(&asked),
        problem(&asked)
    );
    let late = run(home, &["cancel", id, "--json"]).await?;
    let why: serde_json::Value = serde_json::from_slice(&late.stderr)?;
    assert!(!late.status.success(), "{}", text(&late));
    assert!(why["error"].as_str().is_some_and(|why| why.contains("nothing to cancel")), "{why}");

    let shown = text(&run(home, &["show", id]).await?);
    assert!(shown.contains("Summary") && shown.contains("completed"), "{shown}");
    let end = id.get(28..).context("a short id")?;
    for named in ["latest", end] {
        assert_eq!(text(&run(home, &["show", named]).await?), shown, "{named}");
    }
    let unknown = run(home, &["show", "beefbeef"]).await?;
    assert!(problem(&unknown).contains("`tarsy sessions` lists them"), "{}", problem(&unknown));
    let verbose = run(home, &["watch", id, "--verbose"]).await?;
    assert!(text(&verbose).contains("file_systems"), "results, too: {}", text(&verbose));
    assert!(text(&run(home, &["approvals"]).await?).contains("no tool call waits"));
    let unknown = run(home, &["approve", "0198"]).await?;
    assert!(problem(&unknown).contains("`tarsy approvals` lists them"), "{}", problem(&unknown));

    let bad = run(home, &["submit", "--example", "host", "--tools", "{\"servers\": 7}"]).await?;
    assert!(!bad.status.success() && problem(&bad).contains("mcp.servers"), "{}", problem(&bad));
    let sessions = json(home, &["sessions", "--limit", "1"]).await?;
    assert_eq!(sessions[0]["id"], id, "{sessions}");
    assert!(json(home, &["warnings"]).await?.is_array());
    assert!(json(home, &["dead", "list"]).await?.is_array());
    let checked = json(home, &["config", "check"]).await?;
    assert!(checked["valid"] == true && checked["skills"][0]["name"] == "disk", "{checked}");
    let asked = text(&run(home, &["ask", id, "Since when?"]).await?);
    assert!(asked.contains(&format!("/sessions/{id}")), "where the answer appears: {asked}");
    Ok(())
}

/// Messages that were put aside can be listed and sent again.
async fn dead_letters_are_sent_again(home: &Path) -> anyhow::Result<()> {
    assert!(text(&run(home, &["dead", "list"]).await?).contains("there are no dead letters"));
    let running: serde_json::Value =
        serde_json::from_slice(&std::fs::read(home.join("run.json"))?)?;
    let url = running["database_url"].as_str().context("no database")?;
    let mut sql = sqlx::PgConnection::connect(url).await?;
    let id = uuid::Uuid::now_v7().to_string();
    sqlx::query(
        "insert into dead_letters (id, subject, payload, error, deliveries)
         values ($1::uuid, 'tarsy.intake.alert', 'no alert', 'it is no alert', 1)",
    )
    .bind(&id)
    .execute(&mut sql)
    .await?;
    let listed = text(&run(home, &["dead", "list"]).await?);
    assert!(listed.contains(&id) && listed.contains("it is no alert"), "{listed}");
    let unknown = run(home, &["dead", "retry", "17"]).await?;
    assert!(
        !unknown.status.success() && problem(&unknown).contains("dead list"),
        "{}",
        problem(&unknown)
    );
    let again = run(home, &["dead", "retry", &id]).await?;
    assert!(
        again.status.success() && text(&again).contains("published again"),
        "{}",
        problem(&again)
    );
    // It still is not an alert, so that it becomes another dead letter.
    let returned = async {
        loop {
            let listed = text(&run(home, &["dead", "list"]).await?);
            if !listed.contains(&id) && listed.contains("tarsy.intake.alert") {
                return anyhow::Ok(());
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    tokio::time::timeout(START, returned).await.context("it never came back")?
}

/// A text that came through, and then its session, are taken away: by administrators alone, with a reason, and exports say so.
async fn what_must_not_stay_is_taken_away(home: &Path) -> anyhow::Result<()> {
    const TEXT: &str = "Walrus of the 7th harbour";
    const REASON: &str = "names a customer";
    let created = ["token", "create", "on-call", "--role", "operator"];
    let token = json(home, &created).await?["token"].as_str().context("no token")?.to_owned();
    let (alert, leaked) = (home.join("leak.txt"), home.join("leaked.txt"));
    std::fs::write(&alert, format!("the disk is full, says {TEXT}"))?;
    std::fs::write(&leaked, format!("{TEXT}\n"))?;
    let (alert, leaked) = (alert.display().to_string(), leaked.display().to_string());
    let submitted = json(home, &["submit", "--data", &alert, "--type", "host"]).await?;
    let id = submitted["session_id"].as_str().context("no session")?;
    assert!(run(home, &["watch", id]).await?.status.success());

    let redact = ["redact", &leaked, "--reason", REASON];
    let counted = json(home, &redact).await?;
    assert_eq!(
        (&counted["removed"], &counted["rows"]["alert_sessions"]),
        (&false.into(), &1.into()),
        "{counted}"
    );
    let delete = ["sessions", "delete", id, "--reason", REASON];
    for words in [&redact[..], &delete] {
        let refused = run(home, &[words, &["--token", &token]].concat()).await?;
        let why = problem(&refused);
        assert!(!refused.status.success() && why.contains("admin") && !why.contains(TEXT), "{why}");
    }
    for words in [&["sessions", "delete", id][..], &["redact", &leaked, "--yes"]] {
        let unreasoned = run(home, words).await?;
        assert!(
            !unreasoned.status.success() && problem(&unreasoned).contains("--reason"),
            "{unreasoned:?}"
        );
    }

    let removed = json(home, &[&redact[..], &["--yes"]].concat()).await?;
    assert_eq!(
        (&removed["complete"], &removed["queued_alerts"]),
        (&true.into(), &0.into()),
        "{removed}"
    );
    let case = home.join("case");
    let save = ["case", "save", id, &case.display().to_string()];
    assert!(run(home, &save).await?.status.success());
    let mut exported = String::new();
    for file in std::fs::read_dir(&case)? {
        let path = file?.path();
        exported.extend(path.is_file().then(|| std::fs::read_to_string(path)).transpose()?);
    }
    assert!(exported.contains("[removed by an administrator: names a customer]"), "{exported}");
    assert!(!exported.contains(TEXT), "{exported}");

    let deleted = run(home, &delete).await?;
    assert_eq!(text(&deleted).trim(), format!("{id} is deleted"), "{}", problem(&deleted));
    for words in [&["show", id][..], &save, &delete] {
        let gone = run(home, words).await?;
        let why = problem(&gone);
        assert!(
            !gone.status.success() && why.contains("was deleted by") && why.contains(REASON),
            "{why}"
        );
    }
    assert!(text(&run(home, &["token", "revoke", "on-call"]).await?).contains("revoked"));
    Ok(())
}

/// Without the addresses of servers the API is asked.
async fn the_installation_is_checked_through_the_api(home: &Path, url: &str) -> anyhow::Result<()> {
    let checks = json(home, &["doctor", "--cluster"]).await?;
    let checks = checks.as_array().context("no list")?;
    let state = |name: &str| {
        checks.iter().find(|check| check["name"] == name).map(|check| check["state"].clone())
    };
    assert!(checks[0]["text"].as_str().is_some_and(|text| text.contains(url)), "{checks:?}");
    for name in ["primary", "schema", "connections", "standbys", "queue", "dead letters"] {
        assert_eq!(state(name), Some("ok".into()), "{name}: {checks:?}");
    }
    for name in ["streams", "replicas", "storage", "api-gateway", "mcp-gateway", "versions"] {
        assert_eq!(state(name), Some("ok".into()), "{name}: {checks:?}");
    }
    assert_eq!(state("providers"), Some("warning".into()), "no key is set: {checks:?}");
    let lines = text(&run(home, &["doctor", "--cluster"]).await?);
    assert_eq!(lines.lines().count(), checks.len(), "a line for each check: {lines}");

    let backups = home.join("backups");
    std::fs::create_dir_all(&backups)?;
    let with = ["doctor", "--cluster", "--backups", &backups.display().to_string()];
    let none = run(home, &with).await?;
    assert!(!none.status.success() && text(&none).contains("the folder has none"), "{none:?}");
    let taken = run(home, &["backup", &backups.display().to_string()]).await?;
    assert!(taken.status.success(), "{}", problem(&taken));
    let newest = run(home, &with).await?;
    assert!(newest.status.success() && text(&newest).contains("0 hours ago"), "{}", text(&newest));
    Ok(())
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "a measurement")]
async fn two_commands_lead_to_a_finished_investigation_and_a_restart_keeps_it() -> anyhow::Result<()>
{
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let begun = Instant::now();
    let (server, url) = up(&home).await?;
    let started = begun.elapsed();
    let id = server.id().context("it has ended already")?;
    let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
    assert!(status.contains("THP_enabled:\t0"), "huge pages would double its memory: {status}");
    let info: serde_json::Value =
        reqwest::get(format!("{url}/api/v1/system/info")).await?.json().await?;
    assert_eq!(info["llm"]["offline"], true, "without a key, the offline analyst says so: {info}");
    let page = reqwest::get(&url).await?.text().await?;
    assert!(page.contains("<div id=\"root\""), "the dashboard is served: {page}");
    let address = text(&run(&home, &["open"]).await?);
    tarsy_e2e::browse(address.trim(), "firstRun", &[]).await?;

    let begun = Instant::now();
    let submit = tarsy(&home).args(["submit", "--example", "host", "--follow"]).output().await?;
    let found = (started + begun.elapsed()).as_secs_f64();
    println!("measure from `tarsy up` to the finding: {found:.1} s (at most 15)");
    let run = text(&submit);
    assert!(submit.status.success(), "{run}{}", String::from_utf8_lossy(&submit.stderr));
    assert_eq!(run.lines().last(), Some("completed"), "{run}");
    let calls = run.lines().filter(|line| line.contains("call host.")).count();
    assert!(calls >= 3, "{run}");
    let lines = run.lines().count();
    println!("measure lines of `--follow`: {lines} (at most {FOLLOWED})");
    assert!(lines <= FOLLOWED, "a line for the calls of a tool, and the finding: {run}");

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
async fn an_installation_is_driven_from_the_command_line() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let (server, url) = up(&home).await?;
    let submissions = async {
        tokens_are_managed(&home).await?;
        sessions_are_driven_from_the_command_line(&home).await
    };
    tokio::try_join!(
        submissions,
        tool_servers_are_tried_out(&home),
        the_installation_is_checked_through_the_api(&home, &url),
    )?;
    tokio::try_join!(dead_letters_are_sent_again(&home), what_must_not_stay_is_taken_away(&home))?;
    down(server).await
}

/// The names in the environment of a process.
fn variables_of(process: u64) -> anyhow::Result<Vec<String>> {
    let environment = std::fs::read(format!("/proc/{process}/environ"))?;
    let environment = String::from_utf8_lossy(&environment).into_owned();
    let pairs = environment.split('\0').filter_map(|pair| pair.split_once('='));
    Ok(pairs.map(|(name, _)| name.to_owned()).collect())
}

#[tokio::test]
async fn model_keys_reach_llm_service_alone_and_it_listens_on_a_private_socket()
-> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let (home, config) = (folder.path().join("home"), folder.path().join("config"));
    std::fs::create_dir(&config)?;
    std::fs::write(
        config.join("tarsy.yaml"),
        "agent_chains:\n  host: {alert_types: [host], llm_provider: offline, stages: [{name: look, agents: [{name: HostAgent}]}]}\n",
    )?;
    let mut command = tarsy(&home);
    command.args(["up", "--port", "0", "--split", "--orchestrators", "1"]);
    command.env("TARSY_CONFIG_DIR", &config).env("TARSY_DEBUGGABLE", "true");
    command.env("OPENAI_API_KEY", "sk-unmistakable").env("OF_NOBODY", "a secret of the shell");
    let (server, url) = start(&mut command).await?;
    let running: serde_json::Value =
        serde_json::from_slice(&std::fs::read(home.join("run.json"))?)?;
    let mut seen = Vec::new();
    for process in running["processes"].as_array().context("no processes")? {
        let name = process[0].as_str().context("no name")?;
        let variables = variables_of(process[1].as_u64().context("no id")?)?;
        let knows = |name: &str| variables.iter().any(|one| one == name);
        seen.push(name.to_owned());
        assert!(knows("PATH"), "{name}: {variables:?}");
        assert_eq!(knows("OPENAI_API_KEY"), name == "llm-service", "{name}: {variables:?}");
        if ["PostgreSQL", "NATS", "llm-service"].contains(&name) {
            assert!(!knows("OF_NOBODY") && !knows("DATABASE_URL"), "{name}: {variables:?}");
        }
    }
    assert!(seen.len() >= 9, "{seen:?}");

    let info: serde_json::Value =
        reqwest::get(format!("{url}/api/v1/system/info")).await?.json().await?;
    assert_eq!(info["llm"]["provider"], "openai-default", "llm-service reports it: {info}");
    assert!(!info.to_string().contains("sk-unmistakable"), "{info}");

    let mode = |path: &Path| anyhow::Ok(std::fs::metadata(path)?.permissions().mode() & 0o777);
    // One for each worker.
    for address in running["llm_service_addr"].as_str().context("no address")?.split(',') {
        let socket = Path::new(address.strip_prefix("unix:").context("no socket")?);
        assert_eq!(mode(socket)?, 0o600);
        assert_eq!(mode(socket.parent().context("no folder")?)?, 0o700);
    }
    let submitted = run(&home, &["submit", "--example", "host", "--follow"]).await?;
    assert_eq!(text(&submitted).lines().last(), Some("completed"), "{}", problem(&submitted));
    down(server).await
}

/// Values are listed, usage errors are JSON where it is asked for, and without a command there is the help.
async fn usage_is_explained(home: &Path) -> anyhow::Result<()> {
    for (words, known) in [
        (["submit", "--example", "hots"], "possible values: host,"),
        (["sessions", "--status", "ended"], "possible values: pending, in_progress,"),
    ] {
        let unknown = run(home, &words).await?;
        assert!(problem(&unknown).contains(known), "{}", problem(&unknown));
        let unknown = run(home, &[&words[..], &["--json"]].concat()).await?;
        let why: serde_json::Value = serde_json::from_slice(&unknown.stderr)?;
        assert!(why["error"].as_str().is_some_and(|why| why.contains(known)), "{why}");
        assert_eq!(unknown.status.code(), Some(2));
    }
    for (variable, value) in [("TARSY_HOME", ""), ("TARSY_URL", "http://localhost:8080")] {
        let help = Command::new(program()).env(variable, value).output().await?;
        for part in ["Commands:", "Global options:", "Exit codes: 0 done"] {
            assert!(problem(&help).contains(part), "{variable}: {part}: {}", problem(&help));
        }
        assert_eq!(help.status.code(), Some(2));
    }
    let neither = problem(&run(home, &["submit"]).await?);
    assert!(neither.contains("--example") && neither.contains("--data"), "{neither}");
    Ok(())
}

#[tokio::test]
async fn mistakes_are_reported_with_the_fix() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let nowhere = tarsy(folder.path())
        .args(["--url", "http://127.0.0.1:9", "submit", "--example", "host"])
        .output()
        .await?;
    let why = String::from_utf8_lossy(&nowhere.stderr).into_owned();
    assert!(!nowhere.status.success() && why.contains("tarsy up"), "{why}");

    let nowhere = tarsy(folder.path())
        .args(["mcp", "servers"])
        .env("NATS_URL", "nats://someone:secret@127.0.0.1:9")
        .output()
        .await?;
    let why = problem(&nowhere);
    assert!(!nowhere.status.success() && why.contains("127.0.0.1:9"), "{why}");
    assert!(why.contains("tarsy up") && !why.contains("secret"), "{why}");

    // Whoever reads the first line only, as `head` does.
    let mut unread = tarsy(folder.path())
        .args(["config", "schema"])
        .env("TARSY_HOME", "")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    drop(unread.stdout.take());
    let ended = unread.wait_with_output().await?;
    assert!(ended.status.success() && ended.stderr.is_empty(), "{}", problem(&ended));

    // Whoever reads neither, as `2>&1 | head` does.
    let mut unread = tarsy(folder.path())
        .args(["--url", "http://127.0.0.1:9", "sessions"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    drop((unread.stdout.take(), unread.stderr.take()));
    assert_eq!(unread.wait().await?.code(), Some(1), "a failure, no panic");

    usage_is_explained(folder.path()).await?;

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

#[tokio::test]
async fn every_shell_gets_a_completion_script() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    for (shell, sign) in
        [("bash", "complete -F"), ("zsh", "#compdef tarsy"), ("fish", "complete -c")]
    {
        let script = run(folder.path(), &["completion", shell]).await?;
        let printed = text(&script);
        assert!(script.status.success() && printed.contains(sign), "{printed}");
        for word in ["idempotency-key", "warnings", "timed_out", "host-memory"] {
            assert!(printed.contains(word), "{word}: {printed}");
        }
    }
    let doctor = run(folder.path(), &["doctor", "--json"]).await?;
    let checks: serde_json::Value = serde_json::from_slice(&doctor.stdout)?;
    assert!(checks[0]["name"] == "settings" && checks[0]["state"] == "ok", "{checks}");
    let checks = checks.as_array().context("no list")?;
    let of = |provider: &str| {
        checks.iter().find(|check| {
            let text = check["text"].as_str().unwrap_or_default();
            check["name"] == "provider" && text.starts_with(provider)
        })
    };
    assert_eq!(of("offline: ").context("no offline analyst")?["state"], "ok");
    let openai = of("openai-default: ").context("no provider")?;
    assert_eq!(openai["state"], "absent");
    assert!(openai["text"].as_str().context("no text")?.contains("OPENAI_API_KEY is not set"));
    Ok(())
}

#[tokio::test]
async fn a_taken_port_is_reported_before_anything_starts() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let taken = std::net::TcpListener::bind("127.0.0.1:0")?;
    let address = taken.local_addr()?;
    let refused =
        tarsy(folder.path()).arg("up").env("TARSY_HTTP_ADDR", address.to_string()).output();
    let refused = tokio::time::timeout(START, refused).await??;
    let why = problem(&refused);
    assert!(
        !refused.status.success() && why.contains(&format!("port {} is taken", address.port())),
        "{why}"
    );
    assert!(why.contains("TARSY_HTTP_ADDR") && why.contains("--port"), "{why}");
    let logs = std::fs::read_dir(folder.path().join("logs"));
    let started = logs.into_iter().flatten().flatten().count();
    assert_eq!(started, 0, "nothing was started");
    assert!(!folder.path().join("postgres").exists(), "no database was made");
    Ok(())
}
