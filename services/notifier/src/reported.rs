//! What a notification reports of its session, and where people read more.

use tarsy_catalog::NotificationStatus;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Notification, NotificationKind};

/// The status that a notification reports; none while the session has not ended.
pub(crate) fn reported_status(
    kind: NotificationKind,
    status: SessionStatus,
) -> Option<NotificationStatus> {
    match (kind, status) {
        (NotificationKind::Started, _) => Some(NotificationStatus::Started),
        (NotificationKind::Answered, _) => Some(NotificationStatus::Completed),
        (NotificationKind::ApprovalRequested | NotificationKind::ApprovalClosed, _) => {
            Some(NotificationStatus::Approval)
        }
        (
            NotificationKind::Ended
            | NotificationKind::Reviewed
            | NotificationKind::Triaged
            | NotificationKind::RolledBack,
            status,
        ) => ended_status(status),
    }
}

fn ended_status(status: SessionStatus) -> Option<NotificationStatus> {
    match status {
        SessionStatus::Completed => Some(NotificationStatus::Completed),
        SessionStatus::Failed => Some(NotificationStatus::Failed),
        SessionStatus::TimedOut => Some(NotificationStatus::TimedOut),
        SessionStatus::Cancelled => Some(NotificationStatus::Cancelled),
        SessionStatus::Pending | SessionStatus::InProgress | SessionStatus::Cancelling => None,
    }
}

pub(crate) fn session_page(dashboard_url: &str, notification: &Notification) -> String {
    format!("{dashboard_url}/sessions/{}", notification.session_id)
}
