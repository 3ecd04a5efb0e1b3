//! Who may give commands.

use std::collections::BTreeMap;

use tarsy_catalog::{ListedUser, System};
use tarsy_domain::access::Grant;
use tarsy_domain::messenger::Messenger;

use crate::access::{Credential, Principal};

/// Who may give commands in a messenger, as the configuration has it.
pub(super) struct People<'a> {
    pub(super) users: &'a BTreeMap<String, ListedUser>,
    workspaces: &'a [String],
    /// The key of the configuration.
    pub(super) section: &'static str,
}

impl<'a> People<'a> {
    pub(super) fn of(system: &'a System, messenger: Messenger) -> Option<Self> {
        let (users, workspaces, section) = match messenger {
            Messenger::Slack => {
                let slack = &system.slack;
                slack.commands.then_some((&slack.users, &slack.workspaces, "system.slack"))?
            }
            Messenger::Mattermost => {
                let mattermost = system.mattermost.as_ref()?;
                (&mattermost.users, &mattermost.workspaces, "system.mattermost")
            }
            Messenger::Teams => {
                let teams = system.teams.as_ref()?;
                (&teams.users, &teams.workspaces, "system.teams")
            }
        };
        Some(Self { users, workspaces, section })
    }

    pub(super) fn accepts(&self, workspace: Option<&str>) -> bool {
        self.workspaces.is_empty()
            || workspace.is_some_and(|given| self.workspaces.iter().any(|known| known == given))
    }
}

/// The person with this id; none if the configuration does not list it.
pub(in crate::http) fn principal(
    users: &BTreeMap<String, ListedUser>,
    messenger: Messenger,
    id: &str,
) -> Option<Principal> {
    let user = users.get(id)?;
    let credential = Credential::Messenger(messenger);
    Some(Principal { name: user.name.clone(), credential, grant: Grant::Role(user.role) })
}
