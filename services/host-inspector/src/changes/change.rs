//! A change of a machine.

use jiff::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostChangeKind {
    Package,
    Unit,
    Kernel,
}

impl HostChangeKind {
    /// The word of the API of changes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Unit => "unit",
            Self::Kernel => "kernel",
        }
    }
}

/// Something that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostChange {
    /// The same each time it is read.
    pub id: String,
    pub at: Timestamp,
    pub kind: HostChangeKind,
    /// A package or a unit; of several packages at once, none.
    pub object: Option<String>,
    /// In a sentence.
    pub text: String,
}
