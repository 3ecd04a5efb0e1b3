//! What a case expects of an investigation.

use serde::{Deserialize, Serialize};

/// The accepted answers of a case. Each list has other names of the same; one of them is enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Names of the cause.
    pub cause: Vec<String>,
    /// Names of the object that is at fault.
    pub object: Vec<String>,
    /// Names of the kind of fault.
    pub category: Vec<String>,
    /// Facts that the report has to state, each with its other spellings.
    #[serde(default)]
    pub required_evidence: Vec<Vec<String>>,
    /// Texts that the report must not contain.
    #[serde(default)]
    pub forbidden_evidence: Vec<String>,
    /// Nothing is wrong: the right answer states no cause, and the other lists are empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub healthy: bool,
}

/// A case that cannot be scored: a field, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected.{field}: {problem}")]
pub struct InvalidCase {
    pub field: &'static str,
    pub problem: &'static str,
}

impl Expected {
    /// Fails unless cause, object and category have names, or nothing is wrong and they have none.
    pub fn check(&self) -> Result<(), InvalidCase> {
        if self.healthy && self.cause.is_empty() {
            return Ok(());
        }
        if self.healthy {
            let problem = "has names although nothing is wrong; remove them, or `healthy`";
            return Err(InvalidCase { field: "cause", problem });
        }
        let lists =
            [("cause", &self.cause), ("object", &self.object), ("category", &self.category)];
        for (field, names) in lists {
            if names.is_empty() {
                return Err(InvalidCase {
                    field,
                    problem: "is empty; write at least one accepted name",
                });
            }
            if names.iter().any(|name| name.trim().is_empty()) {
                return Err(InvalidCase { field, problem: "has a blank name; remove it" });
            }
        }
        if self.required_evidence.iter().any(|one| one.iter().all(|name| name.trim().is_empty())) {
            let problem = "has an entry without a name; remove it";
            return Err(InvalidCase { field: "required_evidence", problem });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected() -> Expected {
        Expected {
            cause: vec!["disk full".to_owned()],
            object: vec!["/var".to_owned()],
            category: vec!["disk".to_owned()],
            ..Expected::default()
        }
    }

    #[test]
    fn a_case_without_an_accepted_name_is_refused_with_its_field() {
        assert_eq!(expected().check(), Ok(()));
        let healthy = Expected { healthy: true, ..Expected::default() };
        assert_eq!(healthy.check(), Ok(()));
        assert_eq!(Expected { healthy: true, ..expected() }.check().unwrap_err().field, "cause");
        let without = Expected { object: Vec::new(), ..expected() };
        assert_eq!(without.check().unwrap_err().field, "object");
        let blank = Expected { cause: vec![" ".to_owned()], ..expected() };
        assert_eq!(blank.check().unwrap_err().field, "cause");
        let empty = Expected { required_evidence: vec![Vec::new()], ..expected() };
        assert_eq!(empty.check().unwrap_err().field, "required_evidence");
    }
}
