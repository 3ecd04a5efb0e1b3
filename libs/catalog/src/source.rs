//! The text of a file of the configuration.

/// The text of a file, and how problems name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name that problems show.
    pub name: String,
    pub text: String,
}
