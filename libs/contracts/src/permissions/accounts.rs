//! The users as configuration of nats-server.

use super::{BusUser, USERS};

/// What a user proves itself by, as it stands in the configuration: a text in quotes, or a `$VARIABLE`.
#[derive(Clone, Debug)]
pub enum Credential {
    Password(String),
    /// The public key of an nkey.
    Nkey(String),
}

impl Credential {
    /// The password in the variable `NATS_{USER}_PASSWORD` of the server's environment.
    pub fn password_variable(user: &str) -> Self {
        Self::Password(variable(user, "PASSWORD"))
    }

    /// The public key in the variable `NATS_{USER}_NKEY`.
    pub fn nkey_variable(user: &str) -> Self {
        Self::Nkey(variable(user, "NKEY"))
    }

    fn describe(&self, user: &str) -> String {
        match self {
            Self::Password(password) => format!("user: \"{user}\", password: {password}"),
            Self::Nkey(key) => format!("nkey: {key}"),
        }
    }
}

fn variable(user: &str, kind: &str) -> String {
    format!("$NATS_{}_{kind}", user.replace('-', "_").to_uppercase())
}

/// The accounts of nats-server: one for the system, and one with every user and exactly its permissions.
pub fn accounts(credential: impl Fn(&str) -> Credential) -> String {
    let mut text = format!(
        "accounts {{\n  SYS: {{\n    users: [\n      {{ {} }}\n    ]\n  }}\n\n  TARSY: {{\n    \
         jetstream: {{ max_mem: 256MB, max_file: 4GB, max_streams: 16, max_consumers: 1024 }}\n    users: [\n",
        credential("sys").describe("sys")
    );
    for user in &USERS {
        text.push_str(&entry(user, &credential(user.name)));
    }
    text.push_str("    ]\n  }\n}\n\nsystem_account: SYS\n");
    text
}

fn entry(user: &BusUser, credential: &Credential) -> String {
    let mut text = format!(
        "      {{\n        # {}\n        {}\n        permissions: {{\n",
        user.name,
        credential.describe(user.name)
    );
    text.push_str(&list("publish", &user.may_publish()));
    text.push_str(&list("subscribe", &user.may_subscribe()));
    if let Some(limit) = user.answers_within {
        let line = format!("allow_responses: {{ max: 1, expires: \"{}s\" }}", limit.as_secs());
        text.extend(["          ", &line, "\n"]);
    }
    text.push_str("        }\n      }\n");
    text
}

fn list(name: &str, subjects: &[String]) -> String {
    let mut text = format!("          {name}: [\n");
    for subject in subjects {
        text.extend(["            \"", subject, "\"\n"]);
    }
    text.push_str("          ]\n");
    text
}
