//! Masks secrets in the arguments of tool calls, as people see them.

use std::collections::BTreeMap;

use tarsy_masking::{Error, Masker, WITHHELD};

use crate::catalog::Catalog;
use crate::server::McpServer;

/// The masks of the arguments of each server's tools: the patterns for alerts, and those of the server's results.
#[derive(Debug)]
pub struct CallMasks {
    by_server: BTreeMap<String, Masker>,
    /// For servers that the configuration no longer has; none if the patterns do not compile.
    others: Option<Masker>,
}

impl CallMasks {
    /// `refused` is told of each server whose patterns do not compile; its arguments are withheld.
    pub fn new(catalog: &Catalog, refused: impl Fn(&str, &Error)) -> Self {
        let group = &catalog.defaults.alert_masking.pattern_group;
        let by_server = catalog.servers.iter().filter_map(|(id, server)| {
            let masker = masker(group, Some(server));
            masker.map_err(|error| refused(id, &error)).ok().map(|masker| (id.clone(), masker))
        });
        // A server whose patterns do not compile must not be masked with fewer.
        let by_server: BTreeMap<_, _> = by_server.collect();
        let all_compile = by_server.len() == catalog.servers.len();
        let others = masker(group, None).map_err(|error| refused("others", &error)).ok();
        Self { by_server, others: others.filter(|_| all_compile) }
    }

    /// The arguments without secrets; what cannot be masked is withheld.
    pub fn mask(&self, server: &str, arguments: &str) -> String {
        match self.by_server.get(server).or(self.others.as_ref()) {
            Some(masker) => masker.mask_or_withhold(arguments).text.into_owned(),
            None => WITHHELD.to_owned(),
        }
    }
}

fn masker(group: &str, server: Option<&McpServer>) -> Result<Masker, Error> {
    let mut builder = Masker::builder().group(group);
    if let Some(server) = server.filter(|server| server.data_masking.enabled) {
        builder = builder.rules(&server.data_masking.rules());
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Env;

    #[test]
    fn secrets_in_arguments_are_masked_for_every_server() {
        let catalog = Catalog::builtin(&Env::empty()).unwrap();
        let masks = CallMasks::new(&catalog, |server, error| panic!("{server}: {error}"));
        let known = catalog.servers.keys().next().unwrap();
        for server in [known, "removed"] {
            let masked = masks.mask(server, r#"{"pod": "web-1", "password": "hunter2hunter2"}"#);
            assert!(masked.contains("web-1") && !masked.contains("hunter2"), "{masked}");
        }
    }
}
