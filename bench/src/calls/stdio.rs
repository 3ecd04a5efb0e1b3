//! The least client that an MCP server on standard streams needs.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

const TIMEOUT: Duration = Duration::from_secs(10);

/// The ledger server of the end-to-end tests, as a process of our own.
pub(crate) struct Server {
    _child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    id: u64,
}

impl Server {
    pub(crate) async fn start(ledger: &Path) -> anyhow::Result<Self> {
        let workspace = tarsy_testkit::workspace();
        let mut child = Command::new(workspace.join(".tarsy/venv/bin/python"))
            .arg(workspace.join("tests/servers/ledger.py"))
            .env("LEDGER", ledger)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdin = child.stdin.take().context("no standard input")?;
        let stdout = child.stdout.take().context("no standard output")?;
        let lines = BufReader::new(stdout).lines();
        let mut server = Self { _child: child, stdin, lines, id: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        });
        server.request("initialize", &hello).await?;
        server.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(server)
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: &str) -> anyhow::Result<Value> {
        let arguments: Value = serde_json::from_str(arguments)?;
        self.request("tools/call", &json!({ "name": tool, "arguments": arguments })).await
    }

    async fn request(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.id += 1;
        let message =
            json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        self.write(&message).await?;
        let line = timeout(TIMEOUT, self.lines.next_line()).await.context("no answer")??;
        let mut answer: Value = serde_json::from_str(&line.context("the server ended")?)?;
        let answered = answer.get("id").and_then(Value::as_u64);
        anyhow::ensure!(answered == Some(self.id), "the answer is to another request: {answer}");
        let result = answer.get_mut("result").map(Value::take);
        result.with_context(|| format!("the server refused: {answer}"))
    }

    async fn write(&mut self, message: &Value) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.stdin.write_all(&line).await?;
        Ok(self.stdin.flush().await?)
    }
}
