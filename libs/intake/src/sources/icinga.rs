//! Notifications of Icinga 2. A notification command gets them as variables, named as those of the mail commands that come with
//! Icinga: "Notification Commands", <https://icinga.com/docs/icinga-2/latest/doc/03-monitoring-basics/#notification-commands>.
//! The command of `docs/intake/icinga.md` sends them with a bearer token.

use serde_json::Value;

use super::nagios;
use crate::alert::Status;
use crate::json::{Node, ParseError};
use crate::names::fill_from_labels;
use crate::received::{Group, Received};

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let mut draft = match nagios::notification(&root)? {
        Ok(draft) => draft,
        Err(ignored) => return Ok(Received::Ignored(ignored)),
    };
    draft.starts_at = root.at("LASTSTATECHANGE").time().filter(|_| draft.status == Status::Firing);
    draft.ends_at = root.at("LASTSTATECHANGE").time();
    fill_from_labels(&mut draft);
    draft.link("Icinga", root.at("ICINGAWEB2URL").text().as_deref());
    Ok(Received::Alerts(Group::of(vec![draft.finish(source)])))
}
