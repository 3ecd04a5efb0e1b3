//! The chain of a record: the one that it has, else one of here.

use serde_json::Value;
use tarsy_catalog::ResolvedChain;
use tarsy_domain::code::Code;
use tarsy_web::{FieldError, Problem};

use crate::state::AppState;

/// The chain of an alert type, else the default one.
pub(crate) fn default_chain(app: &AppState, alert_type: Option<&str>) -> Result<Value, Problem> {
    let catalog = app.catalog();
    let of_type = alert_type.and_then(|name| catalog.resolve_chain(Some(name), None).ok());
    let chain = match of_type {
        Some(chain) => chain,
        None => catalog
            .resolve_chain(None, None)
            .map_err(|error| invalid(format!("is null, and {error}; send one")))?,
    };
    serde_json::to_value(chain).map_err(|error| Problem::new(Code::Internal, error.to_string()))
}

/// A chain that somebody gave is refused with its field; one that is stored was valid once.
pub(crate) fn read_chain(chain: Value, given: bool) -> Result<ResolvedChain, Problem> {
    let chain: ResolvedChain = serde_json::from_value(chain).map_err(|error| {
        if given {
            return invalid(format!("is no resolved chain ({error}); take that of a record"));
        }
        Problem::new(Code::Conflict, "the chain stored with this session cannot be read")
    })?;
    if chain.stages.is_empty() || chain.stages.iter().any(|stage| stage.agents.is_empty()) {
        return Err(invalid("has no stages, or one without agents".to_owned()));
    }
    Ok(chain)
}

fn invalid(message: String) -> Problem {
    Problem::invalid(vec![FieldError::new("chain", message)])
}
