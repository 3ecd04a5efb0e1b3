//! A batch sorted by what it touches: few statements, parents before children.

use serde_json::{Value, json};
use tarsy_contracts::event::{Body, Committed};
use tarsy_contracts::review::SeenBefore;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_domain::event::InteractionKind;
use tarsy_domain::id::{CallId, ExecutionId, InteractionId, SessionId, StageId, VerdictId};

use crate::batch::op::{
    CallEnd, Conclusion, ConclusionRequest, DeliveredResult, EndExecution, EndStage, Gathering,
    NewApproval, NewCall, NewExecution, NewLlmInteraction, NewMessage, NewStage, NewSummary,
    NewToolList, Op, ProviderSwitch, ReassignCall, RunbookContent,
};
use crate::batch::{
    write_approvals, write_calls, write_claims, write_timeline, write_tools, write_work,
};
use crate::claims::check::{NewClaimCheck, number};
use crate::encode::Tail;
use crate::error::Error;
use crate::numbers::Numbers;
use crate::pool::Connection;
use crate::verdicts;
use crate::verdicts::new::NewVerdict;

/// What a batch comes to.
#[derive(Default)]
pub(crate) struct Plan<'a> {
    ops: &'a [Op],
    begin_stages: Vec<&'a NewStage>,
    begin_executions: Vec<&'a NewExecution>,
    opened: Vec<&'a NewTimelineEvent>,
    messages: Vec<&'a NewMessage>,
    llm_interactions: Vec<&'a NewLlmInteraction>,
    calls_started: Vec<&'a NewCall>,
    calls_moved: Vec<&'a ReassignCall>,
    calls_finished: Vec<&'a CallEnd>,
    results_delivered: Vec<&'a DeliveredResult>,
    approvals: Vec<&'a NewApproval>,
    approvals_closed: Vec<CallId>,
    summaries: Vec<&'a NewSummary>,
    lists: Vec<&'a NewToolList>,
    closed: Vec<&'a EndTimelineEvent>,
    end_executions: Vec<&'a EndExecution>,
    end_stages: Vec<&'a EndStage>,
    closings: Vec<ConclusionRequest>,
    repairs: Vec<ExecutionId>,
    looks: Vec<ExecutionId>,
    gatherings: Vec<Gathering>,
    conclusions: Vec<&'a Conclusion>,
    switches: Vec<&'a ProviderSwitch>,
    executive_summaries: Vec<&'a str>,
    runbooks: Vec<&'a RunbookContent>,
    seen_before: Vec<&'a [SeenBefore]>,
    claim_checks: Vec<&'a NewClaimCheck>,
    verdicts: Vec<&'a NewVerdict>,
    session_verdict: Option<VerdictId>,
    tails: Vec<Tail>,
}

impl<'a> Plan<'a> {
    /// Sorts the operations; their events keep the order of the batch.
    pub(crate) fn of(session: SessionId, ops: &'a [Op]) -> Result<Self, Error> {
        let mut plan = Self { ops, ..Self::default() };
        for op in ops {
            match op {
                Op::OpenEvent(event) => plan.opened.push(event),
                Op::CloseEvent(event) => plan.closed.push(event),
                Op::AppendMessage(message) => plan.messages.push(message),
                Op::LlmInteraction(call) => plan.llm_interactions.push(call),
                Op::CallStarted(call) => plan.calls_started.push(call),
                Op::CallFinished(end) => plan.calls_finished.push(end),
                Op::DeliverResult(delivered) => plan.results_delivered.push(delivered),
                Op::ReassignCall(moved) => plan.calls_moved.push(moved),
                Op::RequestApproval(approval) => plan.approvals.push(approval),
                Op::CloseApproval(call) => plan.approvals_closed.push(*call),
                Op::RequestSummary(summary) => plan.summaries.push(summary),
                Op::ToolsListed(list) => plan.lists.push(list),
                Op::BeginStage(stage) => plan.begin_stages.push(stage),
                Op::EndStage(end) => plan.end_stages.push(end),
                Op::BeginExecution(execution) => plan.begin_executions.push(execution),
                Op::EndExecution(end) => plan.end_executions.push(end),
                Op::RequestConclusion(request) => plan.closings.push(*request),
                Op::RequestRepair(execution) => plan.repairs.push(*execution),
                Op::RequestLook(execution) => plan.looks.push(*execution),
                Op::Gather(gathering) => plan.gatherings.push(*gathering),
                Op::Conclude(conclusion) => plan.conclusions.push(conclusion),
                Op::SwitchProvider(switch) => plan.switches.push(switch),
                Op::SetExecutiveSummary(text) => plan.executive_summaries.push(text),
                Op::SetRunbook(kept) => plan.runbooks.push(kept),
                Op::SetSeenBefore(sessions) => plan.seen_before.push(sessions),
                Op::StoreClaimCheck(check) => plan.claim_checks.push(check),
                Op::StoreVerdict(new) => plan.verdicts.push(new),
                Op::SetVerdict(id) => plan.session_verdict = Some(*id),
            }
            if let Some(body) = body(op) {
                plan.tails.push(Tail::new(session, &body)?);
            }
        }
        Ok(plan)
    }

