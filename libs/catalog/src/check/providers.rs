//! The rules for providers.

use std::collections::BTreeMap;

use super::Checker;
use crate::file::ProviderFile;
use crate::path::Path;
use crate::provider::{NativeTools, OFFLINE, ProviderType};
use crate::resolve::has_native_tools;

impl Checker<'_> {
    pub(super) fn llm_providers(&mut self, providers: Option<&BTreeMap<String, ProviderFile>>) {
        for (name, provider) in providers.into_iter().flatten() {
            let at = Path::of(["llm_providers", name]);
            let kind = provider.provider_type;
            if name == OFFLINE && kind.is_some_and(|kind| kind != ProviderType::Offline) {
                let fix = "choose another name: `offline` is the analyst that needs no model";
                self.problem(&at.key("type"), "the name offline is taken", fix);
            }
            if provider.model.as_deref().is_some_and(|model| model.trim().is_empty()) {
                let fix = "write the model's name at the provider, such as gemini-2.5-flash";
                self.problem(&at.key("model"), "is empty", fix);
            }
            for (key, variable) in [
                ("api_key_env", &provider.api_key_env),
                ("credentials_env", &provider.credentials_env),
                ("project_env", &provider.project_env),
                ("location_env", &provider.location_env),
            ] {
                self.variable(&at.key(key), variable.as_deref());
            }
            if let Some(url) = &provider.base_url {
                self.http_url(&at.key("base_url"), url);
            }
            let native = provider.native_tools.map(NativeTools::from).unwrap_or_default();
            if let Some(kind) = kind.filter(|kind| !native.is_off() && !has_native_tools(*kind)) {
                let message =
                    format!("a provider of type {} has no tools of its own", kind.as_str());
                self.problem(&at.key("native_tools"), message, "remove native_tools");
            }
        }
    }
}
