//! An LLM vendor, played over its wire protocol by aimock, with a script for each test.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_embedded::{Child, Spec, free_port};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

/// One turn of the model.
#[derive(Clone, Debug)]
pub enum Reply {
    /// It asks for these calls: name and arguments.
    Calls(Vec<(&'static str, Value)>),
    /// It says this, all at once.
    Says(&'static str),
    /// It says this, in small pieces with this pause between them, in milliseconds.
    Streams(String, u64),
}

/// A running vendor.
#[derive(Debug)]
pub struct Vendor {
    port: u16,
    _child: Child,
}

impl Vendor {
    /// Starts a vendor whose model takes these turns in every investigation, and writes a synthesis
    /// and an executive summary.
    pub async fn start(folder: &Path, turns: &[Reply]) -> anyhow::Result<Self> {
        let program = tarsy_testkit::workspace().join("tests/vendor/node_modules/.bin/llmock");
        anyhow::ensure!(program.exists(), "run `make setup-test` first: aimock is missing");
        let fixtures = folder.join("fixtures.json");
        std::fs::write(&fixtures, serde_json::to_vec_pretty(&script(turns))?)?;
        let port = free_port()?;
        let args = [
            "--port",
            &port.to_string(),
            "--fixtures",
            &fixtures.display().to_string(),
            "--strict",
            "--log-level",
            "warn",
        ];
        let child = Child::start(&Spec {
            program,
            args: args.map(str::to_owned).to_vec(),
            env: Vec::new(),
            log: folder.join("vendor.log"),
            user: None,
            remove: None,
        })
        .await?;
        let deadline = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            anyhow::ensure!(Instant::now() < deadline, "the vendor did not start");
            // A server announces its readiness only by listening.
            sleep(Duration::from_millis(20)).await;
        }
        Ok(Self { port, _child: child })
    }

    /// Where the vendor's `OpenAI` protocol is served.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// How many requests it has had.
    pub async fn requests(&self) -> anyhow::Result<usize> {
        let journal = format!("http://127.0.0.1:{}/__aimock/journal", self.port);
        let entries: Value = reqwest::get(journal).await?.json().await?;
        entries.as_array().map(Vec::len).context("the vendor keeps no journal")
    }
}

fn script(turns: &[Reply]) -> Value {
    let mut fixtures = vec![
        json!({
            "match": { "systemMessage": "executive summary" },
            "response": { "content": "The summary: all is explained." },
        }),
        json!({
            "match": { "systemMessage": "the synthesis of several investigations" },
            "response": { "content": "The synthesis: all agree." },
        }),
    ];
    for (index, reply) in turns.iter().enumerate() {
        let mut fixture = json!({ "match": { "turnIndex": index } });
        match reply {
            Reply::Calls(calls) => {
                let calls: Vec<Value> = calls
                    .iter()
                    .enumerate()
                    .map(|(number, (name, arguments))| {
                        json!({
                            "id": format!("call-{index}-{number}"),
                            "name": name,
                            "arguments": arguments.to_string(),
                        })
                    })
                    .collect();
                fixture["response"] = json!({ "toolCalls": calls });
            }
            Reply::Says(text) => fixture["response"] = json!({ "content": text }),
            Reply::Streams(text, pause) => {
                fixture["response"] = json!({ "content": text });
                fixture["latency"] = json!(pause);
                fixture["chunkSize"] = json!(12);
            }
        }
        fixtures.push(fixture);
    }
    json!({ "fixtures": fixtures })
}
