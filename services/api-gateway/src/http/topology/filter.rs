//! Around which object dependencies are listed.

use serde::Deserialize;
use tarsy_store::DependencyQuery;
use tarsy_web::{FieldError, Problem};
use utoipa::IntoParams;

use crate::http::query_text::{given, quoted};

/// The most dependencies in each direction.
const MAX_FOUND: usize = 200;
/// The most that are followed from an object.
const MAX_DEPTH: usize = 3;

/// Around which object, and how far.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DependencyFilter {
    /// The object, with or without its kind, such as `checkout` or `Deployment/checkout`.
    of: Option<String>,
    /// Its namespace.
    namespace: Option<String>,
    /// Leaves out those of another environment.
    environment: Option<String>,
    /// How many dependencies are followed from it, from 1 to 3; 1 without it.
    #[param(value_type = Option<i64>)]
    depth: Option<String>,
}

impl DependencyFilter {
    pub(super) fn read(&self) -> Result<DependencyQuery, Problem> {
        let mut errors = Vec::new();
        let of = given(self.of.as_ref());
        if of.is_none() {
            errors.push(FieldError::new("of", "is missing; name a service or an object"));
        }
        let depth = match given(self.depth.as_ref()) {
            None => 1,
            Some(text) => {
                let depth = text.parse().ok().filter(|depth| (1..=MAX_DEPTH).contains(depth));
                depth.unwrap_or_else(|| {
                    let problem =
                        format!("is {}; write a number from 1 to {MAX_DEPTH}", quoted(text));
                    errors.push(FieldError::new("depth", problem));
                    1
                })
            }
        };
        if !errors.is_empty() {
            return Err(Problem::invalid(errors));
        }
        let owned = |text: Option<&String>| given(text).map(str::to_owned);
        Ok(DependencyQuery {
            names: of.map(str::to_owned).into_iter().collect(),
            namespace: owned(self.namespace.as_ref()),
            cluster: None,
            environment: owned(self.environment.as_ref()),
            depth,
            limit: MAX_FOUND,
        })
    }
}
