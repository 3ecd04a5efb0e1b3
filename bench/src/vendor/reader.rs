//! Looks at the time of each token of one text.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::samples::Samples;
use crate::vendor::script::{Script, TOKEN};

/// What one stream brought.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) latencies: Samples,
    pub(crate) first: Instant,
    pub(crate) last: Instant,
}

/// How long after it was sent each token came.
pub(crate) fn latencies(read: Vec<Read>) -> Samples {
    let mut all = Samples::default();
    for one in read {
        all.absorb(one.latencies);
    }
    all
}

/// Reads one text.
#[derive(Debug)]
pub(crate) struct Reader {
    script: Arc<Script>,
    latencies: Vec<Duration>,
    /// The beginning of a token whose end has not come yet.
    rest: String,
    first: Option<Instant>,
    last: Instant,
}

impl Reader {
    pub(crate) fn new(script: Arc<Script>) -> Self {
        let (latencies, last) = (Vec::new(), Instant::now());
        Self { script, latencies, rest: String::new(), first: None, last }
    }

    /// Takes text that came at this moment: parts of tokens, or several of them.
    pub(crate) fn read(&mut self, text: &str, at: Instant) -> anyhow::Result<()> {
        self.last = at;
        self.first.get_or_insert(at);
        self.rest.push_str(text);
        let whole = self.rest.len() - self.rest.len() % TOKEN;
        let rest = self.rest.split_off(whole);
        let tokens = std::mem::replace(&mut self.rest, rest);
        for token in tokens.as_bytes().chunks(TOKEN) {
            let number: usize = std::str::from_utf8(token)?.trim().parse()?;
            let next = self.latencies.len();
            anyhow::ensure!(number == next, "token {number} came instead of {next}");
            self.latencies.push(at.saturating_duration_since(self.script.sent(number)?));
        }
        Ok(())
    }

    /// Whether every token has come.
    pub(crate) fn is_whole(&self) -> bool {
        self.latencies.len() == self.script.tokens()
    }

    /// What came, without the latencies of so many tokens at the beginning.
    pub(crate) fn end(self, warm_up: usize) -> anyhow::Result<Read> {
        let (came, all) = (self.latencies.len(), self.script.tokens());
        anyhow::ensure!(self.is_whole(), "{came} of {all} tokens came");
        let first = self.first.context("nothing came")?;
        let latencies = self.latencies.into_iter().skip(warm_up).collect();
        Ok(Read { latencies, first, last: self.last })
    }
}
