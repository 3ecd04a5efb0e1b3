//! A batch sorted by what it touches: few statements, parents before children.

use tarsy_contracts::event::Committed;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_contracts::trace::OfferedTool;
use tarsy_domain::id::{CallId, ExecutionId, SessionId, TimelineEventId, VerdictId};

use crate::database::numbers::{Numbers, Wanted};
use crate::database::pool::Connection;
use crate::encode::Tail;
use crate::error::Error;
use crate::finding::claims::check::NewClaimCheck;
use crate::finding::verdicts;
use crate::finding::verdicts::new::NewVerdict;
use crate::record::batch::action::ActionStep;
use crate::record::batch::bodies::{body, numbered};
use crate::record::batch::op::{
    CallEnd, Conclusion, ConclusionRequest, DeliveredResult, EndExecution, EndStage, Gathering,
    NewApproval, NewCall, NewExecution, NewLlmInteraction, NewMessage, NewStage, NewSummary,
    NewToolList, Op, ProviderSwitch, ReassignCall, RunbookContent,
};
use crate::record::batch::single::is_single;
use crate::record::batch::statement::Statement;
use crate::record::batch::write_tools::ToolSets;
use crate::record::batch::write_work::{Changed, Given};
use crate::record::batch::{
    write_actions, write_approvals, write_calls, write_claims, write_timeline, write_tools,
    write_work,
};
use crate::work::fence::Fence;

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
    actions: Vec<&'a ActionStep>,
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
    given: Option<Given<'a>>,
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
                Op::Action(step) => plan.actions.push(step),
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
                Op::SetSeenBefore(sessions, memories) => {
                    let given = plan.given.get_or_insert_default();
                    given.sessions = Some(sessions);
                    given.memories = memories.as_deref();
                }
                Op::SetChanges(changes) => {
                    plan.given.get_or_insert_default().changes = Some(changes);
                }
                Op::SetDependencies(dependencies) => {
                    plan.given.get_or_insert_default().dependencies = Some(dependencies);
                }
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

    /// Writes the rows in a transaction; the events with their numbers.
    pub(crate) async fn write(
        &self,
        tx: &mut Connection,
        session: SessionId,
        numbers: Numbers,
    ) -> Result<Vec<Committed>, Error> {
        self.write_rows(tx, session, numbers).await?;
        self.number_events(session, numbers)
    }

    /// The whole batch as one statement, if it can be one; `tool_sets` are known to be stored.
    pub(crate) fn statement(&self, fence: Fence, tool_sets: &ToolSets<'_>) -> Option<Statement> {
        if !is_single(self.ops) {
            return None;
        }
        let wanted = Wanted { events: self.events(), places: self.places(), calls: self.calls() };
        let mut statement = Statement::fenced(fence, wanted);
        self.begin(&mut statement);
        self.record(&mut statement, tool_sets);
        self.end_calls(&mut statement);
        write_timeline::close(&mut statement, &self.closed);
        self.conclude(&mut statement);
        self.end_work(&mut statement);
        write_claims::store(&mut statement, &self.claim_checks);
        for new in &self.verdicts {
            verdicts::write::store(&mut statement, new);
        }
        write_work::change_session(&mut statement, self.changed());
        let calls = self.tails.iter().map(|tail| tail.opens.and_then(|event| self.call_of(event)));
        statement.events(&self.tails, &calls.collect::<Vec<_>>());
        Some(statement)
    }

    async fn write_rows(
        &self,
        tx: &mut Connection,
        session: SessionId,
        numbers: Numbers,
    ) -> Result<(), Error> {
        let statement = || Statement::numbered(session, numbers);
        let mut begin = statement();
        self.begin(&mut begin);
        begin.execute(tx).await?;
        self.record_one_by_one(tx, session, numbers).await?;
        for moved in &self.calls_moved {
            write_calls::move_to(tx, session, moved).await?;
        }
        write_approvals::write(tx, session, &self.approvals, &self.approvals_closed).await?;
        write_actions::write(tx, session, &self.actions).await?;
        let mut ends = statement();
        self.end_calls(&mut ends);
        ends.execute(tx).await?;
        for summary in &self.summaries {
            write_calls::summarize(tx, session, summary).await?;
        }
        let mut closed = statement();
        write_timeline::close(&mut closed, &self.closed);
        closed.execute(tx).await?;
        write_work::request_conclusions(tx, session, &self.closings, &self.repairs).await?;
        for execution in &self.looks {
            write_work::request_look(tx, session, *execution).await?;
        }
        for gathering in &self.gatherings {
            write_work::gather(tx, session, *gathering).await?;
        }
        self.write_ends(tx, session, numbers).await?;
        // Charts refer to their verdicts, and the session to its own: both are stored before.
        let mut found = statement();
        write_claims::store(&mut found, &self.claim_checks);
        for new in &self.verdicts {
            verdicts::write::store(&mut found, new);
        }
        found.execute(tx).await?;
        let mut rest = statement();
        for new in &self.verdicts {
            verdicts::charts::store(&mut rest, new.id, &new.verdict.charts);
        }
        write_work::change_session(&mut rest, self.changed());
        rest.execute(tx).await
    }

    /// What begins: rows that refer to nothing but each other and what is stored.
    fn begin(&self, statement: &mut Statement) {
        for stage in &self.begin_stages {
            write_work::begin_stage(statement, stage);
        }
        match (self.begin_stages.last(), self.given) {
            (Some(stage), given) => {
                write_work::make_current(statement, stage, given.unwrap_or_default());
            }
            (None, Some(given)) => write_work::set_given(statement, given),
            (None, None) => {}
        }
        for execution in &self.begin_executions {
            write_work::begin_execution(statement, execution);
        }
        let calls: Vec<_> = self.opened.iter().map(|event| self.call_of(event.id)).collect();
        write_timeline::begin(statement, &self.opened, &calls);
        write_timeline::append(statement, &self.messages);
        write_calls::start(statement, &self.calls_started);
    }

    /// Calls of models, and lists of tools, with the tools that were offered.
    fn record(&self, statement: &mut Statement, tool_sets: &ToolSets<'_>) {
        for call in &self.llm_interactions {
            write_calls::llm(statement, call, tool_sets.digest(&call.tools));
        }
        for list in &self.lists {
            write_calls::list(statement, list, tool_sets.digest(&list.tools));
        }
    }

    /// The same in a transaction. Each call of a model changes the same count of tokens.
    async fn record_one_by_one(
        &self,
        tx: &mut Connection,
        session: SessionId,
        numbers: Numbers,
    ) -> Result<(), Error> {
        let tool_sets = write_tools::insert(tx, self.offered()).await?;
        for call in &self.llm_interactions {
            let mut statement = Statement::numbered(session, numbers);
            write_calls::llm(&mut statement, call, tool_sets.digest(&call.tools));
            statement.execute(tx).await?;
        }
        let mut statement = Statement::numbered(session, numbers);
        for list in &self.lists {
            write_calls::list(&mut statement, list, tool_sets.digest(&list.tools));
        }
        statement.execute(tx).await
    }

    /// The ends of calls. One whose result is delivered in the same batch is one change of its row.
    fn end_calls(&self, statement: &mut Statement) {
        let delivered =
            |call: CallId| self.results_delivered.iter().find(|one| one.call_id == call).copied();
        for end in &self.calls_finished {
            write_calls::finish(statement, end, delivered(end.call_id).copied());
        }
        for end in &self.calls_finished {
            if let Some(whole) = &end.whole_result {
                write_calls::keep_whole(statement, end, whole);
            }
        }
        for delivered in &self.results_delivered {
            if !self.calls_finished.iter().any(|end| end.call_id == delivered.call_id) {
                write_calls::deliver(statement, delivered);
            }
        }
    }

    fn conclude(&self, statement: &mut Statement) {
        for conclusion in &self.conclusions {
            write_work::conclude(statement, conclusion);
        }
    }

    /// Executions and stages that end.
    fn end_work(&self, statement: &mut Statement) {
        for end in &self.end_executions {
            write_work::end_execution(statement, end);
        }
        for end in &self.end_stages {
            write_work::end_stage(statement, end);
        }
    }

    /// Conclusions, and what ends with them.
    async fn write_ends(
        &self,
        tx: &mut Connection,
        session: SessionId,
        numbers: Numbers,
    ) -> Result<(), Error> {
        let mut conclusions = Statement::numbered(session, numbers);
        self.conclude(&mut conclusions);
        conclusions.execute(tx).await?;
        for switch in &self.switches {
            write_work::switch_provider(tx, session, switch).await?;
        }
        let mut ends = Statement::numbered(session, numbers);
        self.end_work(&mut ends);
        ends.execute(tx).await?;
        for kept in &self.runbooks {
            write_work::keep_runbook(tx, session, kept).await?;
        }
        Ok(())
    }

    fn changed(&self) -> Changed<'a> {
        Changed {
            is_touched: !(self.llm_interactions.is_empty() && self.calls_finished.is_empty()),
            executive_summary: self.executive_summaries.last().copied(),
            verdict: self.session_verdict,
        }
    }

    /// The lists of tools that were offered.
    pub(crate) fn offered(&self) -> impl Iterator<Item = &'a [OfferedTool]> {
        let called = self.llm_interactions.iter().map(|call| call.tools.as_slice());
        called.chain(self.lists.iter().map(|list| list.tools.as_slice()))
    }

    /// Which of the batch's calls this timeline event shows, from 0.
    fn call_of(&self, event: TimelineEventId) -> Option<i64> {
        (0_i64..)
            .zip(&self.calls_started)
            .find_map(|(at, call)| (call.timeline_event_id == event).then_some(at))
    }

    /// The events with their numbers; those of calls that the batch writes down name the numbers of the calls.
    pub(crate) fn number_events(
        &self,
        session: SessionId,
        numbers: Numbers,
    ) -> Result<Vec<Committed>, Error> {
        if self.calls_started.is_empty() {
            return Ok(committed(&self.tails, session, numbers));
        }
        let ops = numbered(self.ops, numbers.call);
        Ok(committed(&Plan::of(session, &ops)?.tails, session, numbers))
    }
}

fn committed(tails: &[Tail], session: SessionId, numbers: Numbers) -> Vec<Committed> {
    let mut places = numbers.place..;
    (numbers.seq..)
        .zip(tails)
        .map(|(seq, tail)| {
            let place = tail.opens.and_then(|_| places.next());
            tail.committed(session, seq, place, numbers.at)
        })
        .collect()
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
