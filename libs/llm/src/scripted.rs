//! A model whose answers a test writes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::StreamExt as _;
use tokio::sync::Semaphore;

use crate::error::Error;
use crate::model::{Chunks, Llm};
use crate::request::{Chunk, Message, Request};

/// One answer of a scripted model.
#[derive(Clone, Debug)]
pub enum Script {
    /// Sends these chunks and ends.
    Answer(Vec<Chunk>),
    /// Sends the first chunks, waits for [`ScriptedLlm::resume`], then sends the second.
    Pause(Vec<Chunk>, Vec<Chunk>),
    /// Sends these chunks and fails.
    Failure(Vec<Chunk>, Error),
    /// Refuses the request before its stream begins.
    Refusal(Error),
    /// Never accepts the request.
    Unresponsive,
}

/// A model whose answers a test writes; a request beyond the script is a transport error.
#[derive(Clone, Debug)]
pub struct ScriptedLlm {
    answers: Arc<Mutex<VecDeque<Script>>>,
    requests: Arc<Mutex<Vec<Request>>>,
    gate: Arc<Semaphore>,
    /// The most tokens of a request.
    window: Option<usize>,
    /// The name of a form, and the answers to requests for it.
    of_format: Option<(String, Box<Self>)>,
}

impl ScriptedLlm {
    pub fn new(answers: impl IntoIterator<Item = Script>) -> Self {
        Self {
            answers: Arc::new(Mutex::new(answers.into_iter().collect())),
            requests: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
            window: None,
            of_format: None,
        }
    }

    /// Refuses requests of more tokens, as vendors do.
    #[must_use]
    pub fn with_window(self, tokens: usize) -> Self {
        Self { window: Some(tokens), ..self }
    }

    /// Answers requests for this form from a script of their own: they may come beside others.
    #[must_use]
    pub fn with_format(self, name: &str, answers: impl IntoIterator<Item = Script>) -> Self {
        Self { of_format: Some((name.to_owned(), Box::new(Self::new(answers)))), ..self }
    }

    /// The requests so far for the form of [`ScriptedLlm::with_format`].
    pub fn requests_of_format(&self) -> Vec<Request> {
        self.of_format.as_ref().map(|(_, scripted)| scripted.requests()).unwrap_or_default()
    }

    /// The requests so far, without those for the form of [`ScriptedLlm::with_format`].
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().map(|requests| requests.clone()).unwrap_or_default()
    }

    /// Lets one paused answer continue, now or when it comes to its pause.
    pub fn resume(&self) {
        self.gate.add_permits(1);
    }
}

#[async_trait]
impl Llm for ScriptedLlm {
    async fn generate(&self, request: Request) -> Result<Chunks, Error> {
        if let Some((name, scripted)) = &self.of_format
            && request.response_format.as_ref().is_some_and(|format| format.name == *name)
        {
            return scripted.generate(request).await;
        }
        let tokens = request.messages.iter().map(Message::counted_tokens);
        let refused = self.window.is_some_and(|window| tokens.sum::<usize>() > window);
        if let Ok(mut requests) = self.requests.lock() {
            requests.push(request);
        }
        if refused {
            return Err(Error::Provider {
                message: "the prompt is too long".to_owned(),
                code: "invalid_request".to_owned(),
                retryable: false,
                retry_after: None,
                variable: None,
            });
        }
        let answer = self.answers.lock().ok().and_then(|mut answers| answers.pop_front());
        Ok(match answer {
            Some(Script::Answer(chunks)) => futures::stream::iter(chunks).map(Ok).boxed(),
            Some(Script::Pause(before, after)) => {
                let gate = Arc::clone(&self.gate);
                let wait = futures::stream::once(async move {
                    if let Ok(permit) = gate.acquire().await {
                        permit.forget();
                    }
                    futures::stream::iter(after).map(Ok)
                });
                futures::stream::iter(before).map(Ok).chain(wait.flatten()).boxed()
            }
            Some(Script::Failure(chunks, error)) => futures::stream::iter(chunks)
                .map(Ok)
                .chain(futures::stream::iter([Err(error)]))
                .boxed(),
            Some(Script::Refusal(error)) => return Err(error),
            Some(Script::Unresponsive) => std::future::pending().await,
            None => return Err(Error::Transport("the script has no such answer".to_owned())),
        })
    }
}
