//! Which sessions need notifications, and their rows.

use sqlx::Row;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use uuid::{Builder, Uuid};

use super::NotificationKind;
use super::answers::{self, Place};
use crate::access::secret;
use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// A session of which not every destination has a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnnotifiedSession {
    pub session_id: SessionId,
    /// The missing notification.
    pub kind: NotificationKind,
    pub status: SessionStatus,
    pub alert_type: Option<String>,
    /// The alert came with the text of a message.
    pub has_fingerprint: bool,
    /// False of a run of a schedule whose result is not one to send.
    pub is_wanted: bool,
    /// Where a command asked for it.
    pub place: Option<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNotification {
    pub session_id: SessionId,
    pub kind: NotificationKind,
    pub destination: String,
    /// Whether it is sent; what is not send is noted, too, so that nobody asks again.
    pub send: bool,
}

impl NewNotification {
    /// The same for the same session, kind and destination.
    pub(super) fn id(&self) -> Uuid {
        let kind: &str = self.kind.into();
        let about =
            format!("tarsy notification\n{}\n{kind}\n{}", self.session_id, self.destination);
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(secret::hash(&about)).for_each(|(byte, of_digest)| *byte = of_digest);
        Builder::from_custom_bytes(bytes).into_uuid()
    }
}

/// What a session found, as far as two runs of a schedule are compared: the words of causes hold readings, which always differ.
macro_rules! result {
    ($session:literal, $verdict:literal) => {
        concat!(
            "concat_ws(' ', ",
            $session,
            ".status, ",
            $verdict,
            ".outcome, case when ",
            $verdict,
            ".outcome = 'cause_found' then
                concat_ws(' ', ",
            $verdict,
            ".category, ",
            $verdict,
            ".object_kind, ",
            $verdict,
            ".object_name, ",
            $verdict,
            ".object_namespace) end)"
        )
    };
}

/// What was before the first run of a schedule is no fault.
const UNNOTIFIED: &str = concat!(
    "select t.*, k.messenger, k.channel, k.thread, coalesce((
        select case
            when r.notify = 'always' then true
            when r.notify = 'never' or t.kind = 'started' then false
            when r.notify = 'problems' then s.status <> 'completed' or coalesce(v.outcome = 'cause_found', true)
            else ",
    result!("s", "v"),
    " <> coalesce((
                select ",
    result!("p", "w"),
    " from schedule_runs q
                    join alert_sessions p on p.id = q.session_id and p.completed_at is not null
                    left join verdicts w on w.id = p.verdict_id
                where q.schedule = r.schedule and q.due_at < r.due_at
                order by q.due_at desc limit 1
            ), 'completed no_fault_found')
        end
        from schedule_runs r
            join alert_sessions s on s.id = r.session_id
            left join verdicts v on v.id = s.verdict_id
        where r.session_id = t.id
     ), true) as is_wanted
     from (
        select s.id, 'ended' as kind, s.status, s.completed_at as since,
            s.alert_type,
            s.slack_message_fingerprint is not null as has_fingerprint
        from alert_sessions s
        where s.origin = 'alert' and s.completed_at > now() - interval '24 hours'
        union all
        select s.id, 'started', s.status, s.started_at,
            s.alert_type,
            s.slack_message_fingerprint is not null
        from alert_sessions s
        where s.origin = 'alert' and s.status = 'in_progress' and s.started_at > now() - interval '15 minutes'
     ) t left join commands k on k.session_id = t.id and k.question_id is null
     where ($2::uuid is null or t.id = $2) and exists (
        select 1 from notification_destinations d
        where d.name = any($1) and t.since >= d.registered_at and not exists (
            select 1 from notifications n
            where n.session_id = t.id and n.kind = t.kind and n.destination = d.name
        )
     )
     order by t.since, t.id
     limit $3"
);

impl Store {
    /// Notes that these destinations exist. One that nobody named for a day begins anew.
    #[tracing::instrument(name = "db.notification.register", skip_all)]
    pub async fn register_destinations(&self, names: &[String]) -> Result<(), Error> {
        sqlx::query(
            "insert into notification_destinations as d (name) select unnest($1::text[])
             on conflict (name) do update set seen_at = now(), registered_at =
                case when d.seen_at < now() - interval '24 hours' then now() else d.registered_at end",
        )
        .bind(names)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Sessions of the last day that began or ended, and of which not all of these destinations have
    /// a row; of one session, or of all.
    #[tracing::instrument(name = "db.notification.list_unnotified", skip_all)]
    pub async fn list_unnotified(
        &self,
        names: &[String],
        session: Option<SessionId>,
        limit: i64,
    ) -> Result<Vec<UnnotifiedSession>, Error> {
        sqlx::query(UNNOTIFIED)
            .bind(names)
            .bind(session.map(SessionId::uuid))
            .bind(limit)
            .fetch_all(&self.pool)
            .await?
            .iter()
            .map(|row| {
                let cells = Cells::new(row, "alert_sessions");
                Ok(UnnotifiedSession {
                    session_id: cells.id("id")?,
                    kind: cells.word("kind")?,
                    status: cells.word("status")?,
                    alert_type: cells.maybe_text("alert_type")?,
                    has_fingerprint: cells.get("has_fingerprint")?,
                    is_wanted: cells.get("is_wanted")?,
                    place: answers::read_place(&cells)?,
                })
            })
            .collect()
    }

    /// Writes rows that are not there yet; returns how many of them are to be sent. Their ids follow from what they are about, so
    /// that a row that a restore has lost comes back under the same id, by which channels know it. Of a session that is older
    /// than a restore, the message may have been sent already.
    #[tracing::instrument(name = "db.notification.insert", skip_all)]
    pub async fn insert_notifications(&self, rows: &[NewNotification]) -> Result<u64, Error> {
        let ids: Vec<Uuid> = rows.iter().map(NewNotification::id).collect();
        let sessions: Vec<Uuid> = rows.iter().map(|row| row.session_id.uuid()).collect();
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.into()).collect();
        let destinations: Vec<&str> = rows.iter().map(|row| row.destination.as_str()).collect();
        let send: Vec<bool> = rows.iter().map(|row| row.send).collect();
        let written = sqlx::query(
            "with written as (
                insert into notifications (id, session_id, kind, destination, status, attempted_at)
                select r.id, s.id, r.kind, r.destination,
                    case when r.send then 'pending' else 'skipped' end,
                    case when exists (select from restores where restored_at >= s.created_at) then s.created_at end
                from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bool[])
                        as r (id, session_id, kind, destination, send)
                    join alert_sessions s on s.id = r.session_id
                on conflict (session_id, kind, destination, approval_id, review_id) do nothing
                returning status
             )
             select count(*) as pending from written where status = 'pending'",
        )
        .bind(ids)
        .bind(sessions)
        .bind(kinds)
        .bind(destinations)
        .bind(send)
        .fetch_one(&self.pool)
        .await?;
        Ok(u64::try_from(written.try_get::<i64, _>("pending")?).unwrap_or_default())
    }
}
