//! The transport over a subprocess's standard streams: one message per line.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::process::Pipes;
use super::wire::{Incoming, Message};
use crate::failure::SendError;
use crate::limits;

/// The size of the read buffer, in bytes.
const BUFFER_BYTES: usize = 64 * 1024;

pub(crate) struct StdioTransport {
    input: Arc<Mutex<Option<ChildStdin>>>,
    incoming: mpsc::Receiver<Incoming>,
    _reading: DropGuard,
}

impl StdioTransport {
    pub(crate) fn new(pipes: Pipes, tasks: &TaskTracker) -> Self {
        let (sender, incoming) = mpsc::channel(limits::INCOMING);
        let closed = CancellationToken::new();
        let stop = closed.clone();
        tasks.spawn(async move {
            tokio::select! {
                () = read(pipes.output, sender) => {}
                () = stop.cancelled() => {}
            }
        });
        Self {
            input: Arc::new(Mutex::new(Some(pipes.input))),
            incoming,
            _reading: closed.drop_guard(),
        }
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = SendError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let input = Arc::clone(&self.input);
        async move {
            let mut line = serde_json::to_vec(&message).map_err(SendError::Unwritable)?;
            line.push(b'\n');
            match input.lock().await.as_mut() {
                Some(input) => write(input, &line).await,
                None => Err(SendError::NotSent("the server's input is closed".to_owned())),
            }
        }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), SendError> {
        drop(self.input.lock().await.take());
        Ok(())
    }
}

/// Writes a line. The server ignores an incomplete line, so that a failure before its end is `NotSent`.
async fn write(input: &mut ChildStdin, line: &[u8]) -> Result<(), SendError> {
    let mut rest = line;
    while !rest.is_empty() {
        match input.write(rest).await {
            Ok(written @ 1..) => rest = rest.get(written..).unwrap_or_default(),
            // More than the line end is missing: the server cannot have parsed the message.
            Ok(_) | Err(_) if rest.len() > 1 => {
                return Err(SendError::NotSent("the server does not read its input".to_owned()));
            }
            Ok(_) => {
                return Err(SendError::Broken("the server does not read its input".to_owned()));
            }
            Err(error) => return Err(SendError::Broken(error.to_string())),
        }
    }
    input.flush().await.map_err(|error| SendError::Broken(error.to_string()))
}

async fn read(mut output: ChildStdout, sender: mpsc::Sender<Incoming>) {
    let mut message = Message::new(limits::LINE_BYTES);
    let mut buffer = vec![0; BUFFER_BYTES];
    while let Ok(length @ 1..) = output.read(&mut buffer).await {
        let mut rest = buffer.get(..length).unwrap_or_default();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, next) = rest.split_at(end);
            message.add(line);
            rest = next.get(1..).unwrap_or_default();
            if let Some(message) = message.take()
                && sender.send(message).await.is_err()
            {
                return;
            }
        }
        message.add(rest);
    }
}