    /// How many events it tells.
    pub(crate) fn events(&self) -> i64 {
        count(self.tails.len())
    }

    /// How many places in the timeline it takes.
    pub(crate) fn places(&self) -> i64 {
        count(self.opened.len())
    }

    /// How many tool calls it writes down.
    pub(crate) fn calls(&self) -> i64 {
        count(self.calls_started.len())
    }

    /// Writes the rows; the events with their numbers.
    pub(crate) async fn write(
        &self,
        tx: &mut Connection,
        session: SessionId,
        numbers: Numbers,
    ) -> Result<Vec<Committed>, Error> {
        if self.calls_started.is_empty() {
            self.write_rows(tx, session, numbers).await?;
            return Ok(self.number_events(session, numbers));
        }
        let ops = numbered(self.ops, numbers.call);
        let plan = Plan::of(session, &ops)?;
        plan.write_rows(tx, session, numbers).await?;
        Ok(plan.number_events(session, numbers))
    }

    async fn write_rows(
        &self,
        tx: &mut Connection,
        session: SessionId,
        numbers: Numbers,
    ) -> Result<(), Error> {
        for stage in &self.begin_stages {
            write_work::begin_stage(tx, session, stage).await?;
        }
        for execution in &self.begin_executions {
            write_work::begin_execution(tx, session, execution).await?;
        }
        write_timeline::open(tx, session, &self.opened, numbers.place).await?;
        write_timeline::append(tx, session, &self.messages).await?;
        self.write_offers(tx, session).await?;
        write_calls::start(tx, session, &self.calls_started, numbers.call).await?;
        for moved in &self.calls_moved {
            write_calls::move_to(tx, session, moved).await?;
        }
        write_approvals::write(tx, session, &self.approvals, &self.approvals_closed).await?;
        for end in &self.calls_finished {
            write_calls::finish(tx, session, end).await?;
        }
        for delivered in &self.results_delivered {
            write_calls::deliver(tx, session, delivered).await?;
        }
        for summary in &self.summaries {
            write_calls::summarize(tx, session, summary).await?;
        }
        write_timeline::close(tx, session, &self.closed).await?;
        write_work::request_conclusions(tx, session, &self.closings, &self.repairs).await?;
        for execution in &self.looks {
            write_work::request_look(tx, session, *execution).await?;
        }
        for gathering in &self.gatherings {
            write_work::gather(tx, session, *gathering).await?;
        }
        self.write_ends(tx, session).await?;
        write_claims::write(tx, session, &self.claim_checks).await?;
        verdicts::write::write(tx, session, &self.verdicts, self.session_verdict).await?;
        if !(self.llm_interactions.is_empty() && self.calls_finished.is_empty()) {
            write_work::touch(tx, session).await?;
        }
        Ok(())
    }

    /// Conclusions, and what ends with them.
    async fn write_ends(&self, tx: &mut Connection, session: SessionId) -> Result<(), Error> {
        for conclusion in &self.conclusions {
            write_work::conclude(tx, session, conclusion).await?;
        }
        for switch in &self.switches {
            write_work::switch_provider(tx, session, switch).await?;
        }
        for text in &self.executive_summaries {
            write_work::set_executive_summary(tx, session, text).await?;
        }
        for end in &self.end_executions {
            write_work::end_execution(tx, session, end).await?;
        }
        for end in &self.end_stages {
            write_work::end_stage(tx, session, end).await?;
        }
        for kept in &self.runbooks {
            write_work::keep_runbook(tx, session, kept).await?;
        }
        for sessions in &self.seen_before {
            write_work::set_seen_before(tx, session, sessions).await?;
        }
        Ok(())
    }

