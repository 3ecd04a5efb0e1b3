//! The same rules as regular expressions, as a scanner runs them that has no automaton: each over the whole text.

use anyhow::Context as _;
use regex::Regex;

/// What stands between a key and its value, and the value.
const VALUE: &str = r#"["'`]?[ \t]*(?:=>|:=|=|:)[ \t]*["'`]?[^\s"'`,;&<>]+"#;

/// Words at the end of telling keys: an expression for each, as each is a rule.
const KEYS: [&str; 54] = [
    "authorization",
    "cookie",
    "set-cookie",
    "secret[_-]?access[_-]?key",
    "aws[_-]?secret[_-]?key",
    "certificate-authority-data",
    "client-certificate-data",
    "client-key-data",
    "private[_-]?key",
    "privkey",
    "api[_-]?key",
    "access[_-]?key",
    "account[_-]?key",
    "subscription[_-]?key",
    "application[_-]?key",
    "app[_-]?key",
    "auth[_-]?key",
    "secret[_-]?key",
    "secret[_-]?key[_-]?base",
    "encryption[_-]?key",
    "signing[_-]?key",
    "master[_-]?key",
    "shared[_-]?key",
    "hmac[_-]?key",
    "instrumentation[_-]?key",
    "integration[_-]?key",
    "license[_-]?key",
    "routing[_-]?key",
    "service[_-]?key",
    "unseal[_-]?key",
    "pre[_-]?shared[_-]?key",
    "secret",
    "secret[_-]?string",
    "secure[_-]?string",
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "requirepass",
    "masterauth",
    "bindpw",
    "rootpw",
    "pwd",
    "[_-]pass",
    "psk",
    "token",
    "credentials",
    "mnemonic",
    "seed[_-]?phrase",
    "recovery[_-]?phrase",
    "_key",
    "_credentials?",
    "_auth",
    "_secrets",
];

/// Rules that are about more than a key.
const OTHERS: [&str; 13] = [
    r"eyJ[0-9A-Za-z_=-]{4,}\.[0-9A-Za-z_=-]{4,}(?:\.[0-9A-Za-z_=-]+)?",
    r"[0-9A-Za-z+.-]+://[^\s:@/]*:[^\s@]+@",
    r"[0-9A-Za-z._%+-]+@[0-9A-Za-z.-]+\.[A-Za-z]{2,24}",
    r"-----BEGIN [0-9A-Z ]*PRIVATE KEY-----[^-]*-----END",
    r"-----BEGIN [0-9A-Z ]*CERTIFICATE-----[^-]*-----END",
    r"LS0tLS1CRUdJTi[0-9A-Za-z+/=]+",
    r"(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+) [0-9A-Za-z+/=]{32,}",
    r"(?i-u:bearer )[0-9A-Za-z._~+/=|-]{20,}",
    r"(?i-u:basic )[0-9A-Za-z+/=]{8,}",
    r"(?i-u:[?&](?:sig|signature|x-amz-signature|x-goog-signature)=)[0-9A-Za-z%_~+/=.-]{16,}",
    r"(?i-u:--(?:password|token|api-key|secret)[ =])\S+",
    r"(?i-u:identified by )'[^']+'",
    r"(?m:^ *(?:data|stringData):\n(?: +[^\s:]+: \S+\n)+ *kind: Secret$)",
];

/// Programs with options that take a password.
const COMMANDS: [(&str, &str); 18] = [
    ("curl", "-u|--user|-U|--proxy-user"),
    ("curl", "-b|--cookie"),
    ("https?", "-a|--auth"),
    ("mongosh?", "-p"),
    ("ldap(?:search|modify)", "-w"),
    ("keytool", "-storepass|-keypass|-srcstorepass|-deststorepass"),
    ("7z", "-p"),
    ("(?:un)?zip", "-P"),
    ("snmpwalk", "-A|-X"),
    ("smbclient", "-U"),
    ("az login", "-p"),
    ("cli admin", "reset-admin-password"),
    ("sshpass", "-p"),
    ("redis-cli", "-a"),
    ("docker login", "-p"),
    ("mysql", "-p"),
    ("mysqldump", "-p"),
    ("mysqladmin", "-p"),
];

/// Every rule as an expression of its own.
pub(super) fn rules() -> anyhow::Result<Vec<Regex>> {
    let vendors = tarsy_masking::vendor_expressions()?.into_iter().map(|(_, rule)| rule);
    let keys = KEYS.iter().map(|words| format!("(?i-u:[0-9A-Za-z_.-]*(?:{words})){VALUE}"));
    let others = OTHERS.iter().map(|rule| (*rule).to_owned());
    let commands = COMMANDS
        .iter()
        .map(|(program, options)| format!(r"(?-u:\b){program} [^\n]*(?:{options})[ =]?[^\s]+"));
    vendors
        .chain(keys)
        .chain(commands)
        .chain(others)
        .map(|rule| Regex::new(&rule).with_context(|| format!("{rule} does not compile")))
        .collect()
}
