//! Names: of variables, hosts, tools, files, and of what other parts of the configuration define.

use std::path::{Path, PathBuf};

use schemars::{Schema, json_schema};
use serde::de;
use tarsy_domain::access::Role;
use tarsy_hosts::HostList;
use tarsy_masking::{CustomPattern, Error as MaskingError};
use url::Host;

use super::Rule;
use crate::calendar::month_and_day;
use crate::cron::is_expression;
use crate::fault::{WRITTEN, fault};

/// The most characters of the name of a destination or a source.
const LONGEST_SHORT_NAME: usize = 64;
/// The most characters of a variable's name.
const LONGEST_VARIABLE: usize = 100;

/// A rule whose value is its text.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident = |$text:ident| $check:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl Rule for $name {
            type Value = String;

            fn parse<E: de::Error>($text: &str) -> Result<String, E> {
                match $check {
                    None => Ok($text.to_owned()),
                    Some((message, suggestion)) => Err(fault::<E>(message, suggestion)),
                }
            }

            fn placeholder() -> String {
                String::new()
            }
        }
    )*};
}

texts! {
    /// Text that is not blank.
    NotBlank = |text| text.trim().is_empty().then_some(("is empty", "write a value"));

    /// The name of an object, with or without its kind before a `/`.
    ObjectName = |text| (text.is_empty() || text.contains(char::is_whitespace)).then_some((
        format!("\"{WRITTEN}\" is not the name of an object"),
        "write it without blanks, such as payments or ConfigMap/payments",
    ));

    /// A tool with its server, `server.tool`.
    FullToolName = |text| (!is_full_tool(text)).then_some((
        format!("\"{WRITTEN}\" is not the name of a tool with its server"),
        "write server.tool, such as kubernetes.pods_list",
    ));

    /// The name of an environment variable. The value is not shown: it may be the secret itself.
    VariableName = |text| (!is_variable(text)).then_some((
        "is not the name of a variable",
        "write the name of the environment variable, such as MY_API_KEY, not its value",
    ));

    /// The name of an HTTP header.
    HeaderName = |text| (!is_header(text)).then_some((
        format!("\"{WRITTEN}\" is not the name of a header"),
        "write letters, digits and hyphens, such as X-Forwarded-User",
    ));

    /// A host, without scheme, port and path.
    HostName = |text| Host::parse(text).is_err().then_some((
        format!("\"{WRITTEN}\" is not a host name"),
        "write the host alone, such as github.com, without scheme or path",
    ));

    /// A host with `*` for a part of it.
    HostPattern = |text| (text.is_empty() || text.contains(char::is_whitespace)).then_some((
        "is not a host pattern",
        "write a host pattern such as *.example.com",
    ));

    /// A host, a name with `*.` before it, an address, a network, or `*`.
    AllowedHost = |text| HostList::parse([text]).is_err().then_some((
        format!("\"{WRITTEN}\" is neither a host nor a network"),
        "write a host such as example.com, *.example.com for all names below it, an address, or a network such as \
         10.0.0.0/8, without scheme, port and path",
    ));

    /// A repository of GitHub, or all of an owner.
    RepositoryPrefix = |text| (!is_repository_prefix(text)).then_some((
        format!("\"{WRITTEN}\" is neither an owner nor a repository"),
        "write your-org/ for all repositories of an owner, or your-org/your-repo for one",
    ));

    /// A tool's name with `*` and `?`.
    Glob = |text| (!is_glob(text)).then_some((
        format!("\"{WRITTEN}\" is not a glob on tool names"),
        "use a tool's name with `*` and `?`, such as pods_*",
    ));

    /// A scope of OAuth.
    Scope = |text| (text.is_empty() || text.contains(char::is_whitespace))
        .then_some(("is not a scope", "write one scope an entry"));

    /// A day of each year.
    MonthDay = |text| month_and_day(text).is_none().then_some((
        format!("\"{WRITTEN}\" is not a day of the year"),
        "write month and day, such as 12-25",
    ));

    /// A day, or a time.
    Day = |text| (!is_day(text)).then_some((
        format!("\"{WRITTEN}\" is neither a day nor a time"),
        "write a day such as 2026-08-01, or a time such as 2026-08-01T09:00:00Z",
    ));

    /// A cron expression.
    CronExpression = |text| (!is_expression(text)).then_some((
        format!("\"{WRITTEN}\" is not a cron expression"),
        "write minute, hour, day of the month, month and weekday, such as 0 6 * * 1-5, or @hourly, @daily, @weekly, @monthly",
    ));

    /// A regular expression of a custom mask.
    Expression = |text| expression(text);
}