    /// Calls of models, and lists of tools, with the tools that were offered.
    async fn write_offers(&self, tx: &mut Connection, session: SessionId) -> Result<(), Error> {
        let offered = self.llm_interactions.iter().map(|call| call.tools.as_slice());
        let listed = self.lists.iter().map(|list| list.tools.as_slice());
        let tool_sets = write_tools::insert(tx, offered.chain(listed)).await?;
        for call in &self.llm_interactions {
            write_calls::llm(tx, session, (call, tool_sets.digest(&call.tools))).await?;
        }
        for list in &self.lists {
            write_calls::list(tx, session, (list, tool_sets.digest(&list.tools))).await?;
        }
        Ok(())
    }

    /// The events with their numbers.
    fn number_events(&self, session: SessionId, numbers: Numbers) -> Vec<Committed> {
        let mut places = numbers.place..;
        (numbers.seq..)
            .zip(&self.tails)
            .map(|(seq, tail)| {
                let place = if tail.placed { places.next() } else { None };
                tail.committed(session, seq, place, numbers.at)
            })
            .collect()
    }
}

/// The same operations; the timeline event of each call that is written down names its number.
fn numbered(ops: &[Op], first: i64) -> Vec<Op> {
    let started = ops.iter().filter_map(|op| match op {
        Op::CallStarted(call) => Some(call.timeline_event_id),
        _ => None,
    });
    let numbers: Vec<_> = started.zip(first..).collect();
    let mut ops = ops.to_vec();
    for op in &mut ops {
        let Op::OpenEvent(event) = op else { continue };
        let Some((_, number)) = numbers.iter().find(|(id, _)| *id == event.id) else { continue };
        let metadata = event.metadata.get_or_insert_with(|| json!({}));
        if let Value::Object(fields) = metadata {
            fields.insert("call_number".to_owned(), json!(number));
        }
    }
    ops
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// What an operation tells the world, if anything.
fn body(op: &Op) -> Option<Body> {
    match op {
        Op::OpenEvent(event) => Some(opened(event)),
        Op::CloseEvent(event) => Some(closed(event)),
        Op::LlmInteraction(call) => {
            Some(recorded(call.stage_id, call.execution_id, call.id, InteractionKind::Llm))
        }
        Op::CallStarted(call) => Some(recorded(
            Some(call.stage_id),
            Some(call.execution_id),
            call.id,
            InteractionKind::Mcp,
        )),
        Op::ToolsListed(list) => Some(recorded(
            Some(list.stage_id),
            Some(list.execution_id),
            list.id,
            InteractionKind::Mcp,
        )),
        Op::BeginStage(stage) => {
            let (name, index) = (&stage.stage_name, stage.stage_index);
            Some(Body::stage_started(stage.id, name, index, stage.joins_stage_id))
        }
        Op::EndStage(end) => Some(Body::stage(end.id, &end.name, end.index, end.status)),
        Op::StoreClaimCheck(check) => Some(claims_checked(check)),
        Op::SetVerdict(id) => Some(Body::VerdictRecorded { verdict_id: *id }),
        Op::AppendMessage(_)
        | Op::CallFinished(_)
        | Op::DeliverResult(_)
        | Op::ReassignCall(_)
        | Op::RequestApproval(_)
        | Op::CloseApproval(_)
        | Op::RequestSummary(_)
        | Op::BeginExecution(_)
        | Op::EndExecution(_)
        | Op::RequestConclusion(_)
        | Op::RequestRepair(_)
        | Op::RequestLook(_)
        | Op::Gather(_)
        | Op::Conclude(_)
        | Op::SwitchProvider(_)
        | Op::SetExecutiveSummary(_)
        | Op::SetRunbook(_)
        | Op::SetSeenBefore(_)
        | Op::StoreVerdict(_) => None,
    }
}

/// What the beginning of a timeline event tells.
pub(crate) fn opened(event: &NewTimelineEvent) -> Body {
    Body::TimelineCreated { event: event.clone(), sequence_number: None }
}

/// What the end of a timeline event tells.
pub(crate) fn closed(event: &EndTimelineEvent) -> Body {
    Body::TimelineCompleted(event.clone())
}

fn claims_checked(check: &NewClaimCheck) -> Body {
    Body::ClaimsChecked {
        check_id: check.id,
        text: check.text,
        execution_id: check.execution_id,
        timeline_event_id: check.timeline_event_id,
        claims: number(check.claims().len()),
        verified: number(check.verified()),
    }
}

fn recorded(
    stage_id: Option<StageId>,
    execution_id: Option<ExecutionId>,
    interaction_id: InteractionId,
    interaction_type: InteractionKind,
) -> Body {
    Body::InteractionCreated { stage_id, execution_id, interaction_id, interaction_type }
}
