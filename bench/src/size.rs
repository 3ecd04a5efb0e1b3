//! How much a run measures.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// Enough for figures.
    Whole,
    /// Enough to show that every part runs, also in a debug build; its figures mean nothing.
    Tiny,
}

impl Size {
    /// The value for this size.
    pub(crate) fn of<T>(self, whole: T, tiny: T) -> T {
        match self {
            Self::Whole => whole,
            Self::Tiny => tiny,
        }
    }
}
