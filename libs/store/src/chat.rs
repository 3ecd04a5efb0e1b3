//! Questions about a session that is over: asked without a lease, answered under one.
//!
//! A turn is a stage of its own. It is written when the question is asked, so that nothing but the
//! table knows of it; that there is one at a time is the index `stages_one_chat_turn`.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::Row;
use sqlx::postgres::PgConnection;
use tarsy_contracts::event::{Body, Committed};
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{ChatId, ChatMessageId, SessionId, StageId, TimelineEventId};
use tarsy_domain::status::{IllegalTransition, SessionStatus, TimelineStatus, WorkStatus};

use crate::cells::Cells;
use crate::encode::{self, Tail};
use crate::error::{Conflict, Error};
use crate::fence::Fence;
use crate::finalize;
use crate::numbers::{self, Numbers};
use crate::resume::number;
use crate::sessions::{self, Session};
use crate::store::Store;
use crate::{Stage, events};

/// The name of a turn's stage.
const STAGE_NAME: &str = "Chat Response";

/// A question that becomes a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewQuestion {
    /// The session it is about.
    pub session_id: SessionId,
    /// The question, masked.
    pub content: String,
    /// Who asks.
    pub author: String,
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionOutcome {
    /// There is no such session.
    NotFound,
    /// The session is not over, or was cancelled.
    NotOpen(SessionStatus),
    /// Another question is being answered.
    Busy,
    /// It is a turn that waits for an owner.
    Inserted {
        /// The session's chat.
        chat_id: ChatId,
        message_id: ChatMessageId,
        /// The stage that will answer it.
        stage_id: StageId,
        /// The events to publish.
        events: Vec<Committed>,
    },
}

/// A claimed turn.
#[derive(Clone, Debug)]
pub struct ChatClaim {
    /// The fencing token.
    pub fence: Fence,
    /// The session as it stands.
    pub session: Session,
    /// The stage that answers.
    pub stage: Stage,
    pub question: String,
    /// When the turn was first begun.
    pub started_at: Timestamp,
    /// How often it was claimed, this time included.
    pub attempts: i32,
    /// Another owner started it: the stored state must be recovered first.
    pub resumed: bool,
    /// A cancel was requested.
    pub cancel_requested: bool,
    /// The events to publish.
    pub events: Vec<Committed>,
}

/// How a turn ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatEnd {
    /// Its end; terminal.
    pub status: WorkStatus,
    /// Why it failed.
    pub error: Option<String>,
}

const CLAIM: &str = "
    with picked as (
        select c.session_id, t.id as stage_id, t.status = 'active' as resumed
        from stages t
            join session_control c on c.session_id = t.session_id
            join alert_sessions s on s.id = t.session_id
        where t.chat_id is not null and t.status in ('pending', 'active')
            and s.status in ('completed', 'failed', 'timed_out') and s.deleted_at is null
            and (c.lease_expires_at is null or c.lease_expires_at <= statement_timestamp())
        order by t.created_at, t.id
        limit 1
        for no key update of c skip locked
    ), begun as (
        update stages t set status = 'active', started_at = coalesce(t.started_at, now())
        from picked where t.id = picked.stage_id and t.status in ('pending', 'active')
        returning t.id, t.chat_user_message_id, t.started_at
    )
    update session_control c
    set owner_id = $1,
        lease_epoch = lease_epoch + 1,
        attempts = attempts + 1,
        lease_expires_at = statement_timestamp() + make_interval(secs => $2),
        event_seq = event_seq + case when picked.resumed then 0 else 1 end
    from picked join begun on begun.id = picked.stage_id
        join chat_user_messages m on m.id = begun.chat_user_message_id
    where c.session_id = picked.session_id
    returning c.session_id, c.lease_epoch, c.attempts, c.event_seq, picked.resumed,
        c.cancel_requested_at is not null as cancel_requested, begun.id as stage_id,
        begun.started_at, m.content as question, statement_timestamp() as at";

