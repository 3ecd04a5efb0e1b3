//! Runs of schedules.

use crate::string_enum::string_enum;

string_enum! {
    /// What became of a time of a schedule.
    ScheduleRunOutcome {
        /// A session began.
        Started,
        /// Nothing ran at that time, and the schedule does not make up for it.
        Missed,
        /// The run before it went on.
        StillRunning,
        /// The tokens of that day were used up.
        TokensUsedUp,
    }
}
