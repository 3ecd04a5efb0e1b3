//! Taking an action back: a turn of its own, which a person begins once the session is over.

use tarsy_contracts::action::Action;
use tarsy_contracts::event::Committed;
use tarsy_domain::id::{ActionId, SessionId, StageId};
use tarsy_domain::status::SessionStatus;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::record::batch::approval::Approver;
use crate::work::actions::taken::NewRollback;
use crate::work::approvals::Decider;
use crate::work::chat::question::{NewQuestion, QuestionOutcome};

/// What became of the wish to take an action back.
#[derive(Clone, Debug, PartialEq)]
pub enum RollbackOutcome {
    /// The session has no such action.
    NotFound,
    /// The session is not over, or was cancelled.
    NotOpen(SessionStatus),
    /// A question about the session is being answered, or another action taken back.
    Busy,
    /// It has no rollback, was not made, or somebody began its rollback before.
    NotPossible(Box<Action>),
    /// The turn waits for an owner.
    Begun { action: Box<Action>, stage_id: StageId, events: Vec<Committed> },
}

/// A turn that takes an action back.
#[derive(Clone, Debug, PartialEq)]
pub struct RollbackTurn {
    pub action: Action,
    /// What the tool of the rollback said of itself when the action was planned; none if its server did not list it.
    pub definition: Option<String>,
    /// Who asked for it, which approves the call.
    pub by: Approver,
    /// The agent that made the call.
    pub agent_name: String,
}

impl Store {
    /// Has an action taken back by the call that its agent gave: a turn that waits for an owner.
    #[tracing::instrument(name = "db.action.begin_rollback", skip_all)]
    pub async fn begin_rollback(
        &self,
        session: SessionId,
        id: ActionId,
        person: Decider<'_>,
    ) -> Result<RollbackOutcome, Error> {
        let found = self.list_actions(session).await?.into_iter().find(|action| action.id == id);
        let Some(action) = found.map(Box::new) else { return Ok(RollbackOutcome::NotFound) };
        let Some(rollback) = &action.plan.rollback else {
            return Ok(RollbackOutcome::NotPossible(action));
        };
        let mut author = person.name.to_owned();
        encode::clean(&mut author);
        let number = action.call_number.unwrap_or_default();
        let new = NewQuestion {
            session_id: session,
            content: format!("Roll back [call {number}]: {}", rollback.call.line()),
            principal: Some(author.clone()),
            author,
            agent: None,
            command: None,
        };
        let rollback = NewRollback { action: id, with: person.with };
        Ok(match self.ask(&new, Some(rollback)).await? {
            QuestionOutcome::NotFound => RollbackOutcome::NotPossible(action),
            QuestionOutcome::NotOpen(status) => RollbackOutcome::NotOpen(status),
            QuestionOutcome::Busy | QuestionOutcome::Repeated => RollbackOutcome::Busy,
            QuestionOutcome::Inserted { stage_id, events, .. } => {
                RollbackOutcome::Begun { action, stage_id, events }
            }
        })
    }

    /// What a turn takes back; none if it answers a question.
    #[tracing::instrument(name = "db.action.find_rollback", skip_all)]
    pub async fn find_rollback(&self, stage: StageId) -> Result<Option<RollbackTurn>, Error> {
        let row = sqlx::query(
            "select x.id, x.session_id, x.rollback_definition, x.rollback_by, x.rollback_with, e.agent_name
             from actions x join agent_executions e on e.id = x.execution_id
             where x.rollback_stage_id = $1",
        )
        .bind(stage.uuid())
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let cells = Cells::new(&row, "actions");
        let (id, session): (ActionId, SessionId) = (cells.id("id")?, cells.id("session_id")?);
        let found = self.list_actions(session).await?.into_iter().find(|action| action.id == id);
        let Some(action) = found else { return Ok(None) };
        Ok(Some(RollbackTurn {
            action,
            definition: cells.maybe_text("rollback_definition")?,
            by: Approver { name: cells.text("rollback_by")?, with: cells.word("rollback_with")? },
            agent_name: cells.text("agent_name")?,
        }))
    }
}
