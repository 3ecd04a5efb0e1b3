//! A vendor's stream, read from its socket by the fewest means.

use std::sync::Arc;
use std::time::Instant;

use futures::future::try_join_all;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::vendor::Vendor;
use crate::vendor::load::Load;
use crate::vendor::reader::{Read, Reader};
use crate::vendor::script::Script;

pub(crate) const QUESTION: &str = "Say it.";

/// Asks for the texts of a load at the same time, and reads each on a connection of its own.
pub(crate) async fn read(vendor: &Vendor, load: Load) -> anyhow::Result<Vec<Read>> {
    try_join_all((0..load.streams).map(|_| read_one(vendor, vendor.script(load)))).await
}

async fn read_one(vendor: &Vendor, script: Arc<Script>) -> anyhow::Result<Read> {
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
        let at = Instant::now();
        let Some(data) = line.strip_prefix("data: ").filter(|data| data.starts_with('{')) else {
            continue;
        };
        let event: Value = serde_json::from_str(data)?;
        if let Some(text) = event.pointer("/choices/0/delta/content").and_then(Value::as_str) {
            reader.read(text, at)?;
        }
    }
    reader.end(0)
}
