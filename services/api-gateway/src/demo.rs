//! The recorded incident of the demo: an order service that fails since its deployment, one of the cases of `tests/cases`.

use tarsy_catalog::ResolvedChain;
use tarsy_contracts::recording::{RecordedReport, RecordedUsage, Recording};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;

/// A file of the case.
macro_rules! part {
    ($name:literal) => {
        include_str!(concat!("../../../tests/cases/wrong-variable/", $name))
    };
}

/// Tokens a second of the analyst: its investigation takes 10 to 15 seconds.
const PACE: u32 = 100;

/// The record; it has no report, which the demo writes.
pub(crate) fn recording() -> serde_json::Result<Recording> {
    let calls = part!("calls.jsonl").lines().map(serde_json::from_str);
    Ok(Recording {
        session_id: SessionId::new(),
        alert: serde_json::from_str(part!("alert.json"))?,
        chain: serde_json::from_str(part!("chain.json"))?,
        servers: serde_json::from_str(part!("tools.json"))?,
        calls: calls.collect::<Result<_, _>>()?,
        report: RecordedReport {
            status: SessionStatus::Completed,
            final_analysis: None,
            executive_summary: None,
            error_message: None,
        },
        usage: RecordedUsage::default(),
    })
}

/// The chain, so that people can read along.
pub(crate) fn paced(mut chain: ResolvedChain) -> ResolvedChain {
    for agent in chain.stages.iter_mut().flat_map(|stage| &mut stage.agents) {
        agent.provider.offline_tokens_per_second = Some(PACE);
    }
    chain.executive_summary_provider.offline_tokens_per_second = Some(PACE);
    chain
}

#[cfg(test)]
mod tests {
    use tarsy_catalog::Backend;

    use super::*;

    #[test]
    fn the_incident_needs_neither_a_key_nor_another_file() {
        let recording = recording().unwrap();
        assert!(recording.calls.len() > 10 && !recording.servers.is_empty());
        let chain = paced(serde_json::from_value(recording.chain).unwrap());
        let agents = || chain.stages.iter().flat_map(|stage| &stage.agents);
        assert!(agents().all(|agent| agent.provider.backend == Backend::Offline));
        assert!(agents().all(|agent| agent.provider.offline_tokens_per_second == Some(PACE)));
    }
}
