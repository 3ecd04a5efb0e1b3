//! A model whose answers have no secrets: the one place where what a model writes enters.
//!
//! Whatever stores, streams, sends or shows an answer is behind it. What it wrote for a tool is masked, too, as people see
//! it; the call is made with what the model wrote.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use futures::{StreamExt as _, stream};
use tarsy_catalog::{AlertMasking, CallMasks, Catalog};
use tarsy_masking::{Live, Masker, WITHHELD};

use crate::error::Error;
use crate::model::{Chunks, Llm};
use crate::request::{Chunk, Grounding, Request, ToolCall, Unmasked};

/// The masks of what models write.
#[derive(Debug)]
pub struct AnswerMasks {
    /// None if `defaults.alert_masking` is disabled.
    text: Option<Masker>,
    calls: CallMasks,
}

impl AnswerMasks {
    /// An error names the pattern that cannot be used.
    pub fn new(catalog: &Catalog) -> Result<Self, tarsy_masking::Error> {
        let AlertMasking { enabled, pattern_group } = &catalog.defaults.alert_masking;
        let text = enabled.then(|| Masker::builder().group(pattern_group).build()).transpose()?;
        let refused = |server: &str, error: &tarsy_masking::Error| {
            tracing::error!(mcp.server = server, %error, "the masking patterns do not compile; arguments are withheld");
        };
        Ok(Self { text, calls: CallMasks::new(catalog, refused) })
    }

    fn mask(&self, text: &mut String) {
        if let Some(masker) = &self.text {
            *text = masker.mask_or_withhold(text).text.into_owned();
        }
    }

    /// The name of a tool that was offered stays as it is; any other one is a text of the model.
    fn call(&self, mut call: ToolCall, offered: &HashSet<String>) -> ToolCall {
        if !offered.contains(&call.name) {
            self.mask(&mut call.name);
        }
        let split = [call.name.split_once("__"), call.name.split_once('.')];
        let servers = split.into_iter().flatten().map(|(server, _)| server);
        let server = servers.min_by_key(|server| server.len()).unwrap_or_default();
        let masked = self.calls.mask(server, &call.arguments);
        if masked != call.arguments {
            call.unmasked = Unmasked::Kept(std::mem::replace(&mut call.arguments, masked));
        }
        call
    }

    fn grounding(&self, found: &mut Grounding) {
        found.queries.iter_mut().for_each(|query| self.mask(query));
        for source in &mut found.sources {
            self.mask(&mut source.uri);
            self.mask(&mut source.title);
        }
        found.supports.iter_mut().for_each(|support| self.mask(&mut support.text));
        self.mask(&mut found.search_entry_point);
    }
}

/// A model behind the masks.
pub struct MaskedLlm {
    model: Arc<dyn Llm>,
    masks: Arc<AnswerMasks>,
}

impl MaskedLlm {
    pub fn new(model: Arc<dyn Llm>, masks: AnswerMasks) -> Self {
        Self { model, masks: Arc::new(masks) }
    }
}

#[async_trait]
impl Llm for MaskedLlm {
    async fn generate(&self, request: Request) -> Result<Chunks, Error> {
        let offered = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let chunks = self.model.generate(request).await?;
        let mut answer = Answer {
            masks: Arc::clone(&self.masks),
            offered,
            text: Held::new(Chunk::Text),
            thinking: Held::new(Chunk::Thinking),
        };
        let end = stream::once(std::future::ready(None));
        let masked = chunks.map(Some).chain(end).flat_map(move |next| {
            let mut out = Vec::new();
            answer.take(next, &mut out);
            stream::iter(out)
        });
        Ok(masked.boxed())
    }
}

type Out = Vec<Result<Chunk, Error>>;

/// An answer while it arrives.
struct Answer {
    masks: Arc<AnswerMasks>,
    /// The names of the tools of the request.
    offered: HashSet<String>,
    text: Held,
    thinking: Held,
}

