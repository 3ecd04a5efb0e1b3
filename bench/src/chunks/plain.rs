//! The same messages over NATS and nothing else: a connection for each reader.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use async_nats::{Client, ConnectOptions, ServerAddr, Subscriber};
use bytes::Bytes;
use futures::StreamExt as _;
use tarsy_domain::id::{SessionId, TimelineEventId};
use tokio::task::JoinSet;

use crate::chunks::load::Load;
use crate::chunks::timing::{Reader, Text};
use crate::chunks::viewers::{QUIET, collect};
use crate::samples::Samples;

const SUBJECT: &str = "bench.chunks";
pub(crate) async fn measure(url: &str, load: Load) -> anyhow::Result<Samples> {
    let text = Text::new(SessionId::new(), TimelineEventId::new(), load);
    let mut readers = JoinSet::new();
    for _ in 0..load.viewers {
        let client = connect(url).await?;
        let messages = client.subscribe(SUBJECT).await?;
        client.flush().await?;
        readers.spawn(read(client, messages, Reader::new(Arc::clone(&text))));
    }
    let client = connect(url).await?;
    tokio::time::sleep(QUIET).await;
    text.send(load.every, async |live, _| {
        let payload = Bytes::from(serde_json::to_vec(live)?);
        Ok(client.publish(SUBJECT, payload).await?)
    })
    .await?;
    collect(readers).await
}

async fn read(
    _client: Client,
    mut messages: Subscriber,
    mut reader: Reader,
) -> anyhow::Result<Reader> {
    while let Some(message) = messages.next().await {
        if reader.came(&message.payload, Instant::now())? {
            return Ok(reader);
        }
    }
    anyhow::bail!("the subscription ended before the last piece")
}

async fn connect(url: &str) -> anyhow::Result<Client> {
    let server: ServerAddr = url.parse()?;
    let (user, password) = (server.username(), server.password());
    let user = user.context("the URL has no user")?.to_owned();
    let password = password.context("the URL has no password")?.to_owned();
    Ok(ConnectOptions::with_user_and_password(user, password).connect(server).await?)
}