impl Store {
    /// Asks a question about a session that is over. Its text is an event of the timeline at once,
    /// and the turn waits for an owner.
    #[tracing::instrument(name = "db.chat.insert_question", skip_all)]
    pub async fn insert_question(&self, mut new: NewQuestion) -> Result<QuestionOutcome, Error> {
        encode::clean(&mut new.content);
        encode::clean(&mut new.author);
        match retrying!(self.ask_once(&new)) {
            // The index saw a turn that this transaction could not see.
            Err(Error::Conflict(Conflict::Exists { .. })) => Ok(QuestionOutcome::Busy),
            asked => asked,
        }
    }

    async fn ask_once(&self, new: &NewQuestion) -> Result<QuestionOutcome, Error> {
        let session = new.session_id;
        let mut tx = self.pool.begin().await?;
        let Some(status) = sessions::lock(&mut tx, session).await? else {
            return Ok(QuestionOutcome::NotFound);
        };
        if !matches!(
            status,
            SessionStatus::Completed | SessionStatus::Failed | SessionStatus::TimedOut
        ) {
            // Left to the drop, the row would stay locked for a moment, and a claim would skip it.
            tx.rollback().await?;
            return Ok(QuestionOutcome::NotOpen(status));
        }
        if open_turn(&mut tx, session).await?.is_some() {
            tx.rollback().await?;
            return Ok(QuestionOutcome::Busy);
        }
        let (chat_id, is_new) = open_chat(&mut tx, session, &new.author).await?;
        let (message_id, stage_id) = (ChatMessageId::new(), StageId::new());
        insert_turn(&mut tx, new, chat_id, message_id, stage_id).await?;
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
        let numbers = begin(&mut tx, session, bodies.len() + 1).await?;
        let event = TimelineEventId::new();
        insert_question(&mut tx, new, event, stage_id, numbers.place).await?;
        let mut committed = number(session, &bodies, numbers)?;
        let question = Body::TimelineCreated {
            event_id: event,
            stage_id: Some(stage_id),
            execution_id: None,
            event_type: TimelineKind::UserQuestion,
            status: TimelineStatus::Completed,
            content: new.content.clone(),
            metadata: Some(by(&new.author)),
            sequence_number: None,
        };
        let last = numbers.seq + i64::try_from(bodies.len()).unwrap_or(i64::MAX);
        let tail = Tail::new(session, &question)?;
        committed.push(tail.committed(session, last, Some(numbers.place), numbers.at));
        events::insert(&mut tx, session, &committed).await?;
        tx.commit().await?;
        Ok(QuestionOutcome::Inserted { chat_id, message_id, stage_id, events: committed })
    }

    /// Claims the oldest turn that waits, or whose owner is lost. The cap of sessions in progress
    /// does not count turns.
    #[tracing::instrument(name = "db.chat.claim", skip_all)]
    pub async fn claim_chat(
        &self,
        owner: &str,
        lease: Duration,
    ) -> Result<Option<ChatClaim>, Error> {
        retrying!(self.claim_chat_once(owner, lease))
    }

