//! Which messages of a conversation are the offline analyst's.

use std::sync::LazyLock;

use tarsy_catalog::ResolvedProvider;
use tarsy_store::Execution;

pub(super) static ANALYST: LazyLock<ResolvedProvider> = LazyLock::new(ResolvedProvider::offline);

/// The sequence numbers of the analyst's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gathered {
    /// Of the first one, which says that it begins.
    pub(super) since: i32,
    /// Of the message after the last one; none while it gathers.
    pub(super) until: Option<i32>,
}

impl Gathered {
    /// As it is stored.
    pub(super) fn of(execution: &Execution) -> Option<Self> {
        execution.gathering_since.map(|since| Self { since, until: execution.gathering_until })
    }

    pub(super) fn contains(self, sequence: i32) -> bool {
        sequence >= self.since && self.until.is_none_or(|until| sequence < until)
    }
}
