//! What other systems report, and the calendar.

pub(crate) mod changes;
pub(crate) mod dependencies;
pub(crate) mod intake;
pub(crate) mod schedules;
