//! Asking a question about a session that is over.

use serde_json::json;
use tarsy_contracts::event::{Body, Committed};
use tarsy_contracts::timeline::NewTimelineEvent;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{ChatId, ChatMessageId, ExecutionId, SessionId, StageId, TimelineEventId};
use tarsy_domain::status::{SessionStatus, TimelineStatus};

use super::open_turn;
use crate::database::cells::Cells;
use crate::database::numbers::{self, Numbers};
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::delivery::commands::{self, NewCommand};
use crate::encode::{self, Tail};
use crate::error::{Conflict, Error};
use crate::record::batch::write_timeline;
use crate::record::events;
use crate::session::sessions;
use crate::work::actions::NewRollback;

/// The name of a turn's stage.
const STAGE_NAME: &str = "Chat Response";
/// The name of a turn's stage that takes an action back.
const ROLLBACK_NAME: &str = "Rollback";

/// A question that becomes a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewQuestion {
    pub session_id: SessionId,
    /// The question, masked.
    pub content: String,
    pub author: String,
    /// Who pays for the answer: a user or an API token.
    pub principal: Option<String>,
    /// Who answers. Without it the execution begins when the turn is claimed.
    pub agent: Option<ChatAgent>,
    /// The command of a messenger that asks it.
    pub command: Option<NewCommand>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatAgent {
    pub name: String,
    pub iteration_strategy: String,
    pub llm_provider: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionOutcome {
    /// There is no such session.
    NotFound,
    /// The session is not over, or was cancelled.
    NotOpen(SessionStatus),
    /// Another question is being answered.
    Busy,
    /// The same message of a messenger asked before.
    Repeated,
    /// It is a turn that waits for an owner.
    Inserted {
        /// The session's chat.
        chat_id: ChatId,
        message_id: ChatMessageId,
        /// The stage that will answer it.
        stage_id: StageId,
        events: Vec<Committed>,
    },
}

impl Store {
    /// Asks a question about a session that is over. Its text is an event of the timeline at once,
    /// and the turn waits for an owner.
    #[tracing::instrument(name = "db.chat.insert_question", skip_all)]
    pub async fn insert_question(&self, mut new: NewQuestion) -> Result<QuestionOutcome, Error> {
        encode::clean(&mut new.content);
        encode::clean(&mut new.author);
        encode::clean_maybe(&mut new.principal);
        new.command.iter_mut().for_each(commands::clean);
        self.ask(&new, None).await
    }

    /// Asks a question, or has an action taken back in the turn that it begins.
    pub(crate) async fn ask(
        &self,
        new: &NewQuestion,
        rollback: Option<NewRollback>,
    ) -> Result<QuestionOutcome, Error> {
        match retrying!(self.ask_once(new, rollback)) {
            // The index saw a turn that this transaction could not see.
            Err(Error::Conflict(Conflict::Exists { .. })) => {
                self.repeated_or(new, QuestionOutcome::Busy).await
            }
            asked => asked,
        }
    }

    /// A message that is delivered again finds the question that it asked open.
    async fn repeated_or(
        &self,
        new: &NewQuestion,
        refusal: QuestionOutcome,
    ) -> Result<QuestionOutcome, Error> {
        let Some(command) = &new.command else { return Ok(refusal) };
        let known = self.find_command(command.messenger, &command.key).await?;
        Ok(known.map_or(refusal, |_| QuestionOutcome::Repeated))
    }

    async fn ask_once(
        &self,
        new: &NewQuestion,
        rollback: Option<NewRollback>,
    ) -> Result<QuestionOutcome, Error> {
        let session = new.session_id;
        let mut tx = self.pool.begin().await?;
        if let Some(refusal) = refusal(&mut tx, session).await? {
            // Left to the drop, the row would stay locked for a moment, and a claim would skip it.
            tx.rollback().await?;
            return self.repeated_or(new, refusal).await;
        }
        let (chat_id, is_new) = open_chat(&mut tx, session, &new.author).await?;
        let (message_id, stage_id) = (ChatMessageId::new(), StageId::new());
        insert_turn(&mut tx, new, (chat_id, message_id, stage_id), rollback).await?;
        if !is_first(&mut tx, new, message_id).await? {
            tx.rollback().await?;
            return Ok(QuestionOutcome::Repeated);
        }
        if let Some(rollback) = rollback
            && !rollback.take(&mut tx, (session, stage_id), &new.author).await?
        {
            tx.rollback().await?;
            return Ok(QuestionOutcome::NotFound);
        }
        let mut bodies = Vec::new();
        if is_new {
            bodies.push(Body::ChatCreated { chat_id, created_by: new.author.clone() });
        }
        bodies.push(Body::ChatUserMessage {
            chat_id,
            message_id,
            content: new.content.clone(),
            author: new.author.clone(),
        });
        let execution_id = match &new.agent {
            Some(agent) => Some(insert_execution(&mut tx, session, stage_id, agent).await?),
            None => None,
        };
        let numbers = begin(&mut tx, session, bodies.len() + 1).await?;
        let event = NewTimelineEvent {
            id: TimelineEventId::new(),
            stage_id: Some(stage_id),
            execution_id,
            kind: TimelineKind::UserQuestion,
            status: TimelineStatus::Completed,
            content: new.content.clone(),
            metadata: Some(json!({ "author": new.author })),
        };
        write_timeline::open(&mut tx, session, &[&event], numbers).await?;
        let mut committed = events::number(session, &bodies, numbers)?;
        let question = Body::TimelineCreated { event, sequence_number: None };
        let last = numbers.seq + i64::try_from(bodies.len()).unwrap_or(i64::MAX);
        let tail = Tail::new(session, &question)?;
        committed.push(tail.committed(session, last, Some(numbers.place), numbers.at));
        events::insert(&mut tx, session, &committed).await?;
        tx.commit().await?;
        Ok(QuestionOutcome::Inserted { chat_id, message_id, stage_id, events: committed })
    }
}

/// Whether no command of the same message asked before; notes the command if there is one.
async fn is_first(
    tx: &mut Connection,
    new: &NewQuestion,
    message: ChatMessageId,
) -> Result<bool, Error> {
    match &new.command {
        Some(command) => commands::insert(tx, command, (new.session_id, Some(message))).await,
        None => Ok(true),
    }
}

/// Why nothing can be asked about a session, if so. Its rows are locked.
async fn refusal(
    tx: &mut Connection,
    session: SessionId,
) -> Result<Option<QuestionOutcome>, Error> {
    let Some(status) = sessions::lock(tx, session).await? else {
        return Ok(Some(QuestionOutcome::NotFound));
    };
    if !matches!(status, SessionStatus::Completed | SessionStatus::Failed | SessionStatus::TimedOut)
    {
        return Ok(Some(QuestionOutcome::NotOpen(status)));
    }
    Ok(open_turn(tx, session).await?.map(|_| QuestionOutcome::Busy))
}

/// The session's one chat, and whether it is new.
async fn open_chat(
    tx: &mut Connection,
    session: SessionId,
    author: &str,
) -> Result<(ChatId, bool), Error> {
    let new_id = ChatId::new();
    let row = sqlx::query(
        "insert into chats as c (id, session_id, created_by, last_interaction_at)
         values ($1, $2, $3, now())
         on conflict (session_id) do update set last_interaction_at = now()
         returning c.id",
    )
    .bind(new_id.uuid())
    .bind(session.uuid())
    .bind(author)
    .fetch_one(tx)
    .await?;
    let id: ChatId = Cells::new(&row, "chats").id("id")?;
    Ok((id, id == new_id))
}

async fn insert_turn(
    tx: &mut Connection,
    new: &NewQuestion,
    (chat, message, stage): (ChatId, ChatMessageId, StageId),
    rollback: Option<NewRollback>,
) -> Result<(), Error> {
    sqlx::query(
        "insert into chat_user_messages (id, chat_id, content, author) values ($1, $2, $3, $4)",
    )
    .bind(message.uuid())
    .bind(chat.uuid())
    .bind(&new.content)
    .bind(&new.author)
    .execute(&mut *tx)
    .await?;
    sqlx::query(
        "insert into stages
            (id, session_id, stage_index, stage_name, expected_agent_count, status, chat_id,
             chat_user_message_id, principal)
         select $1, $2, coalesce(max(stage_index) + 1, 0), $3, 1, 'pending', $4, $5, $6
         from stages where session_id = $2",
    )
    .bind(stage.uuid())
    .bind(new.session_id.uuid())
    .bind(if rollback.is_some() { ROLLBACK_NAME } else { STAGE_NAME })
    .bind(chat.uuid())
    .bind(message.uuid())
    .bind(&new.principal)
    .execute(tx)
    .await?;
    Ok(())
}

/// The execution that will answer: the question's event names it, for viewers that show events by execution.
async fn insert_execution(
    tx: &mut Connection,
    session: SessionId,
    stage: StageId,
    agent: &ChatAgent,
) -> Result<ExecutionId, Error> {
    let id = ExecutionId::new();
    sqlx::query(
        "insert into agent_executions
            (id, session_id, stage_id, agent_name, agent_index, iteration_strategy, llm_provider,
             active_provider, status)
         values ($1, $2, $3, $4, 1, $5, $6, $6, 'pending')",
    )
    .bind(id.uuid())
    .bind(session.uuid())
    .bind(stage.uuid())
    .bind(&agent.name)
    .bind(&agent.iteration_strategy)
    .bind(&agent.llm_provider)
    .execute(tx)
    .await?;
    Ok(id)
}

/// Takes numbers for events, the last of them on the timeline. Nobody owns the session: what an
/// earlier owner left in the control row does not concern the turn.
async fn begin(tx: &mut Connection, session: SessionId, events: usize) -> Result<Numbers, Error> {
    let row = sqlx::query(
        "update session_control
         set event_seq = event_seq + $2, timeline_seq = timeline_seq + 1, attempts = 0,
            cancel_requested_at = null
         where session_id = $1
         returning event_seq - $2 + 1 as seq, timeline_seq as place,
            call_seq + 1 as call, now() as at",
    )
    .bind(session.uuid())
    .bind(i64::try_from(events).unwrap_or(i64::MAX))
    .fetch_one(tx)
    .await?;
    numbers::numbers(&row)
}
