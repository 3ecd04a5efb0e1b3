//! How many claims of a report the recorded results bear out.

use serde::{Deserialize, Serialize};
use tarsy_contracts::recording::Recording;
use tarsy_evidence::{Call, Evidence, Verdict};
use utoipa::ToSchema;

/// The claims of a report by what became of them. All are counted by rules; see `docs/evidence.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = GroundingView)]
pub struct Grounding {
    /// All claims of the final analysis.
    pub claims: u32,
    /// Claims that a result shows.
    pub supported: u32,
    /// Claims that a result shows, though another one than they cite.
    pub supported_elsewhere: u32,
    /// Claims that no result shows.
    pub unsupported: u32,
    /// Claims of which a result shows another value.
    pub contradicted: u32,
    /// Citations of calls that were not made.
    pub ghost_citations: u32,
}

impl Grounding {
    /// The sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            claims: self.claims + other.claims,
            supported: self.supported + other.supported,
            supported_elsewhere: self.supported_elsewhere + other.supported_elsewhere,
            unsupported: self.unsupported + other.unsupported,
            contradicted: self.contradicted + other.contradicted,
            ghost_citations: self.ghost_citations + other.ghost_citations,
        }
    }
}

/// Checks the final analysis of an investigation against its own calls. Takes seconds for results of some MiB.
pub fn grounding(recording: &Recording) -> Grounding {
    let Some(analysis) = recording.report.final_analysis.as_deref() else {
        return Grounding::default();
    };
    let arguments: Vec<String> =
        recording.calls.iter().map(|call| call.arguments.to_string()).collect();
    let calls: Vec<Call<'_>> = recording
        .calls
        .iter()
        .zip(&arguments)
        .filter_map(|(call, arguments)| {
            Some(Call {
                number: u32::try_from(call.number).ok()?,
                tool: &call.tool,
                arguments,
                text: &call.result,
                answered_at: None,
            })
        })
        .collect();
    let runbook = recording.alert.runbook.as_deref().unwrap_or_default();
    let report = Evidence::new(&calls, &[&recording.alert.data, runbook]).check(analysis);
    let count = |verdict| u32::try_from(report.count(verdict)).unwrap_or(u32::MAX);
    Grounding {
        claims: u32::try_from(report.claims.len()).unwrap_or(u32::MAX),
        supported: count(Verdict::Supported) + count(Verdict::Uncited),
        supported_elsewhere: count(Verdict::SupportedElsewhere),
        unsupported: count(Verdict::Unsupported),
        contradicted: count(Verdict::Contradicted),
        ghost_citations: count(Verdict::NoSuchCall),
    }
}
