//! Runs checks beside the other work: they use a processor for a while.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tarsy_domain::claim::{CheckFailure, ClaimKind, Verdict};
use tarsy_evidence::{Call, Checked, Evidence};
use tarsy_store::NewClaim;
use tokio::sync::Semaphore;
use tokio::task::JoinError;

use crate::journal::Journal;

/// Checks of this process at a time: each may read 32 MiB of results. One that ran out of its time counts until it
/// ends.
const MAX_RUNNING: usize = 2;
/// How long a check may take, with the wait for others: the session waits for it. Some MiB of results take seconds.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The longest text, in bytes: a long analysis has some tens of thousands.
const MAX_TEXT_BYTES: usize = 512 * 1024;
/// The number of a source that is no call.
pub(super) const NO_CALL: u32 = 0;

/// Bounds the checks of this process; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Checker(Arc<Semaphore>);

/// A text, and what it is compared with.
pub(super) struct Job {
    pub(super) text: String,
    pub(super) sources: Vec<Source>,
    /// What needs no evidence.
    pub(super) given: Vec<String>,
}

/// The whole result of a call, or another text that claims may rest on.
pub(super) struct Source {
    /// The call's number, or [`NO_CALL`].
    pub(super) number: u32,
    pub(super) tool: String,
    /// As JSON.
    pub(super) arguments: String,
    pub(super) text: String,
    pub(super) answered_at: Option<Timestamp>,
}

impl Source {
    /// A text that no call returned.
    pub(super) fn text(number: u32, text: &str) -> Self {
        Self {
            number,
            tool: String::new(),
            arguments: String::new(),
            text: text.to_owned(),
            answered_at: None,
        }
    }
}

impl Checker {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MAX_RUNNING)))
    }

    /// The claims of a text, in its order.
    pub(super) async fn run(
        &self,
        journal: &Journal,
        job: Job,
    ) -> Result<Vec<NewClaim>, CheckFailure> {
        if job.text.len() > MAX_TEXT_BYTES {
            return Err(CheckFailure::TooLarge);
        }
        let places = Arc::clone(&self.0);
        let work = async move {
            let place = places.acquire_owned().await;
            let check = move || {
                let _place = place;
                claims(&job)
            };
            tokio::task::spawn_blocking(check).await
        };
        match journal.unless_stopped(tokio::time::timeout(TIMEOUT, work)).await {
            Ok(Ok(claims)) => claims.map_err(|error| failed(&error)),
            Ok(Err(_)) | Err(_) => Err(CheckFailure::TimedOut),
        }
    }
}

fn failed(error: &JoinError) -> CheckFailure {
    tracing::error!(%error, "a check of claims failed");
    CheckFailure::Failed
}

fn claims(job: &Job) -> Vec<NewClaim> {
    let calls: Vec<Call<'_>> = job
        .sources
        .iter()
        .map(|source| Call {
            number: source.number,
            tool: &source.tool,
            arguments: &source.arguments,
            text: &source.text,
            answered_at: source.answered_at,
        })
        .collect();
    let given: Vec<&str> = job.given.iter().map(String::as_str).collect();
    let report = Evidence::new(&calls, &given).check(&job.text);
    let offsets = Utf16Offsets::new(&job.text);
    report.claims.iter().map(|checked| claim(&job.text, &offsets, checked)).collect()
}

fn claim(text: &str, offsets: &Utf16Offsets, checked: &Checked) -> NewClaim {
    let range = checked.claim.range.clone();
    let place = checked.place;
    NewClaim {
        kind: kind(checked.claim.kind()),
        text: text.get(range.clone()).unwrap_or_default().to_owned(),
        start: offsets.at(range.start),
        end: offsets.at(range.end),
        verdict: match verdict(checked.verdict) {
            // What is no call cannot be cited.
            Verdict::SupportedElsewhere if place.is_some_and(|one| one.call == NO_CALL) => {
                Verdict::Uncited
            }
            verdict => verdict,
        },
        call: place.map(|place| place.call).filter(|call| *call != NO_CALL),
        line: place.map(|place| place.line),
        shown: checked.instead.clone(),
    }
}

const fn kind(kind: tarsy_evidence::ClaimKind) -> ClaimKind {
    match kind {
        tarsy_evidence::ClaimKind::Citation => ClaimKind::Citation,
        tarsy_evidence::ClaimKind::Quantity => ClaimKind::Quantity,
        tarsy_evidence::ClaimKind::Time => ClaimKind::Time,
        tarsy_evidence::ClaimKind::Quotation => ClaimKind::Quotation,
        tarsy_evidence::ClaimKind::Name => ClaimKind::Name,
    }
}

const fn verdict(verdict: tarsy_evidence::Verdict) -> Verdict {
    match verdict {
        tarsy_evidence::Verdict::Supported => Verdict::Supported,
        tarsy_evidence::Verdict::SupportedElsewhere => Verdict::SupportedElsewhere,
        tarsy_evidence::Verdict::Uncited => Verdict::Uncited,
        tarsy_evidence::Verdict::Unsupported => Verdict::Unsupported,
        tarsy_evidence::Verdict::Contradicted => Verdict::Contradicted,
        tarsy_evidence::Verdict::NoSuchCall => Verdict::NoSuchCall,
    }
}

/// How many UTF-16 code units stand before each byte of a text.
struct Utf16Offsets(Vec<usize>);

impl Utf16Offsets {
    fn new(text: &str) -> Self {
        let mut offsets = Vec::with_capacity(text.len() + 1);
        let mut units = 0;
        for char in text.chars() {
            offsets.extend(std::iter::repeat_n(units, char.len_utf8()));
            units += char.len_utf16();
        }
        offsets.push(units);
        Self(offsets)
    }

    fn at(&self, byte: usize) -> usize {
        self.0.get(byte).or_else(|| self.0.last()).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(text: &str) -> Job {
        let result = Source {
            tool: "host.disk_usage".to_owned(),
            ..Source::text(1, "filesystem size used\n/var 40G 39G\n")
        };
        Job { text: text.to_owned(), sources: vec![result], given: Vec::new() }
    }

    #[test]
    fn places_are_counted_as_browsers_do() {
        let text = "🔥 größer: 39G of `/var` [call 1], and [call 7].";
        let claims = claims(&job(text));
        let units: Vec<u16> = text.encode_utf16().collect();
        for claim in &claims {
            let shown = String::from_utf16(&units[claim.start..claim.end]).unwrap();
            assert_eq!(shown, claim.text);
        }
        let verdicts: Vec<_> =
            claims.iter().map(|claim| (claim.text.as_str(), claim.verdict)).collect();
        assert!(verdicts.contains(&("39G", Verdict::Supported)), "{verdicts:?}");
        let ghost = claims.iter().find(|claim| claim.verdict == Verdict::NoSuchCall).unwrap();
        assert_eq!((ghost.call, ghost.kind), (None, ClaimKind::Citation));
    }

    #[test]
    fn what_no_call_returned_has_a_line_and_no_number() {
        let mut job = job("It uses 39G.");
        job.sources[0].number = NO_CALL;
        let claims = claims(&job);
        assert_eq!((claims[0].call, claims[0].line), (None, Some(2)));
        assert_eq!(claims[0].verdict, Verdict::Uncited);
    }
}