impl Answer {
    /// Takes the next chunk, none at the end.
    fn take(&mut self, next: Option<Result<Chunk, Error>>, out: &mut Out) {
        let masks = Arc::clone(&self.masks);
        match next {
            Some(Ok(chunk)) => self.chunk(chunk, &masks, out),
            Some(Err(error)) => {
                self.finish(&masks, out);
                out.push(Err(error));
            }
            None => self.finish(&masks, out),
        }
    }

    fn chunk(&mut self, mut chunk: Chunk, masks: &AnswerMasks, out: &mut Out) {
        match &mut chunk {
            Chunk::Text(delta) => {
                self.thinking.finish(masks, out);
                self.text.push(masks, delta, out);
                return;
            }
            // The text goes on behind it, and so may a secret: its end is still held back.
            Chunk::Thinking(delta) => {
                self.thinking.push(masks, delta, out);
                return;
            }
            Chunk::ToolCall(call) => {
                self.thinking.finish(masks, out);
                *call = masks.call(std::mem::take(call), &self.offered);
            }
            Chunk::CodeExecution { code, result } => {
                masks.mask(code);
                masks.mask(result);
            }
            Chunk::Grounding(found) => masks.grounding(found),
            Chunk::UrlContext(pages) => pages.iter_mut().for_each(|page| masks.mask(&mut page.url)),
            Chunk::Finish(_) => self.finish(masks, out),
            // The offline analyst writes from results that are masked; the rest is for machines.
            Chunk::Verdict(_) | Chunk::Usage(_) | Chunk::Response(_) | Chunk::ProviderState(_) => {}
        }
        out.push(Ok(chunk));
    }

    fn finish(&mut self, masks: &AnswerMasks, out: &mut Out) {
        self.thinking.finish(masks, out);
        self.text.finish(masks, out);
    }
}

/// Stands between two pieces of thinking, which are stored as one text: no secret is made of both.
const BREAK: &str = "\n\n";

/// A text whose end is held back.
struct Held {
    chunk: fn(String) -> Chunk,
    live: Live,
    is_empty: bool,
    /// Whether a piece of it was given out to its end.
    has_ended: bool,
    is_withheld: bool,
}

impl Held {
    fn new(chunk: fn(String) -> Chunk) -> Self {
        Self { chunk, live: Live::default(), is_empty: true, has_ended: false, is_withheld: false }
    }

    /// What is held back is announced by an empty chunk: the model is not idle.
    fn push(&mut self, masks: &AnswerMasks, delta: &str, out: &mut Out) {
        let Some(masker) = &masks.text else {
            out.push(Ok((self.chunk)(delta.to_owned())));
            return;
        };
        self.is_empty = false;
        let begin =
            if delta.is_empty() || !std::mem::take(&mut self.has_ended) { "" } else { BREAK };
        let given =
            if self.is_withheld { Ok(String::new()) } else { self.live.push(masker, delta) };
        let given = given.unwrap_or_else(|error| self.withhold(&error));
        let given = format!("{begin}{given}");
        out.push(Ok((self.chunk)(given)));
    }

    fn finish(&mut self, masks: &AnswerMasks, out: &mut Out) {
        let Some(masker) = masks.text.as_ref().filter(|_| !self.is_empty) else { return };
        if !self.is_withheld {
            let rest = self.live.finish(masker);
            let rest = rest.unwrap_or_else(|error| self.withhold(&error));
            if !rest.is_empty() {
                out.push(Ok((self.chunk)(rest)));
            }
        }
        *self = Self { has_ended: true, ..Self::new(self.chunk) };
    }

    fn withhold(&mut self, error: &tarsy_masking::Error) -> String {
        tracing::error!(%error, "the rest of an answer could not be masked, and is withheld");
        self.is_withheld = true;
        WITHHELD.to_owned()
    }
}

#[cfg(test)]
mod tests;
