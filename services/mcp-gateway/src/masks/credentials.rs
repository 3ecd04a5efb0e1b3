//! Finds the credentials that the gateway gives a server.

use std::collections::BTreeMap;

use secrecy::ExposeSecret as _;
use tarsy_catalog::{Endpoint, Remote, SESSION_ID_TEMPLATE, Subprocess};
use url::Url;

/// The name of a variable, header or parameter with a credential contains one of these.
const SECRET_NAMES: [&str; 9] =
    ["TOKEN", "KEY", "SECRET", "PASS", "CRED", "AUTH", "DSN", "PRIVATE", "COOKIE"];
/// The same for options of programs, whose names are less specific: `--auth basic` is no secret.
const SECRET_OPTIONS: [&str; 10] = [
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "API-KEY",
    "API_KEY",
    "APIKEY",
    "ACCESS-KEY",
    "ACCESS_KEY",
    "DSN",
];
/// The name of an option with the place or kind of a credential ends with one of these.
const REFERENCE_SUFFIXES: [&str; 8] = ["FILE", "PATH", "DIR", "TYPE", "MODE", "NAME", "URL", "ID"];
/// The schemes that precede a credential in a header.
const SCHEMES: [&str; 3] = ["Bearer ", "Basic ", "Token "];

/// The credentials in a server's transport; `variables` are the gateway's own, of which a subprocess may
/// inherit some.
pub(super) fn of_transport(
    transport: &Endpoint,
    variables: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut found = Vec::new();
    match transport {
        Endpoint::Stdio(Subprocess {
            command: _,
            args,
            env,
            inherit_env,
            sandbox: _,
            limits: _,
        }) => {
            for (name, value) in env {
                add_named(name, value.expose_secret(), &mut found);
            }
            for (name, value) in inherit_env.iter().filter_map(|name| variables.get_key_value(name))
            {
                add_named(name, value, &mut found);
            }
            add_arguments(args, &mut found);
        }
        Endpoint::Http(remote) | Endpoint::Sse(remote) => add_remote(remote, &mut found),
    }
    found
}

fn add_remote(remote: &Remote, found: &mut Vec<String>) {
    let client = remote.oauth.as_ref().and_then(|oauth| oauth.client_secret.as_ref());
    let given = remote.bearer_token.iter().chain(client);
    found.extend(given.map(|secret| secret.expose_secret().to_owned()));
    add_address(&remote.url, found);
    for (name, value) in &remote.custom_headers {
        // What is sent has the execution in place of the template.
        let parts = value.expose_secret().split(SESSION_ID_TEMPLATE);
        parts.filter(|part| !part.is_empty()).for_each(|part| add_named(name, part, found));
    }
}

/// A value that is secret by its name, or an address that contains a secret.
fn add_named(name: &str, value: &str, found: &mut Vec<String>) {
    if contains_any(name, &SECRET_NAMES) {
        found.push(value.to_owned());
        let bare = SCHEMES.iter().find_map(|scheme| value.strip_prefix(scheme));
        found.extend(bare.map(|bare| bare.trim().to_owned()));
    }
    if let Ok(address) = Url::parse(value) {
        add_address(&address, found);
    }
}

fn add_arguments(args: &[String], found: &mut Vec<String>) {
    let mut is_secret = false;
    for argument in args {
        let follows = std::mem::take(&mut is_secret) && !argument.starts_with('-');
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        let option = contains_any(name, &SECRET_OPTIONS)
            && !REFERENCE_SUFFIXES.iter().any(|end| name.to_uppercase().ends_with(end));
        if follows {
            found.push(argument.clone());
        } else if option && !value.is_empty() {
            found.push(value.to_owned());
        } else {
            is_secret = option && argument.starts_with('-');
        }
        for address in [argument.as_str(), value] {
            if let Ok(address) = Url::parse(address) {
                add_address(&address, found);
            }
        }
    }
}

