//! The transport over a subprocess's standard streams: one message per line.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::process::Pipes;
use crate::failure::SendError;
use crate::limits;
use crate::wire::{Incoming, Lines, with_number};

/// The size of the read buffer, in bytes.
const BUFFER_BYTES: usize = 64 * 1024;

pub(crate) struct StdioTransport {
    input: Arc<Mutex<Option<ChildStdin>>>,
    /// Whether the ids of requests are texts: those of a client of `serve` may be.
    has_text_ids: Arc<AtomicBool>,
    incoming: mpsc::Receiver<Incoming>,
    _reading: DropGuard,
}

impl StdioTransport {
    pub(crate) fn new(pipes: Pipes, tasks: &TaskTracker) -> Self {
        let (sender, incoming) = mpsc::channel(limits::INCOMING);
        let closed = CancellationToken::new();
        let stop = closed.clone();
        let has_text_ids = Arc::new(AtomicBool::new(false));
        let texts = Arc::clone(&has_text_ids);
        tasks.spawn(async move {
            tokio::select! {
                () = read(pipes.output, sender, &texts) => {}
                () = stop.cancelled() => {}
            }
        });
        Self {
            input: Arc::new(Mutex::new(Some(pipes.input))),
            has_text_ids,
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
        if let JsonRpcMessage::Request(request) = &message
            && matches!(request.id, RequestId::String(_))
        {
            self.has_text_ids.store(true, Ordering::Relaxed);
        }
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

async fn read(mut output: ChildStdout, sender: mpsc::Sender<Incoming>, texts: &AtomicBool) {
    let mut lines = Lines::new(limits::LINE_BYTES);
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let reading = output.read(&mut buffer);
        let read = if lines.is_open() {
            timeout(limits::NEXT_LINE, reading).await
        } else {
            Ok(reading.await)
        };
        let messages = match read {
            Ok(Ok(length @ 1..)) => lines.push(buffer.get(..length).unwrap_or_default()),
            Ok(Ok(_) | Err(_)) => return,
            Err(_) => lines.give_up(),
        };
        for message in messages {
            let message =
                if texts.load(Ordering::Relaxed) { message } else { with_number(message) };
            if sender.send(message).await.is_err() {
                return;
            }
        }
    }
}
