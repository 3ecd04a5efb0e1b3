//! The rules for MCP servers.

use std::collections::BTreeMap;

use tarsy_masking::{Error as MaskingError, known_groups, known_patterns};

use super::Checker;
use crate::file::{MaskingFile, OAuthFile, PolicyFile, ServerFile, TransportFile, TransportKind};
use crate::path::Path;
use crate::server::OAuthGrant;

impl Checker<'_> {
    pub(super) fn mcp_servers(&mut self, servers: Option<&BTreeMap<String, ServerFile>>) {
        for (id, server) in servers.into_iter().flatten() {
            let at = Path::of(["mcp_servers", id]);
            if !well_named(id) {
                let place = self.doc.key_place("mcp_servers", id);
                let fix = "use letters, digits, single `_` and `-`, at most 64 of them";
                let message = format!("\"{id}\" cannot be a part of a tool's name");
                self.problem_at(place, &at, message, Some(fix.to_owned()));
            }
            if let Some(transport) = &server.transport {
                self.transport(&at.key("transport"), transport);
            }
            if let Some(policy) = &server.policy {
                self.policy(&at.key("policy"), policy);
            }
            if let Some(summarization) = &server.summarization {
                let provider = summarization.llm_provider.as_deref();
                self.provider(&at.key("summarization").key("llm_provider"), provider);
            }
            if let Some(masking) = &server.data_masking {
                self.data_masking(&at.key("data_masking"), masking);
            }
        }
    }

    fn transport(&mut self, at: &Path, transport: &TransportFile) {
        self.positive(&at.key("init_timeout"), transport.init_timeout);
        self.positive(&at.key("call_timeout"), transport.call_timeout);
        if transport.timeout.is_some_and(|timeout| timeout.0.is_zero()) {
            self.problem(&at.key("timeout"), "must be more than zero", "write a number of seconds");
        }
        match transport.kind {
            Some(TransportKind::Stdio) => self.stdio(at, transport),
            Some(kind) => self.remote(at, transport, kind),
            None => {}
        }
    }

    fn stdio(&mut self, at: &Path, transport: &TransportFile) {
        if transport.command.as_deref().is_none_or(|command| command.trim().is_empty()) {
            let fix = "add `command:` with the program to start";
            self.problem(&at.key("command"), "is missing for a stdio server", fix);
        }
        let foreign = [
            ("url", transport.url.is_some()),
            ("bearer_token", transport.bearer_token.is_some()),
            ("verify_ssl", transport.verify_ssl.is_some()),
            ("ca_file", transport.ca_file.is_some()),
            ("timeout", transport.timeout.is_some()),
            ("custom_headers", transport.custom_headers.is_some()),
            ("pooling", transport.pooling.is_some()),
            ("oauth", transport.oauth.is_some()),
        ];
        self.foreign(at, &foreign, "stdio", "`type: http`");
        for name in transport.env.iter().flatten().map(|(name, _)| name) {
            let path = at.key("env").key(name);
            if name.is_empty() || name.contains(['=', '\0']) {
                let fix = "write a name without `=`";
                self.problem(&path, "is not the name of a variable", fix);
            }
        }
        let inherited = transport.inherit_env.as_deref().unwrap_or_default();
        for (index, name) in inherited.iter().enumerate() {
            self.variable(&at.key("inherit_env").index(index), Some(name));
        }
    }

    fn remote(&mut self, at: &Path, transport: &TransportFile, kind: TransportKind) {
        let word = if kind == TransportKind::Sse { "sse" } else { "http" };
        if let Some(url) = &transport.url {
            self.http_url(&at.key("url"), url);
        } else {
            let fix = "add `url:` with the server's address";
            self.problem(&at.key("url"), format!("is missing for a server of type {word}"), fix);
        }
        let foreign = [
            ("command", transport.command.is_some()),
            ("args", transport.args.is_some()),
            ("env", transport.env.is_some()),
            ("inherit_env", transport.inherit_env.is_some()),
        ];
        self.foreign(at, &foreign, word, "`type: stdio`");
        if let Some(path) = &transport.ca_file {
            self.ca_file(&at.key("ca_file"), path, transport.verify_ssl);
        }
        if let Some(oauth) = &transport.oauth {
            if transport.bearer_token.is_some() {
                let fix = "remove bearer_token or oauth: a request carries one token";
                self.problem(&at.key("bearer_token"), "does not go with oauth", fix);
            }
            self.oauth(&at.key("oauth"), oauth);
        }
        for (name, value) in transport.custom_headers.iter().flatten() {
            let token = !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
            if !token || value.contains(['\n', '\r', '\0']) {
                let fix = "write a name such as X-Api-Key and a value on one line";
                let path = at.key("custom_headers").key(name);
                self.problem(&path, "is not an HTTP header", fix);
            }
        }
    }

    fn ca_file(&mut self, at: &Path, path: &str, verify_ssl: Option<bool>) {
        if !path.starts_with('/') {
            let fix = "write the whole path, such as /etc/tarsy/ca.pem";
            self.problem(at, "must be the path of a file", fix);
        }
        if verify_ssl == Some(false) {
            let fix = "remove ca_file, or `verify_ssl: false`";
            self.problem(at, "has no meaning where no certificate is checked", fix);
        }
    }

    fn oauth(&mut self, at: &Path, oauth: &OAuthFile) {
        let is_empty = |value: &Option<String>| value.as_deref().is_none_or(str::is_empty);
        self.private_key(at, oauth);
        if oauth.grant == Some(OAuthGrant::ClientCredentials) {
            let signs = oauth.private_key_file.is_some();
            let needed = [
                ("client_id", &oauth.client_id, true),
                ("client_secret", &oauth.client_secret, !signs),
            ];
            for (key, value, is_needed) in needed {
                if is_needed && is_empty(value) {
                    let fix = format!("add `{key}:` as the authorization server gave it to you");
                    let message = "is missing for the grant client_credentials";
                    self.problem(&at.key(key), message, fix);
                }
            }
        } else if oauth.client_secret.is_some() && is_empty(&oauth.client_id) {
            let fix = "add `client_id:`, or remove the secret";
            self.problem(&at.key("client_secret"), "has no client_id", fix);
        }
        if let Some(url) = &oauth.client_metadata_url
            && !url::Url::parse(url).is_ok_and(|url| url.scheme() == "https" && url.path() != "/")
        {
            let fix = "write an address such as https://example.org/tarsy.json";
            self.problem(&at.key("client_metadata_url"), "must be https, with a path", fix);
        }
        for (index, scope) in oauth.scopes.iter().flatten().enumerate() {
            if scope.is_empty() || scope.contains(char::is_whitespace) {
                let fix = "write one scope an entry";
                self.problem(&at.key("scopes").index(index), "is not a scope", fix);
            }
        }
    }

    fn private_key(&mut self, at: &Path, oauth: &OAuthFile) {
        let Some(path) = &oauth.private_key_file else {
            if oauth.signing_algorithm.is_some() {
                let fix = "add `private_key_file:`, or remove it";
                self.problem(&at.key("signing_algorithm"), "has no key to sign with", fix);
            }
            return;
        };
        let at_key = at.key("private_key_file");
        if !path.starts_with('/') {
            let fix = "write the whole path, such as /etc/tarsy/client.pem";
            self.problem(&at_key, "must be the path of a file", fix);
        }
        if oauth.grant != Some(OAuthGrant::ClientCredentials) {
            let fix = "add `grant: client_credentials`, or remove it";
            self.problem(&at_key, "has a meaning for the grant client_credentials only", fix);
        }
        if oauth.client_secret.is_some() {
            let fix = "remove client_secret or private_key_file: a client proves itself in one way";
            self.problem(&at_key, "does not go with client_secret", fix);
        }
    }

    fn foreign(&mut self, at: &Path, keys: &[(&str, bool)], word: &str, other: &str) {
        for (key, _) in keys.iter().filter(|(_, set)| *set) {
            let fix = format!("remove it, or write {other}");
            self.problem(&at.key(key), format!("has no meaning for a server of type {word}"), fix);
        }
    }

    fn policy(&mut self, at: &Path, policy: &PolicyFile) {
        for (key, globs) in [("allow", &policy.allow), ("deny", &policy.deny)] {
            for (index, glob) in globs.iter().flatten().enumerate() {
                let known = |c: char| c.is_ascii_alphanumeric() || "_-.*?".contains(c);
                let path = at.key(key).index(index);
                if self.doc.has_text(&path) && (glob.is_empty() || !glob.chars().all(known)) {
                    let fix = "use a tool's name with `*` and `?`, such as pods_*";
                    self.problem(&path, format!("\"{glob}\" is not a glob on tool names"), fix);
                }
            }
        }
    }

    fn data_masking(&mut self, at: &Path, masking: &MaskingFile) {
        let groups: Vec<&str> = known_groups().collect();
        let patterns: Vec<&str> = known_patterns().collect();
        for (index, group) in masking.pattern_groups.iter().flatten().enumerate() {
            let path = at.key("pattern_groups").index(index);
            self.reference(&path, "masking group", Some(group), &groups);
        }
        for (index, pattern) in masking.patterns.iter().flatten().enumerate() {
            let path = at.key("patterns").index(index);
            self.reference(&path, "masking pattern", Some(pattern), &patterns);
        }
        for (index, custom) in masking.custom_patterns.iter().flatten().enumerate() {
            let path = at.key("custom_patterns").index(index).key("pattern");
            let Some(pattern) = &custom.pattern else { continue };
            let fix =
                "correct the regular expression; look-around and back-references do not exist";
            let expression = tarsy_masking::CustomPattern {
                pattern: pattern.clone(),
                ..tarsy_masking::CustomPattern::default()
            };
            match expression.check() {
                Ok(()) => {}
                Err(MaskingError::EmptyMatch { .. }) => {
                    let message = "the pattern matches the empty text and so masks everywhere";
                    self.problem(&path, message, "make it match at least one character");
                }
                Err(error) => {
                    let reason = std::error::Error::source(&error).unwrap_or(&error).to_string();
                    let reason = reason.lines().last().unwrap_or_default();
                    let reason = reason.trim().trim_start_matches("error: ").to_owned();
                    self.problem(&path, format!("does not compile: {reason}"), fix);
                }
            }
        }
    }
}

fn well_named(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 64
        && !id.contains("__")
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
