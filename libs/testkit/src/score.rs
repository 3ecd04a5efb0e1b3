//! Scores, answered as an orchestrator does.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::json;
use tarsy_domain::event::LlmInteractionKind;
use tarsy_domain::id::InteractionId;
use tarsy_domain::score::FailureTag;
use tarsy_store::{Judgement, NewLlmInteraction, ScoreClaim, ScoreEnd, Store};

const LEASE: Duration = Duration::from_mins(1);

/// A call of the model that judges: 100 tokens read, 20 written, for 30 millionths of a US dollar.
pub fn a_score_call() -> NewLlmInteraction {
    NewLlmInteraction {
        id: InteractionId::new(),
        stage_id: None,
        execution_id: None,
        kind: LlmInteractionKind::Score,
        provider: "judge".to_owned(),
        model_name: "judge-1".to_owned(),
        last_message_id: None,
        llm_request: json!({"messages": []}),
        llm_response: json!({"content": "{}"}),
        thinking_content: None,
        response_metadata: None,
        input_tokens: Some(100),
        output_tokens: Some(20),
        total_tokens: Some(120),
        thinking_tokens: None,
        tokens_estimated: false,
        cost_micro_usd: Some(30),
        duration_ms: Some(7),
        first_token_ms: None,
        finish_reason: None,
        timed_out: false,
        error_message: None,
        compaction: None,
        record: Box::default(),
        tools: Vec::new(),
    }
}

pub fn a_judgement(score: u8) -> Judgement {
    Judgement {
        score,
        analysis: "It looked at logs only.".to_owned(),
        failure_tags: vec![FailureTag::IncompleteEvidence],
        provider: "judge".to_owned(),
        model: "judge-1".to_owned(),
    }
}

/// Claims the score that waits, and counts for it.
pub async fn begin_score(store: &Store) -> anyhow::Result<ScoreClaim> {
    let claim = store.claim_score("owner", LEASE).await?.context("no score waits")?;
    let checks = store.find_score_checks(claim.session.id).await?;
    store.begin_score(claim.fence, &checks, "words").await?;
    Ok(claim)
}

/// Answers the score that waits: with this number of the model unless it fails.
pub async fn answer_score(store: &Store, number: u8, end: ScoreEnd) -> anyhow::Result<()> {
    let claim = begin_score(store).await?;
    if matches!(end, ScoreEnd::Completed(_)) {
        store.judge_score(claim.fence, a_judgement(number), a_score_call()).await?;
    }
    store.finish_score(claim.fence, end, None).await?;
    Ok(())
}
