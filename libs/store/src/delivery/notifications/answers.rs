//! Messages in the threads of commands: where a session or a question was asked for, and answers to questions.

use sqlx::Row;
use sqlx::postgres::PgRow;
use tarsy_domain::id::{ChatMessageId, SessionId};
use tarsy_domain::messenger::Messenger;
use tarsy_domain::status::WorkStatus;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// Where a command was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub messenger: Messenger,
    pub channel: String,
    /// None outside of threads.
    pub thread: Option<String>,
}

/// An answer that the thread of its question does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnnotifiedAnswer {
    pub session_id: SessionId,
    pub question_id: ChatMessageId,
    /// Where the question was asked, or else the session.
    pub messenger: Messenger,
}

/// What a message says of the answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifiedAnswer {
    pub question_id: ChatMessageId,
    /// The first 500 characters.
    pub question: String,
    pub status: WorkStatus,
    /// None if nobody answered.
    pub text: Option<String>,
    pub error: Option<String>,
}

/// The command of a question, or else that of its session. Parameters: the question and the session.
macro_rules! place {
    ($question:literal, $session:literal) => {
        concat!(
            "(select k.messenger, k.channel, k.thread from commands k
              where k.question_id = ",
            $question,
            " or k.session_id = ",
            $session,
            " and k.question_id is null
              order by k.question_id nulls last limit 1)"
        )
    };
}
pub(crate) use place;

/// Of the answers of a session, those after the one that its message has, one after the other.
const UNNOTIFIED: &str = concat!(
    "select g.session_id, q.id as question_id, p.messenger
     from stages g
        join chat_user_messages q on q.id = g.chat_user_message_id
        join alert_sessions s on s.id = g.session_id and s.deleted_at is null
        cross join lateral ",
    place!("q.id", "g.session_id"),
    " p
     where g.completed_at > now() - interval '24 hours' and p.messenger = any($1) and not exists (
        select from notifications n left join chat_user_messages o on o.id = n.question_id
        where n.session_id = g.session_id and n.kind = 'answered'
            and (n.status = 'pending' or (o.created_at, o.id) >= (q.created_at, q.id))
     )
     order by q.created_at, q.id
     limit $2"
);

impl Store {
    /// The answers that the threads of these messengers do not have, the oldest first.
    #[tracing::instrument(name = "db.notification.list_unnotified_answers", skip_all)]
    pub async fn list_unnotified_answers(
        &self,
        messengers: &[&str],
        limit: i64,
    ) -> Result<Vec<UnnotifiedAnswer>, Error> {
        let rows = sqlx::query(UNNOTIFIED).bind(messengers).bind(limit);
        let rows = rows.fetch_all(&self.pool).await?;
        rows.iter()
            .map(|row| {
                let cells = Cells::new(row, "commands");
                Ok(UnnotifiedAnswer {
                    session_id: cells.id("session_id")?,
                    question_id: cells.id("question_id")?,
                    messenger: cells.word("messenger")?,
                })
            })
            .collect()
    }

    /// Has these answers sent to destinations; returns how many rows are to be sent. A session has one row for each destination,
    /// and its next answer follows when that is sent.
    #[tracing::instrument(name = "db.notification.insert_answers", skip_all)]
    pub async fn insert_answer_notifications(
        &self,
        answers: &[(UnnotifiedAnswer, String)],
    ) -> Result<u64, Error> {
        let ids: Vec<Uuid> = answers.iter().map(|_| Uuid::now_v7()).collect();
        let sessions: Vec<Uuid> = answers.iter().map(|(one, _)| one.session_id.uuid()).collect();
        let questions: Vec<Uuid> = answers.iter().map(|(one, _)| one.question_id.uuid()).collect();
        let destinations: Vec<&str> = answers.iter().map(|(_, to)| to.as_str()).collect();
        let row = sqlx::query(
            "with wanted as (
                select distinct on (r.session_id, r.destination) r.*
                from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[])
                    with ordinality as r (id, session_id, question_id, destination, place)
                order by r.session_id, r.destination, r.place
             ), written as (
                insert into notifications as n (id, session_id, kind, destination, status, question_id)
                select r.id, s.id, 'answered', r.destination, 'pending', r.question_id
                from wanted r join alert_sessions s on s.id = r.session_id
                on conflict (session_id, kind, destination, approval_id, review_id) do update
                set status = 'pending', question_id = excluded.question_id, failures = 0, error = null, created_at = now(),
                    due_at = now(), attempted_at = null, finished_at = null, thread_ref = null, external_ref = null
                where n.status <> 'pending'
                returning 1
             )
             select count(*) as pending from written",
        )
        .bind(ids)
        .bind(sessions)
        .bind(questions)
        .bind(destinations)
        .fetch_one(&self.pool)
        .await?;
        Ok(u64::try_from(row.try_get::<i64, _>("pending")?).unwrap_or_default())
    }
}

/// Reads where the session or the question of a notification was asked for; none if in no messenger.
pub(super) fn read_place(cells: &Cells<'_>) -> Result<Option<Place>, Error> {
    let Some(messenger) = cells.maybe_word("messenger")? else { return Ok(None) };
    Ok(Some(Place {
        messenger,
        channel: cells.text("channel")?,
        thread: cells.maybe_text("thread")?,
    }))
}

/// Reads what the claim of a notification selects; none if it sends no answer.
pub(super) fn read(row: &PgRow) -> Result<Option<NotifiedAnswer>, Error> {
    let cells = Cells::new(row, "chat_user_messages");
    let Some(question_id) = cells.maybe_id("question_id")? else { return Ok(None) };
    Ok(Some(NotifiedAnswer {
        question_id,
        question: cells.text("question")?,
        status: cells.word("answer_status")?,
        text: cells.maybe_text("answer")?,
        error: cells.maybe_text("answer_error")?,
    }))
}