/// Whether a key can be the name of a destination or a source, which stands in addresses.
pub(crate) fn is_short_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST_SHORT_NAME
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b))
}

fn is_day(text: &str) -> bool {
    text.parse::<jiff::civil::Date>().is_ok() || text.parse::<jiff::Timestamp>().is_ok()
}

fn is_variable(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= LONGEST_VARIABLE
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_header(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_repository_prefix(text: &str) -> bool {
    let is_name = |part: &str| {
        !matches!(part, "" | "." | "..")
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    text.split_once('/')
        .is_some_and(|(owner, name)| is_name(owner) && (name.is_empty() || is_name(name)))
}

fn is_full_tool(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && !part.contains(char::is_whitespace);
    text.split_once('.').is_some_and(|(server, tool)| is_part(server) && is_part(tool))
}

fn is_glob(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.*?".contains(c))
}

/// What is wrong with an expression, and what to do about it.
fn expression(text: &str) -> Option<(String, &'static str)> {
    let pattern = CustomPattern { pattern: text.to_owned(), ..CustomPattern::default() };
    match pattern.check() {
        Ok(()) => None,
        Err(MaskingError::EmptyMatch { .. }) => Some((
            "the pattern matches the empty text and so masks everywhere".to_owned(),
            "make it match at least one character",
        )),
        Err(MaskingError::TooLarge { mebibytes, .. }) => Some((
            format!("the pattern is too large: compiled, it takes more than {mebibytes} MiB"),
            "write {20,} for {20,1000}, repeat no repeat, or name fewer characters ([0-9A-Za-z_] for \\pL)",
        )),
        Err(error) => {
            let reason = std::error::Error::source(&error).unwrap_or(&error).to_string();
            let reason = reason.lines().last().unwrap_or_default().trim();
            Some((
                format!("does not compile: {}", reason.trim_start_matches("error: ")),
                "correct the regular expression; look-around and back-references do not exist",
            ))
        }
    }
}

/// A reference: its value must be the name of something that the configuration defines.
macro_rules! references {
    ($($(#[$doc:meta])* $name:ident, $mark:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl $name {
            /// What it refers to, in messages.
            pub(crate) const KIND: &'static str = $mark;
        }

        impl Rule for $name {
            type Value = String;

            const MARK: &'static str = $mark;

            fn parse<E: de::Error>(text: &str) -> Result<String, E> {
                Ok(text.to_owned())
            }

            fn placeholder() -> String {
                String::new()
            }
        }
    )*};
}

references! {
    /// The name of a provider of language models.
    ProviderName, "provider";
    /// The name of an agent.
    AgentName, "agent";
    /// The id of an MCP server.
    ServerName, "server";
    /// An alert type that a chain serves.
    AlertTypeName, "alert type";
    /// A group of masking patterns.
    MaskingGroup, "masking group";
    /// A masking pattern.
    MaskingPattern, "masking pattern";
    /// The name of a skill.
    SkillName, "skill";
}

/// A role of a user.
pub(crate) struct RoleName;

impl Rule for RoleName {
    type Value = Role;

    fn parse<E: de::Error>(text: &str) -> Result<Role, E> {
        text.parse().map_err(|_| {
            fault::<E>(
                format!("\"{WRITTEN}\" is not a role"),
                "write viewer, responder, operator or admin",
            )
        })
    }

    fn placeholder() -> Role {
        Role::Viewer
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": Role::ALL.map(Role::as_str) })
    }
}

/// The path of a file or folder, from the root.
pub(crate) struct AbsolutePath;

impl Rule for AbsolutePath {
    type Value = PathBuf;

    fn parse<E: de::Error>(text: &str) -> Result<PathBuf, E> {
        if !Path::new(text).is_absolute() {
            let suggestion = "write the whole path, such as /etc/tarsy/ca.pem";
            return Err(fault("must be an absolute path", suggestion));
        }
        Ok(PathBuf::from(text))
    }

    fn placeholder() -> PathBuf {
        PathBuf::new()
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": "^/" })
    }
}
