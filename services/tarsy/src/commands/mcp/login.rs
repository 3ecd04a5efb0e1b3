//! A login to a tool server: the authorization server redirects the browser to this process; the gateway does the rest.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tarsy_bus::{Bus, Error};
use tarsy_contracts::mcp::{Ack, LoginFinish, LoginRequest, LoginStarted};
use tarsy_contracts::subject::{self, McpVerb};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::list::NO_GATEWAY;
use crate::output::{self, Format};

/// How long the gateway may take for one step.
const STEP: Duration = Duration::from_secs(90);
/// How long a person may take.
const TIMEOUT: Duration = Duration::from_mins(10);
/// How long a browser's request may take, and its size in bytes.
const REQUEST: Duration = Duration::from_secs(10);
const REQUEST_BYTES: usize = 16 * 1024;
const PATH: &str = "/callback";

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The server's id.
    server: String,
    /// The port of this machine that the browser is redirected to; an authorization server with registered
    /// clients has to allow `http://127.0.0.1:PORT/callback`.
    #[arg(long, default_value_t = 8979)]
    port: u16,
}

/// Begins the login, waits for the redirected browser, and finishes the login.
pub(super) async fn run(bus: &Bus, options: &Options, format: Format) -> anyhow::Result<ExitCode> {
    let listener = TcpListener::bind(("127.0.0.1", options.port)).await.with_context(|| {
        format!("could not listen on port {}; choose another with --port", options.port)
    })?;
    let base = format!("http://127.0.0.1:{}", listener.local_addr()?.port());
    let timeout_ms = u64::try_from(STEP.as_millis()).unwrap_or(u64::MAX);
    let asked = LoginRequest {
        server: options.server.clone(),
        redirect_uri: format!("{base}{PATH}"),
        timeout_ms,
    };
    let began: LoginStarted = ask(bus, subject::MCP_LOGIN.to_owned(), &asked).await?;
    match format {
        Format::Json => {
            output::json_line(&json!({ "authorization_url": began.authorization_url }))?;
        }
        Format::Text => {
            output::line("Open this address in a browser on this machine:");
            output::line(&began.authorization_url);
        }
    }
    output::remark("waiting for the login in the browser");
    let callback = tokio::time::timeout(TIMEOUT, callback(&listener, &base))
        .await
        .context("nobody logged in within ten minutes; start again")??;
    let finish = LoginFinish { login_id: began.login_id, callback_url: callback };
    let subject = subject::mcp_instance(&began.instance, McpVerb::Login);
    let Ack {} = ask(bus, subject, &finish).await?;
    match format {
        Format::Json => output::json_line(&json!({ "logged_in": options.server }))?,
        Format::Text => {
            output::line(&format!("logged in; agents can use '{}' now", options.server));
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn ask<Req, Rep>(bus: &Bus, subject: String, request: &Req) -> anyhow::Result<Rep>
where
    Req: serde::Serialize,
    Rep: serde::de::DeserializeOwned,
{
    match bus.request(subject, request, STEP).await {
        Err(Error::NoResponders { .. }) => anyhow::bail!(NO_GATEWAY),
        Err(Error::Refused(refusal)) => anyhow::bail!("{}", refusal.message),
        answered => answered.context("the tool gateway did not answer"),
    }
}

/// Answers requests until one is the authorization server's redirect; returns its whole URL.
async fn callback(listener: &TcpListener, base: &str) -> anyhow::Result<String> {
    loop {
        let (mut stream, _) = listener.accept().await?;
        let asked = tokio::time::timeout(REQUEST, target(&mut stream)).await;
        let Ok(Ok(Some(target))) = asked else { continue };
        let back = target.strip_prefix(PATH).is_some_and(|rest| rest.starts_with('?'));
        let (status, text) = if back {
            ("200 OK", "You can close this window. TARSy continues in the terminal.")
        } else {
            ("404 Not Found", "Not found.")
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{text}",
            text.len()
        );
        // The code is here; a browser that does not read the answer changes nothing.
        drop(stream.write_all(answer.as_bytes()).await);
        drop(stream.shutdown().await);
        if back {
            return Ok(format!("{base}{target}"));
        }
    }
}

/// The path and query of a GET request.
async fn target(stream: &mut TcpStream) -> anyhow::Result<Option<String>> {
    let mut head = Vec::new();
    let mut buffer = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") && head.len() < REQUEST_BYTES {
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            break;
        }
        head.extend(buffer.iter().take(read));
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let is_get = words.next() == Some("GET");
    Ok(words.next().filter(|_| is_get).map(str::to_owned))
}
