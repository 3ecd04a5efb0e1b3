//! The protocol over a subprocess's standard streams: one message a line.

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

/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// The two streams of a subprocess.
pub(super) struct StdioTransport {
    input: Arc<Mutex<Option<ChildStdin>>>,
    incoming: mpsc::Receiver<Incoming>,
    _reading: DropGuard,
}

impl StdioTransport {
    /// Speaks over these streams.
    pub(super) fn new(pipes: Pipes, tasks: &TaskTracker) -> Self {
        let (sender, incoming) = mpsc::channel(limits::INCOMING);
        let over = CancellationToken::new();
        let ended = over.clone();
        tasks.spawn(async move {
            tokio::select! {
                () = read(pipes.output, sender) => {}
                () = ended.cancelled() => {}
            }
        });
        Self {
            input: Arc::new(Mutex::new(Some(pipes.input))),
            incoming,
            _reading: over.drop_guard(),
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
                None => Err(SendError::NotSent("its input is closed".to_owned())),
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

/// Writes a line; one that did not go out whole was never a request.
async fn write(input: &mut ChildStdin, line: &[u8]) -> Result<(), SendError> {
    let mut rest = line;
    while !rest.is_empty() {
        match input.write(rest).await {
            Ok(written @ 1..) => rest = rest.get(written..).unwrap_or_default(),
            // What is left is more than the end of the line: nobody can have understood the rest.
            Ok(_) | Err(_) if rest.len() > 1 => {
                return Err(SendError::NotSent("it reads no more".to_owned()));
            }
            Ok(_) => return Err(SendError::Broken("it reads no more".to_owned())),
            Err(error) => return Err(SendError::Broken(error.to_string())),
        }
    }
    input.flush().await.map_err(|error| SendError::Broken(error.to_string()))
}

async fn read(mut output: ChildStdout, sender: mpsc::Sender<Incoming>) {
    let mut message = Message::new(limits::LINE_BYTES);
    let mut buffer = vec![0; PIECE];
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
