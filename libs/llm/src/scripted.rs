//! A model that says what a test wrote, turn by turn.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::StreamExt as _;
use tokio::sync::Semaphore;

use crate::{Chunk, Chunks, Error, Llm, Request};

/// One turn of a scripted model.
#[derive(Clone, Debug)]
pub enum Script {
    /// Says these chunks and ends.
    Says(Vec<Chunk>),
    /// Says these chunks, then waits until the test lets it go on, then says the rest.
    Pauses(Vec<Chunk>, Vec<Chunk>),
    /// Says these chunks and breaks.
    Breaks(Vec<Chunk>, Error),
}

/// A model that says what a test wrote; a turn beyond the script is an error.
#[derive(Clone, Debug)]
pub struct ScriptedLlm {
    turns: Arc<Mutex<VecDeque<Script>>>,
    asked: Arc<Mutex<Vec<Request>>>,
    gate: Arc<Semaphore>,
}

impl ScriptedLlm {
    /// A model with these turns.
    pub fn new(turns: impl IntoIterator<Item = Script>) -> Self {
        Self {
            turns: Arc::new(Mutex::new(turns.into_iter().collect())),
            asked: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
        }
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Request> {
        self.asked.lock().map(|asked| asked.clone()).unwrap_or_default()
    }

    /// Lets one paused turn go on.
    pub fn go_on(&self) {
        self.gate.add_permits(1);
    }
}

#[async_trait]
impl Llm for ScriptedLlm {
    async fn generate(&self, request: Request) -> Result<Chunks, Error> {
        if let Ok(mut asked) = self.asked.lock() {
            asked.push(request);
        }
        let turn = self.turns.lock().ok().and_then(|mut turns| turns.pop_front());
        Ok(match turn {
            Some(Script::Says(chunks)) => futures::stream::iter(chunks).map(Ok).boxed(),
            Some(Script::Pauses(before, after)) => {
                let gate = Arc::clone(&self.gate);
                let wait = futures::stream::once(async move {
                    if let Ok(permit) = gate.acquire().await {
                        permit.forget();
                    }
                    futures::stream::iter(after).map(Ok)
                });
                futures::stream::iter(before).map(Ok).chain(wait.flatten()).boxed()
            }
            Some(Script::Breaks(chunks, error)) => futures::stream::iter(chunks)
                .map(Ok)
                .chain(futures::stream::iter([Err(error)]))
                .boxed(),
            None => return Err(Error::Transport("the script has no such turn".to_owned())),
        })
    }
}
