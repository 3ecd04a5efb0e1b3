//! `tarsy demo`: follows the investigation of the recorded incident that comes with the server.

use std::process::ExitCode;

use crate::client::Client;
use crate::follow::{self, Detail};
use crate::output::{self, Format};

pub(crate) async fn run(
    client: &Client,
    (format, detail): (Format, Detail),
) -> anyhow::Result<ExitCode> {
    let id = client.start_demo().await?;
    output::remark(&format!("session {id} · {}", client.page_of(&id)));
    output::remark("recorded incident: tool results come from a record, nothing is executed");
    let ended = follow::session(client, &id, (format, detail)).await?;
    output::remark("for this machine: `tarsy submit --example host --follow`");
    Ok(ended)
}
