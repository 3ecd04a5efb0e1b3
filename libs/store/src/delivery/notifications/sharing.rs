//! Findings that a person sends to a destination whose rules left them out.

use jiff::Timestamp;
use tarsy_domain::id::SessionId;

use super::NotificationKind;
use super::discovery::NewNotification;
use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// What became of the wish to share a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShareOutcome {
    /// The notifier sends it.
    Queued,
    /// It is on its way already.
    Pending,
    /// The destination has it, since then.
    Sent(Timestamp),
    /// The session has not ended.
    Running,
    /// It is a replay or a record, of which nobody is notified.
    Recorded,
    NotFound,
}

/// One that rules left out, or that was given up, is sent after all; one that was sent is not sent twice.
const SHARE: &str = "
    with session as (
        select id, completed_at is not null as has_ended, origin = 'alert' as is_live from alert_sessions where id = $2
    ), written as (
        insert into notifications as n (id, session_id, kind, destination, status)
        select $1, s.id, $3, $4, 'pending' from session s where s.has_ended and s.is_live
        on conflict (session_id, kind, destination, approval_id, review_id) do update
        set status = 'pending', failures = 0, error = null, created_at = now(), due_at = now(), finished_at = null
        where n.status in ('skipped', 'failed')
        returning n.id
    )
    select s.has_ended, s.is_live, exists (select from written) as is_queued, b.finished_at
    from session s left join notifications b
        on b.session_id = s.id and b.kind = $3 and b.destination = $4 and b.status = 'sent'";

impl Store {
    /// Has the finding of a session that has ended sent to a destination, once.
    #[tracing::instrument(name = "db.notification.share", skip_all)]
    pub async fn share_finding(
        &self,
        session_id: SessionId,
        destination: &str,
    ) -> Result<ShareOutcome, Error> {
        let new = NewNotification {
            session_id,
            kind: NotificationKind::Ended,
            destination: destination.to_owned(),
            send: true,
        };
        let row = sqlx::query(SHARE)
            .bind(new.id())
            .bind(session_id.uuid())
            .bind::<&str>(new.kind.into())
            .bind(destination)
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else { return Ok(ShareOutcome::NotFound) };
        let cells = Cells::new(&row, "notifications");
        if !cells.get::<bool>("is_live")? {
            return Ok(ShareOutcome::Recorded);
        }
        Ok(match (cells.get("has_ended")?, cells.get("is_queued")?) {
            (false, _) => ShareOutcome::Running,
            (true, true) => ShareOutcome::Queued,
            (true, false) => {
                cells.maybe_time("finished_at")?.map_or(ShareOutcome::Pending, ShareOutcome::Sent)
            }
        })
    }
}
