//! The synthesis: one model call without tools that joins what the agents of a stage found.

use std::sync::Arc;

use tarsy_catalog::{ResolvedAgent, ResolvedStage, SuccessPolicy};
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::StageId;
use tarsy_domain::status::Phase;
use tarsy_llm::Message;
use tarsy_store::HistoryEvent;

use crate::engine::context::Context;
use crate::engine::conversation::Conversation;
use crate::engine::next::{ToolCalling, conclusion};
use crate::engine::progress::publish_phase;
use crate::engine::task::{AgentTask, Outcome};
use crate::engine::turn::{self, TurnOutcome, TurnRequest};
use crate::engine::{attached_alerts, resume};
use crate::journal::StopReason;
use crate::prompts::{Alert, Investigation};

/// The stage that joins the findings of another one: an ordinary stage with one agent.
pub(crate) fn stage(joined: &ResolvedStage, agent: &ResolvedAgent) -> ResolvedStage {
    ResolvedStage {
        name: format!("{} - Synthesis", joined.name),
        agents: vec![agent.clone()],
        parallel_type: None,
        success_policy: SuccessPolicy::All,
        synthesis: None,
    }
}

/// Joins the findings of the stage `joined`, or reads what an earlier owner stored of it.
pub(crate) async fn run(
    ctx: &Context,
    task: &AgentTask<'_>,
    joined: StageId,
) -> Result<Outcome, StopReason> {
    let mut conversation = resume::load(ctx, task).await?;
    let mut previous_timeouts = 0;
    if conversation.is_empty() {
        begin(ctx, task, joined, &mut conversation).await?;
    } else if let Some(analysis) = conclusion(&conversation, ToolCalling::Native) {
        return Ok(Outcome::completed(analysis));
    } else {
        previous_timeouts = turn::previous_timeouts(ctx, task, &conversation).await?;
        if let Some(outcome) = turn::exhausted(previous_timeouts, task, &conversation) {
            if !conversation.is_repair_requested() {
                return Ok(outcome);
            }
            return Ok(turn::keep_conclusion(ctx, task, &conversation).await?.unwrap_or(outcome));
        }
    }
    // Another turn corrects the first one, or goes on from it.
    loop {
        publish_phase(ctx, task, Phase::Synthesizing, "joining the findings").await;
        let request = TurnRequest {
            kind: LlmInteractionKind::Synthesis,
            tools: Arc::default(),
            usable: Arc::default(),
            previous_timeouts: std::mem::take(&mut previous_timeouts),
        };
        if let TurnOutcome::Failed(outcome) =
            turn::take(ctx, task, &mut conversation, request).await?
        {
            return Ok(outcome);
        }
        if conversation.last_turn().is_some() {
            let analysis = conclusion(&conversation, ToolCalling::Native);
            return Ok(Outcome::completed(analysis.unwrap_or_default()));
        }
    }
}

async fn begin(
    ctx: &Context,
    task: &AgentTask<'_>,
    joined: StageId,
    conversation: &mut Conversation,
) -> Result<(), StopReason> {
    let (session, plan) = (ctx.journal.session(), task.plan);
    let stages = ctx.journal.read(|store| store.list_stages(session)).await?;
    let name = stages.into_iter().find(|stage| stage.id == joined);
    let name = name.map(|stage| stage.stage_name).unwrap_or_default();
    let mut investigations = Vec::new();
    for execution in ctx.journal.read(|store| store.list_executions(session)).await? {
        // What a dispatched agent found is in the conclusion of the one that dispatched it.
        if execution.stage_id == joined && execution.parent_execution_id.is_none() {
            let id = execution.id;
            let mut events = ctx.journal.read(|store| store.list_execution_history(id)).await?;
            report_conclusion(&mut events, execution.conclusion.as_deref());
            investigations.push(Investigation { execution, events });
        }
    }
    let prompts = &ctx.services.prompts;
    let tokens = task.max_prompt_tokens();
    let given = attached_alerts::find(ctx, task, 0).await?;
    let until = given.as_ref().map(|given| given.until);
    let (attached, mut ops) = given.map(|given| (given.text, given.marks)).unwrap_or_default();
    let alert = Alert::new(plan.session, plan.chain, tokens).with_attached(attached);
    let system = prompts.synthesis_instructions(task.spec);
    let user = prompts.synthesis(&alert, &name, plan.findings, &investigations);
    ops.push(conversation.append(Message::new(Role::System, system)));
    ops.push(conversation.append_with_alerts(Message::new(Role::User, user), until));
    ctx.journal.commit(ops).await
}

/// Puts what is reported of a conclusion in the place of the whole: they differ if the chain demotes or withholds what no
/// result shows.
fn report_conclusion(events: &mut [HistoryEvent], reported: Option<&str>) {
    let Some(reported) = reported else { return };
    let shown = events.iter_mut().map(|one| &mut one.event);
    for event in shown.filter(|event| event.kind == TimelineKind::FinalAnalysis) {
        reported.clone_into(&mut event.content);
    }
}