/// The password and the secret parameters of an address, both encoded and decoded.
fn add_address(address: &Url, found: &mut Vec<String>) {
    if let Some(password) = address.password() {
        found.push(password.to_owned());
        found.extend(decode(password));
    }
    for part in address.query().unwrap_or_default().split('&') {
        if let Some((_, value)) =
            part.split_once('=').filter(|(name, _)| contains_any(name, &SECRET_NAMES))
        {
            found.push(value.to_owned());
            found.extend(decode(value));
        }
    }
}

/// A percent-decoded part of an address.
fn decode(part: &str) -> Option<String> {
    let pair = format!("v={}", part.replace('+', "%2B"));
    let read = url::form_urlencoded::parse(pair.as_bytes()).next();
    read.map(|(_, value)| value.into_owned())
}

fn contains_any(name: &str, words: &[&str]) -> bool {
    let name = name.to_uppercase();
    words.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stdio(args: &[&str], env: &[(&str, &str)], inherit_env: &[&str]) -> Vec<String> {
        let transport = Endpoint::Stdio(Subprocess {
            command: "x".to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            env: env.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect(),
            inherit_env: inherit_env.iter().map(|&name| name.to_owned()).collect(),
            sandbox: tarsy_catalog::Sandbox::default(),
            limits: tarsy_catalog::ProcessLimits::default(),
        });
        let ours = [("GITHUB_TOKEN", "inherited-token"), ("OTHER_TOKEN", "not-given")];
        let ours = ours.map(|(name, value)| (name.to_owned(), value.to_owned()));
        of_transport(&transport, &ours.into())
    }

    #[test]
    fn configured_and_inherited_variables_are_credentials_by_their_names() {
        let env = [("API_TOKEN", "configured-token"), ("MODE", "read-only-mode")];
        let found = stdio(&[], &env, &["GITHUB_TOKEN", "NOT_SET_TOKEN"]);
        assert_eq!(found, ["configured-token", "inherited-token"]);
    }

    #[test]
    fn a_password_in_an_address_is_found_under_any_name() {
        let env = [("PROMETHEUS_URL", "https://reader:pass%40word@prometheus/?api_key=k-1234567")];
        assert_eq!(stdio(&[], &env, &[]), ["pass%40word", "pass@word", "k-1234567", "k-1234567"]);
        let dsn = "postgres://tarsy:hunter22@db/tarsy";
        assert_eq!(stdio(&[dsn], &[], &[]), ["hunter22", "hunter22"]);
        assert_eq!(stdio(&[&format!("--db={dsn}")], &[], &[]), ["hunter22", "hunter22"]);
    }

    #[test]
    fn options_with_credentials_are_found() {
        let args = ["serve", "--api-key", "key-of-ours", "--token=token-of-ours", "--verbose"];
        assert_eq!(stdio(&args, &[], &[]), ["key-of-ours", "token-of-ours"]);
        let harmless =
            ["--auth", "basic", "--token-file", "/run/token", "--token", "--port", "8080"];
        assert!(stdio(&harmless, &[], &[]).is_empty());
    }

    #[test]
    fn headers_and_the_address_of_a_remote_server_are_searched() {
        let yaml = "mcp_servers:\n  s:\n    transport:\n      type: http\n      \
                    url: 'https://u:pa55word@s.example/mcp?access_token=in-the-query&page=second'\n      \
                    bearer_token: the-bearer\n      \
                    custom_headers: {Authorization: 'Basic dXNlcjpwdw==', Accept-Language: english}\n";
        let source = tarsy_catalog::Source { name: "tarsy.yaml".to_owned(), text: yaml.to_owned() };
        let sources = tarsy_catalog::Sources { tarsy: Some(source), ..Default::default() };
        let env = tarsy_catalog::Env::empty().without_llm_credentials().without_slack_token();
        let catalog = tarsy_catalog::Catalog::load(sources, &env).unwrap();
        let found = of_transport(&catalog.servers["s"].transport.endpoint, &BTreeMap::new());
        let expected =
            ["the-bearer", "pa55word", "in-the-query", "Basic dXNlcjpwdw==", "dXNlcjpwdw=="];
        for secret in expected {
            assert!(found.iter().any(|one| one == secret), "{secret}: {found:?}");
        }
        assert!(!found.iter().any(|one| one.contains("second") || one == "english"), "{found:?}");
    }
}