    async fn claim_chat_once(
        &self,
        owner: &str,
        lease: Duration,
    ) -> Result<Option<ChatClaim>, Error> {
        let mut tx = self.pool.begin().await?;
        let row = sqlx::query(CLAIM)
            .bind(owner)
            .bind(lease.as_secs_f64())
            .fetch_optional(&mut *tx)
            .await?;
        let Some(row) = row else {
            // Left to the drop, the lock would outlive this for a moment.
            tx.rollback().await?;
            return Ok(None);
        };
        let cells = Cells::new(&row, "session_control");
        let fence = Fence { session_id: cells.id("session_id")?, epoch: cells.get("lease_epoch")? };
        let inconsistent = || Error::Inconsistent { table: "stages" };
        let session = sessions::find(&mut tx, fence.session_id).await?.ok_or_else(inconsistent)?;
        let id: StageId = cells.id("stage_id")?;
        let stage = crate::resume::list_stages(&mut tx, fence.session_id).await?;
        let stage = stage.into_iter().find(|one| one.id == id).ok_or_else(inconsistent)?;
        let resumed: bool = cells.get("resumed")?;
        let mut committed = Vec::new();
        if !resumed {
            let body = Body::stage(id, &stage.stage_name, stage.stage_index, WorkStatus::Active);
            let tail = Tail::new(fence.session_id, &body)?;
            let seq = cells.get("event_seq")?;
            committed.push(tail.committed(fence.session_id, seq, None, cells.time("at")?));
            events::insert(&mut tx, fence.session_id, &committed).await?;
        }
        tx.commit().await?;
        Ok(Some(ChatClaim {
            fence,
            session,
            stage,
            question: cells.text("question")?,
            started_at: cells.time("started_at")?,
            attempts: cells.get("attempts")?,
            resumed,
            cancel_requested: cells.get("cancel_requested")?,
            events: committed,
        }))
    }

