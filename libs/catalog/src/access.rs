//! The section `system.access` of `tarsy.yaml`: who may use the API and the dashboard.

mod oidc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use tarsy_domain::access::Role;

use crate::check::Check;
use crate::path::Path;
use crate::rule::{As, Each, HeaderName, HostPattern, NotBlank, RoleName, is_safe_address};

pub use self::oidc::Oidc;

/// How callers of the API and users of the dashboard are identified.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AccessMode {
    /// Whoever reaches the loopback address may do everything.
    #[default]
    Local,
    /// A proxy signs people in and names the user in a header.
    Proxy,
    /// People sign in with OpenID Connect.
    Oidc,
}

impl AccessMode {
    /// The name that configuration files use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Proxy => "proxy",
            Self::Oidc => "oidc",
        }
    }
}

/// Who may use the API and the dashboard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Access {
    /// How people are identified, see *Access*
    pub mode: AccessMode,
    /// Host patterns that requests may name, beside the dashboard's and loopback
    #[serde(with = "Each::<HostPattern>")]
    pub allowed_hosts: Vec<String>,
    /// The role of users whose groups have none; without it they are refused
    #[serde(with = "As::<RoleName>")]
    pub default_role: Option<Role>,
    /// The groups of each role
    pub roles: RoleGroups,
    /// What the proxy sends
    pub proxy: ProxyHeaders,
    /// How people sign in with OpenID Connect
    pub oidc: Oidc,
}

/// The groups of each role.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoleGroups {
    /// Groups that may read
    #[serde(with = "Each::<NotBlank>")]
    pub viewer: Vec<String>,
    /// Groups that may also submit, ask and cancel
    #[serde(with = "Each::<NotBlank>")]
    pub responder: Vec<String>,
    /// Groups that may also read the audit log
    #[serde(with = "Each::<NotBlank>")]
    pub operator: Vec<String>,
    /// Groups that may also manage API tokens and sign-ins
    #[serde(with = "Each::<NotBlank>")]
    pub admin: Vec<String>,
}

impl RoleGroups {
    const fn of(&self, role: Role) -> &Vec<String> {
        match role {
            Role::Viewer => &self.viewer,
            Role::Responder => &self.responder,
            Role::Operator => &self.operator,
            Role::Admin => &self.admin,
        }
    }
}

/// The headers of a proxy that signs people in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct ProxyHeaders {
    /// Header with the user, believed from `TARSY_TRUSTED_PROXIES` only
    #[default = "X-Forwarded-User"]
    #[serde(with = "As::<HeaderName>")]
    pub user_header: String,
    /// Header with the groups, comma-separated
    #[default = "X-Forwarded-Groups"]
    #[serde(with = "As::<HeaderName>")]
    pub groups_header: String,
}

impl Access {
    /// The role of a user in these groups: the one with the most permissions.
    pub fn role_of<S: AsRef<str>>(&self, groups: &[S]) -> Option<Role> {
        let has = |role: &Role| {
            let listed = self.roles.of(*role);
            groups.iter().any(|group| listed.iter().any(|one| one == group.as_ref()))
        };
        Role::ALL.into_iter().rev().find(has).or(self.default_role)
    }

    pub(crate) fn check(&self, at: &Path, dashboard_url: &str, check: &mut Check<'_>) {
        if self.mode == AccessMode::Oidc {
            self.oidc.check(&at.key("oidc"), check);
            if !is_safe_address(dashboard_url) {
                check.problem(
                    &Path::of(["system", "dashboard_url"]),
                    "would send the cookies of people who sign in unencrypted".to_owned(),
                    "write https://, and end TLS in front of api-gateway",
                );
            }
        }
        let grants = Role::ALL.iter().any(|role| !self.roles.of(*role).is_empty());
        if self.mode != AccessMode::Local && !grants && self.default_role.is_none() {
            check.problem(
                &at.key("roles"),
                format!("nobody has a role in mode {}", self.mode.as_str()),
                "list groups, such as `roles: { admin: [sre] }`, or set default_role: viewer",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_with_the_most_permissions_decides() {
        let access = Access {
            roles: RoleGroups {
                viewer: vec!["everyone".to_owned()],
                admin: vec!["sre-leads".to_owned()],
                ..RoleGroups::default()
            },
            ..Access::default()
        };
        assert_eq!(access.role_of(&["everyone", "sre-leads"]), Some(Role::Admin));
        assert_eq!(access.role_of(&["everyone"]), Some(Role::Viewer));
        assert_eq!(access.role_of(&["strangers"]), None);
        let open = Access { default_role: Some(Role::Viewer), ..access };
        assert_eq!(open.role_of::<&str>(&[]), Some(Role::Viewer));
    }
}
