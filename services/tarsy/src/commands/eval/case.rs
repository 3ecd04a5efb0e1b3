//! A case that is run.

use crate::commands::case::folder::CaseFolder;

/// A case with the name of its folder.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) folder: CaseFolder,
}