    /// How many turns could be claimed now.
    #[tracing::instrument(name = "db.chat.count_claimable", skip_all)]
    pub async fn count_claimable_chats(&self) -> Result<i64, Error> {
        let row = sqlx::query(
            "select count(*) as turns
             from stages t
                join session_control c on c.session_id = t.session_id
                join alert_sessions s on s.id = t.session_id
             where t.chat_id is not null and t.status in ('pending', 'active')
                and s.status in ('completed', 'failed', 'timed_out') and s.deleted_at is null
                and (c.lease_expires_at is null or c.lease_expires_at <= statement_timestamp())",
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(row.try_get("turns")?)
    }

    /// Ends a turn: its stage, everything that is still open, the events that tell of it, and the
    /// lease, in one transaction. The session stays as it is. Afterwards the fence is worthless.
    #[tracing::instrument(name = "db.chat.finish", skip_all)]
    pub async fn finish_chat(
        &self,
        fence: Fence,
        mut end: ChatEnd,
    ) -> Result<Vec<Committed>, Error> {
        encode::clean_maybe(&mut end.error);
        if !end.status.is_terminal() {
            let step = IllegalTransition { from: "active", to: end.status.as_str() };
            return Err(Conflict::Transition(step).into());
        }
        retrying!(self.finish_chat_once(fence, &end))
    }

    async fn finish_chat_once(&self, fence: Fence, end: &ChatEnd) -> Result<Vec<Committed>, Error> {
        let session = fence.session_id;
        let mut tx = self.pool.begin().await?;
        numbers::take(&mut tx, fence, numbers::Wanted::default()).await?;
        let committed = close(&mut tx, session, end).await?;
        sqlx::query(
            "update session_control
             set owner_id = null, lease_expires_at = null, cancel_requested_at = null,
                lease_epoch = lease_epoch + 1
             where session_id = $1",
        )
        .bind(session.uuid())
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(committed)
    }
}

/// What a request to cancel did to a turn.
pub(crate) enum CancelledTurn {
    /// It was pending and has ended; the events are to be published.
    Ended(Vec<Committed>),
    /// Its owner has to end it.
    Requested,
}

/// Asks the turn of a session that is over to stop, if there is one. The control row is locked.
pub(crate) async fn cancel(
    tx: &mut PgConnection,
    session: SessionId,
) -> Result<Option<CancelledTurn>, Error> {
    match open_turn(tx, session).await? {
        None => Ok(None),
        Some(WorkStatus::Pending) => {
            let end = ChatEnd { status: WorkStatus::Cancelled, error: None };
            Ok(Some(CancelledTurn::Ended(close(tx, session, &end).await?)))
        }
        Some(_) => {
            sqlx::query(
                "update session_control
                 set cancel_requested_at = coalesce(cancel_requested_at, now())
                 where session_id = $1",
            )
            .bind(session.uuid())
            .execute(tx)
            .await?;
            Ok(Some(CancelledTurn::Requested))
        }
    }
}

/// Ends everything of a turn that is still open, and collects the events.
async fn close(
    tx: &mut PgConnection,
    session: SessionId,
    end: &ChatEnd,
) -> Result<Vec<Committed>, Error> {
    // A turn that completed leaves nothing open; if it did, that broke off.
    let (text, work) = match end.status {
        WorkStatus::Cancelled => (TimelineStatus::Cancelled, WorkStatus::Cancelled),
        WorkStatus::TimedOut => (TimelineStatus::TimedOut, WorkStatus::TimedOut),
        _ => (TimelineStatus::Failed, WorkStatus::Failed),
    };
    let error = end.error.as_deref();
    let mut bodies = finalize::close_events(tx, session, text).await?;
    finalize::close_executions(tx, session, work, error).await?;
    bodies.extend(finalize::close_stages(tx, session, end.status, error).await?);
    sqlx::query("update chats set last_interaction_at = now() where session_id = $1")
        .bind(session.uuid())
        .execute(&mut *tx)
        .await?;
    let committed = number(session, &bodies, numbers::take_more(tx, session, &bodies).await?)?;
    events::insert(tx, session, &committed).await?;
    Ok(committed)
}

/// How far the session's open turn has come, if one is open.
async fn open_turn(tx: &mut PgConnection, session: SessionId) -> Result<Option<WorkStatus>, Error> {
    sqlx::query(
        "select status from stages
         where session_id = $1 and chat_id is not null and status in ('pending', 'active')",
    )
    .bind(session.uuid())
    .fetch_optional(tx)
    .await?
    .map(|row| Cells::new(&row, "stages").word("status"))
    .transpose()
}

/// The session's one chat, and whether it is new.
async fn open_chat(
    tx: &mut PgConnection,
    session: SessionId,
    author: &str,
) -> Result<(ChatId, bool), Error> {
    let fresh = ChatId::new();
    let row = sqlx::query(
        "insert into chats as c (id, session_id, created_by, last_interaction_at)
         values ($1, $2, $3, now())
         on conflict (session_id) do update set last_interaction_at = now()
         returning c.id",
    )
    .bind(fresh.uuid())
    .bind(session.uuid())
    .bind(author)
    .fetch_one(tx)
    .await?;
    let id: ChatId = Cells::new(&row, "chats").id("id")?;
    Ok((id, id == fresh))
}

async fn insert_turn(
    tx: &mut PgConnection,
    new: &NewQuestion,
    chat: ChatId,
    message: ChatMessageId,
    stage: StageId,
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
             chat_user_message_id)
         select $1, $2, coalesce(max(stage_index) + 1, 0), $3, 1, 'pending', $4, $5
         from stages where session_id = $2",
    )
    .bind(stage.uuid())
    .bind(new.session_id.uuid())
    .bind(STAGE_NAME)
    .bind(chat.uuid())
    .bind(message.uuid())
    .execute(tx)
    .await?;
    Ok(())
}

/// Takes numbers for events, the last of them on the timeline. Nobody owns the session: what an
/// earlier owner left in the control row does not concern the turn.
async fn begin(tx: &mut PgConnection, session: SessionId, events: usize) -> Result<Numbers, Error> {
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

async fn insert_question(
    tx: &mut PgConnection,
    new: &NewQuestion,
    event: TimelineEventId,
    stage: StageId,
    place: i64,
) -> Result<(), Error> {
    sqlx::query(
        "insert into timeline_events
            (id, session_id, stage_id, sequence_number, event_type, status, content, metadata)
         values ($1, $2, $3, $4, $5, 'completed', $6, $7)",
    )
    .bind(event.uuid())
    .bind(new.session_id.uuid())
    .bind(stage.uuid())
    .bind(place)
    .bind(TimelineKind::UserQuestion.as_str())
    .bind(&new.content)
    .bind(by(&new.author))
    .execute(tx)
    .await?;
    Ok(())
}

fn by(author: &str) -> serde_json::Value {
    serde_json::json!({ "author": author })
}
