//! A case that is run.

use crate::commands::case::folder::CaseFolder;

/// A case with the name of its folder.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: String,
    /// Whether it is in a layout of others.
    pub(super) foreign: bool,
    pub(super) folder: CaseFolder,
}
