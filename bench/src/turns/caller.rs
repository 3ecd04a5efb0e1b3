//! Who asks for a turn and reads it: llm-service's caller, or a plain socket.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures::StreamExt as _;
use serde_json::{Value, json};
use tarsy_domain::event::Role;
use tarsy_domain::id::SessionId;
use tarsy_e2e::VENDOR;
use tarsy_llm::{Chunk, Config, GrpcLlm, Llm as _, Message, Request};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::samples::Samples;
use crate::turns::load::Read;
use crate::turns::vendor::{Script, TOKEN, Vendor};

/// Longer no turn of this bench takes.
const DEADLINE: Duration = Duration::from_mins(1);
const QUESTION: &str = "Say it.";

/// Through llm-service.
pub(crate) async fn through(llm: &GrpcLlm, script: &Script) -> anyhow::Result<Read> {
    let request = Request {
        session_id: SessionId::new(),
        execution_id: None,
        messages: vec![Message::new(Role::User, QUESTION)],
        tools: Vec::new(),
        config: Config {
            provider: VENDOR.to_owned(),
            backend: "langchain".to_owned(),
            model: script.model(),
            ..Config::default()
        },
        max_output_tokens: None,
        deadline: DEADLINE,
    };
    let mut chunks = llm.generate(request).await?;
    let mut reader = Reader::new(script);
    while let Some(chunk) = chunks.next().await {
        if let Chunk::Text(text) = chunk? {
            reader.read(&text)?;
        }
    }
    reader.end()
}

/// From the vendor itself, by the fewest means.
pub(crate) async fn plainly(vendor: &Vendor, script: &Script) -> anyhow::Result<Read> {
    let body = json!({
        "model": script.model(),
        "messages": [{ "role": "user", "content": QUESTION }],
        "stream": true,
    })
    .to_string();
    let mut socket = TcpStream::connect(vendor.address()).await?;
    socket.set_nodelay(true)?;
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: vendor\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(format!("{head}{body}").as_bytes()).await?;
    let mut lines = BufReader::new(socket).lines();
    let mut reader = Reader::new(script);
    while let Some(line) = lines.next_line().await? {
        let Some(data) = line.strip_prefix("data: ").filter(|data| data.starts_with('{')) else {
            continue;
        };
        let event: Value = serde_json::from_str(data)?;
        if let Some(text) = event.pointer("/choices/0/delta/content").and_then(Value::as_str) {
            reader.read(text)?;
        }
    }
    reader.end()
}

/// Looks at each token's time.
struct Reader<'a> {
    script: &'a Script,
    latencies: Samples,
    next: usize,
    first: Option<Instant>,
    last: Instant,
}

impl<'a> Reader<'a> {
    fn new(script: &'a Script) -> Self {
        let (latencies, last) = (Samples::default(), Instant::now());
        Self { script, latencies, next: 0, first: None, last }
    }

    /// Takes one or several tokens; joined ones came at the same time.
    fn read(&mut self, text: &str) -> anyhow::Result<()> {
        self.last = Instant::now();
        self.first.get_or_insert(self.last);
        anyhow::ensure!(text.len().is_multiple_of(TOKEN), "half a token came: {text:?}");
        for token in text.as_bytes().chunks(TOKEN) {
            let number: usize = std::str::from_utf8(token)?.trim().parse()?;
            anyhow::ensure!(number == self.next, "token {number} came instead of {}", self.next);
            self.latencies.push(self.last.duration_since(self.script.sent(number)?));
            self.next += 1;
        }
        Ok(())
    }

    fn end(self) -> anyhow::Result<Read> {
        let all = self.script.tokens();
        anyhow::ensure!(self.next == all, "{} of {all} tokens came", self.next);
        let first = self.first.context("nothing came")?;
        Ok(Read { latencies: self.latencies, first, last: self.last })
    }
}
