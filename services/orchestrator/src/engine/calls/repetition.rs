//! A call that repeats an earlier one, as a value.

use tarsy_domain::id::InteractionId;

/// A model that asks for the same result so often is not helped by it.
const TOO_OFTEN: i64 = 3;

/// A call that is answered by an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Repetition {
    /// The record of the earlier call.
    pub(super) id: InteractionId,
    /// Its number in the session.
    pub(super) number: i64,
    /// How often the model has asked for its result, the first call counted.
    pub(super) times: i64,
}

impl Repetition {
    /// Whether the model is to conclude from what it has.
    pub(super) fn is_too_often(self) -> bool {
        self.times >= TOO_OFTEN
    }
}
