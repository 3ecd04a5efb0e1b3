//! Commands that people give in messengers: the row of a command and what it began are one transaction, so that a message that is
//! delivered again begins nothing.

use tarsy_contracts::event::Committed;
use tarsy_domain::id::{ChatMessageId, SessionId};
use tarsy_domain::messenger::Messenger;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::session::new_sessions::{self, insert_pending};
use crate::session::sessions::NewSession;

/// A command that begins something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommand {
    pub messenger: Messenger,
    /// The message, as the messenger knows it.
    pub key: String,
    pub channel: String,
    /// None outside of threads.
    pub thread: Option<String>,
}

/// A command that has begun something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptCommand {
    pub session_id: SessionId,
    /// The question that it asked.
    pub question_id: Option<ChatMessageId>,
    /// Whether the person got an answer.
    pub is_confirmed: bool,
}

/// What became of a command that begins a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandOutcome {
    Begun {
        events: Vec<Committed>,
    },
    /// The same message came before.
    Known(KeptCommand),
}

/// A thread in which a command is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandThread {
    pub channel: String,
    pub thread: String,
    /// The destinations of notifications whose messages are in this channel.
    pub destinations: Vec<String>,
}

/// A thread may be that of a command, or of a message about a session; what came last counts.
const OF_THREAD: &str = "
    select t.session_id from (
        select c.session_id, c.created_at from commands c
        where c.channel = $1 and c.thread = $2
        union all
        select n.session_id, n.created_at from notifications n
        where n.status = 'sent' and n.external_ref is not null and coalesce(n.thread_ref, n.external_ref) = $2
            and n.destination = any($3)
    ) t join alert_sessions s on s.id = t.session_id and s.deleted_at is null
    order by t.created_at desc limit 1";

impl Store {
    /// The command of this message, if it has begun something.
    #[tracing::instrument(name = "db.command.find", skip_all)]
    pub async fn find_command(
        &self,
        messenger: Messenger,
        key: &str,
    ) -> Result<Option<KeptCommand>, Error> {
        find(&mut self.pool.acquire().await?, messenger, key).await
    }

    /// Begins the session of a command, once.
    #[tracing::instrument(name = "db.command.add", skip_all)]
    pub async fn add_command(
        &self,
        mut command: NewCommand,
        mut session: NewSession,
    ) -> Result<CommandOutcome, Error> {
        clean(&mut command);
        new_sessions::clean(&mut session);
        retrying!(Box::pin(self.add_command_once(&command, &session)))
    }

    async fn add_command_once(
        &self,
        command: &NewCommand,
        session: &NewSession,
    ) -> Result<CommandOutcome, Error> {
        let mut tx = self.pool.begin().await?;
        let events = insert_pending(&mut tx, &self.snapshots, session).await?;
        if !insert(&mut tx, command, (session.id, None)).await? {
            tx.rollback().await?;
            let known = self.find_command(command.messenger, &command.key).await?;
            return known
                .map(CommandOutcome::Known)
                .ok_or(Error::Inconsistent { table: "commands" });
        }
        tx.commit().await?;
        Ok(CommandOutcome::Begun { events: events.unwrap_or_default() })
    }

    /// Notes that the person has the first answer.
    #[tracing::instrument(name = "db.command.confirm", skip_all)]
    pub async fn confirm_command(&self, messenger: Messenger, key: &str) -> Result<(), Error> {
        sqlx::query(
            "update commands set confirmed_at = now() where messenger = $1 and key = $2 and confirmed_at is null",
        )
        .bind(messenger.as_str())
        .bind(key)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// The session that a thread is about.
    #[tracing::instrument(name = "db.command.find_session_of_thread", skip_all)]
    pub async fn find_session_of_thread(
        &self,
        thread: &CommandThread,
    ) -> Result<Option<SessionId>, Error> {
        let id: Option<Uuid> = sqlx::query_scalar(OF_THREAD)
            .bind(&thread.channel)
            .bind(&thread.thread)
            .bind(&thread.destinations)
            .fetch_optional(&self.pool)
            .await?;
        Ok(id.map(SessionId::from))
    }
}

pub(crate) fn clean(command: &mut NewCommand) {
    encode::clean(&mut command.key);
    encode::clean(&mut command.channel);
    encode::clean_maybe(&mut command.thread);
}

async fn find(
    connection: &mut Connection,
    messenger: Messenger,
    key: &str,
) -> Result<Option<KeptCommand>, Error> {
    let row = sqlx::query(
        "select session_id, question_id, confirmed_at is not null as is_confirmed from commands
         where messenger = $1 and key = $2",
    )
    .bind(messenger.as_str())
    .bind(key)
    .fetch_optional(connection)
    .await?;
    let read = |row| {
        let cells = Cells::new(row, "commands");
        Ok(KeptCommand {
            session_id: cells.id("session_id")?,
            question_id: cells.maybe_id("question_id")?,
            is_confirmed: cells.get("is_confirmed")?,
        })
    };
    row.as_ref().map(read).transpose()
}

/// Writes a command with what it begins; false if the same message came before. The primary key decides, also between two at
/// once: the second waits for the first.
pub(crate) async fn insert(
    tx: &mut Connection,
    command: &NewCommand,
    (session, question): (SessionId, Option<ChatMessageId>),
) -> Result<bool, Error> {
    let written = sqlx::query(
        "insert into commands (messenger, key, session_id, question_id, channel, thread)
         values ($1, $2, $3, $4, $5, $6) on conflict (messenger, key) do nothing",
    )
    .bind(command.messenger.as_str())
    .bind(&command.key)
    .bind(session.uuid())
    .bind(question.map(ChatMessageId::uuid))
    .bind(&command.channel)
    .bind(&command.thread)
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}
