//! Roles, permissions, and what a credential grants.

use serde::{Deserialize, Serialize};

use crate::string_enum::string_enum;

string_enum! {
    /// What a person or a script may do; each role includes the permissions of those before it.
    Role {
        /// Reads everything but the audit log.
        Viewer,
        /// Submits alerts, asks questions, cancels, approves tool calls, triages sessions, reviews and shares findings.
        Responder,
        /// Reads the audit log, accepts the tools of servers, replays sessions.
        Operator,
        /// Manages API tokens and sign-ins, deletes sessions, removes texts.
        Admin,
    }
}

string_enum! {
    /// What a route requires of its caller.
    Permission {
        /// Sessions, their timelines and live updates, and the state of the system.
        Read,
        /// The calls of models and tools, with prompts and results.
        ReadTrace,
        SubmitAlert,
        /// Begins an investigation of a schedule now.
        RunSchedule,
        AskQuestion,
        CancelSession,
        ApproveCall,
        /// Judges what a session found.
        ReviewSession,
        /// Takes, assigns and finishes the work on a session, and writes notes.
        TriageSession,
        /// Sends a finding to a destination of notifications.
        ShareFinding,
        AcceptTools,
        /// Replays sessions, with other prompts and chains, and brings records in.
        ReplaySession,
        ReadAuditLog,
        ManageTokens,
        /// The resolved configuration, with addresses inside the network.
        ReadConfig,
        /// Lets every service start again with the configuration as it is now.
        ReloadConfig,
        /// Has the tool gateway connect to an address that is not configured.
        TryAddress,
        /// Who is signed in; ends the sign-ins of others.
        ManageSignIns,
        /// Deletes a session for good.
        DeleteSession,
        /// Removes a text from everything that is stored.
        RedactText,
    }
}

string_enum! {
    /// How the sender of a request is identified.
    Identification {
        /// Not at all: it reached a server in mode `local`. Decides nothing.
        Local,
        /// By the token of the start, in mode `local`.
        LocalToken,
        /// By a proxy that signs people in.
        Proxy,
        /// By signing in with OpenID Connect.
        SignIn,
        /// By a token of the OpenID Connect issuer.
        OidcToken,
        ApiToken,
        /// By Slack's signature, as a listed member.
        Slack,
        /// By a token of Mattermost, as a listed user. Decides nothing about tool calls.
        Mattermost,
        /// By the signature of Teams, as a listed user. Decides nothing about tool calls.
        Teams,
    }
}

impl Identification {
    /// The same for a person, after "by somebody".
    pub const fn described(self) -> &'static str {
        match self {
            Self::Local => "not identified",
            Self::LocalToken => "with the token of the start",
            Self::Proxy => "signed in through the proxy",
            Self::SignIn => "signed in",
            Self::OidcToken => "with a token of the issuer",
            Self::ApiToken => "with an API token",
            Self::Slack => "in Slack",
            Self::Mattermost => "in Mattermost",
            Self::Teams => "in Teams",
        }
    }
}

string_enum! {
    /// What a viewer asks over the WebSocket.
    SocketAction {
        Subscribe,
        Unsubscribe,
        Catchup,
        Ping,
    }
}

impl SocketAction {
    /// What it requires of the viewer.
    pub const fn permission(self) -> Permission {
        match self {
            Self::Subscribe | Self::Unsubscribe | Self::Catchup | Self::Ping => Permission::Read,
        }
    }
}

impl Role {
    /// The roles, from the fewest permissions to the most.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Responder, Self::Operator, Self::Admin];

    pub fn allows(self, permission: Permission) -> bool {
        self.rank() >= permission.least_role().rank()
    }

    /// The role with more permissions.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if self.rank() >= other.rank() { self } else { other }
    }

    const fn rank(self) -> u8 {
        match self {
            Self::Viewer => 0,
            Self::Responder => 1,
            Self::Operator => 2,
            Self::Admin => 3,
        }
    }
}

impl Permission {
    /// Whether everybody who reaches a server in mode `local` has it. What acts in a person's place is not among them: whoever
    /// has it shows the token of the start.
    pub const fn is_open_locally(self) -> bool {
        matches!(self, Self::Read | Self::ReadTrace | Self::SubmitAlert)
    }

    /// The first role that includes this permission.
    pub const fn least_role(self) -> Role {
        match self {
            Self::Read | Self::ReadTrace => Role::Viewer,
            Self::SubmitAlert
            | Self::RunSchedule
            | Self::AskQuestion
            | Self::CancelSession
            | Self::ApproveCall
            | Self::ReviewSession
            | Self::TriageSession
            | Self::ShareFinding => Role::Responder,
            Self::ReadAuditLog | Self::AcceptTools | Self::ReplaySession => Role::Operator,
            Self::ManageTokens
            | Self::ReadConfig
            | Self::ReloadConfig
            | Self::TryAddress
            | Self::ManageSignIns
            | Self::DeleteSession
            | Self::RedactText => Role::Admin,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grant {
    Role(Role),
    /// Only the submission of alerts of these types, for an alert source.
    Source {
        alert_types: Vec<String>,
    },
}

impl Grant {
    pub fn allows(&self, permission: Permission) -> bool {
        match self {
            Self::Role(role) => role.allows(permission),
            Self::Source { .. } => permission == Permission::SubmitAlert,
        }
    }

    /// Whether an alert may choose the provider of its investigation: an alert source sends data, and does not decide where it
    /// goes.
    pub const fn allows_choice_of_provider(&self) -> bool {
        matches!(self, Self::Role(_))
    }

    /// Whether alerts of this type may be submitted.
    pub fn allows_alert_type(&self, alert_type: &str) -> bool {
        match self {
            Self::Role(role) => role.allows(Permission::SubmitAlert),
            Self::Source { alert_types } => alert_types.iter().any(|known| known == alert_type),
        }
    }
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator as _;

    use super::*;

    #[test]
    fn each_role_includes_those_before_it() {
        for permission in Permission::iter() {
            let allowed: Vec<bool> = Role::ALL.iter().map(|role| role.allows(permission)).collect();
            assert!(allowed.is_sorted(), "{permission}");
            assert!(Role::Admin.allows(permission));
        }
        assert!(!Role::Viewer.allows(Permission::SubmitAlert));
        assert!(!Role::Responder.allows(Permission::ReadAuditLog));
        assert!(!Role::Operator.allows(Permission::ManageTokens));
    }

    #[test]
    fn whoever_reaches_a_local_server_reads_and_submits_and_decides_nothing() {
        let open: Vec<_> = Permission::iter().filter(|one| one.is_open_locally()).collect();
        assert_eq!(open, [Permission::Read, Permission::ReadTrace, Permission::SubmitAlert]);
    }

    #[test]
    fn a_source_only_submits_alerts_of_its_types() {
        let source = Grant::Source { alert_types: vec!["kubernetes".to_owned()] };
        for permission in Permission::iter() {
            assert_eq!(source.allows(permission), permission == Permission::SubmitAlert);
        }
        assert!(source.allows_alert_type("kubernetes"));
        assert!(!source.allows_alert_type("host"));
        assert!(!Grant::Role(Role::Viewer).allows_alert_type("kubernetes"));
    }
}
