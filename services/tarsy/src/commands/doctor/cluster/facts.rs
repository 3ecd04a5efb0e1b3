//! What is known of an installation. Where something cannot be read, its error is what is known.

use jiff::Timestamp;
use tarsy_contracts::status::{Instance, Warning};
use tarsy_contracts::system::{BusState, DatabaseState, QueueState, StreamState};

#[derive(Debug)]
pub(in super::super) struct Facts {
    /// Where they come from.
    pub(super) source: String,
    /// Why the API does not answer, if they come from there; then nothing else is known.
    pub(super) api_problem: Option<String>,
    pub(super) database: Result<DatabaseState, String>,
    /// The address of the database names several servers.
    pub(super) expects_standby: bool,
    pub(super) queue: Result<QueueState, String>,
    pub(super) bus: Result<BusState, String>,
    pub(super) streams: Result<Vec<StreamState>, String>,
    /// How many servers are to keep each stream; none if that is not known here.
    pub(super) replicas: Option<usize>,
    pub(super) instances: Result<Vec<Instance>, String>,
    pub(super) warnings: Result<Vec<Warning>, String>,
    pub(super) models: Result<Models, String>,
    /// When the newest backup was taken; none without a folder to look into.
    pub(super) newest_backup: Option<Result<Option<Timestamp>, String>>,
}

/// Which providers of language models can be called.
#[derive(Debug)]
pub(super) struct Models {
    /// Who answers.
    pub(super) source: String,
    pub(super) usable: Vec<String>,
}
