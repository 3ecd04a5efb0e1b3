//! Commands that people give in Slack, Mattermost and Teams: each is a request of a listed person, with the permissions, quotas,
//! masking and entries of the audit log that the same request over REST has.

mod answers;
mod handle;
mod markup;
mod message;
mod parse;
mod people;
mod plain;
mod run;

pub(super) use self::handle::handle;
pub(super) use self::message::{Audience, Message, answer_of};
pub(super) use self::people::principal;
pub(super) use self::plain::plain;
