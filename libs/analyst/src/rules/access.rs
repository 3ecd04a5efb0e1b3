//! Access: a database, a registry or the API refuses an identity.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::Access;

pub(super) const PATTERNS: &[Pattern] = &[
    log(
        Access,
        94.0,
        "the write-ahead log is not archived: the object store refuses the credentials or rights of the archive",
        r"archiv.{0,240}(?:\b403\b|access ?denied|forbidden|invalidaccesskey|signaturedoesnotmatch|expiredtoken|unauthorized)",
    )
    .beside(&["archiv", "wal", "backup", "disk", "space", "storage", "volume"]),
    log(
        Access,
        90.0,
        "an object store refuses the credentials or rights of its client",
        r"an error occurred \((?:403|accessdenied|invalidaccesskeyid|signaturedoesnotmatch|expiredtoken)\)|(?:putobject|getobject|headbucket|s3).{0,120}(?:\b403\b|access ?denied|forbidden)",
    )
    .beside(&["backup", "upload", "archiv", "object", "bucket", "s3", "access", "denied", "forbidden", "403", "credential"]),
    log(
        Access,
        91.0,
        "the identity of the program lacks the right `${action}`",
        r"permission '?(?P<action>\w+\.\w+\.\w+)'? (?:is )?denied",
    )
    .beside(&["access", "denied", "authoriz", "permission", "forbidden", "403", "right"]),
    both(
        Access,
        92.0,
        "the identity of the program has no right to `${action}`",
        r"not authorized to perform:? (?P<action>[\w-]+:[\w*]+)",
    )
    .beside(&["access", "denied", "authoriz", "permission", "forbidden", "403", "right"]),
    log(
        Access,
        92.0,
        "the identity of the program has no right to `${action}`",
        r"does not have (?P<action>\w+(?:\.\w+)+) access to",
    )
    .beside(&["access", "denied", "authoriz", "permission", "forbidden", "403", "right"]),
    log(
        Access,
        92.0,
        "the identity of the program has no right to `${action}`",
        r"does not have authorization to perform action '(?P<action>[^']+)'",
    )
    .beside(&["access", "denied", "authoriz", "permission", "forbidden", "403", "right"]),
    both(
        Access,
        88.0,
        "a secret or key that a program uses has expired",
        r"(?:client secrets?|secret keys?|api keys?|access keys?|credentials?|passwords?)\b.{0,60}\b(?:has|have|is|are) expired|aadsts7000222",
    )
    .beside(&["access", "denied", "credential", "secret", "login", "auth", "401", "403", "deploy", "sign in"]),
    both(
        Access,
        84.0,
        "the API refuses the credentials of its caller",
        r"connection is unauthorized|: unauthorized(?:$|\s)|must be logged in to the server|server has asked for the client to provide credentials",
    )
    .beside(&["access", "auth", "401", "credential", "token", "unauthorized", "start"]),
    both(
        Access,
        86.0,
        "the store of secrets is sealed: nobody can read it until it is opened",
        r"^sealed\s+true\b|\bvault is sealed\b|\bsealed: true\b",
    ),
    both(
        Access,
        86.0,
        "the security module of the host denies what a program does",
        r"avc: +denied .*permissive=0|apparmor=\x22denied\x22",
    )
    .beside(&["apparmor", "selinux", "denied", "permission", "start"]),
    log(
        Access,
        86.0,
        "the proxy may not use the socket of its upstream",
        r"connect\(\) to unix:\S+ failed \(13: permission denied\)",
    ),
    log(
        Access,
        90.0,
        "the database refuses user `${user}`: authentication failed",
        r#"(?:password|scram\S*|peer|ident|md5) authentication failed for user "?(?P<user>[\w.-]+)"#,
    )
    .beside(&["auth", "login", "password", "credential", "sign in", "access", "connect"]),
    log(
        Access,
        90.0,
        "the database denies access to user `${user}`",
        r"access denied for user '?(?P<user>[\w.-]+)",
    )
    .beside(&["auth", "login", "password", "credential", "sign in", "access", "connect", "denied"]),
    log(
        Access,
        92.0,
        "the database user `${user}` has no right to do what the application asks for",
        r"\w+ command denied to user '?(?P<user>[\w.-]+)",
    ),
    log(
        Access,
        90.0,
        "the message broker refuses the credentials or rights of the application",
        r"access_refused|username or password not allowed|(?:topic|group|cluster)authorizationexception|saslauthenticationexception",
    ),
    log(
        Access,
        91.0,
        "the user of the cache has no right to do what the application asks for",
        r"\bnoperm\b",
    ),
    log(
        Access,
        92.0,
        "the database user has no rights on `${database}`",
        r"not authorized on (?P<database>[\w.-]+) to execute command",
    ),
    log(
        Access,
        91.0,
        "the database does not know the user that the application signs in with",
        r"could not find user .{1,80} for db|\busernotfound:|(?:pooler error|fatal): +no such user|role .{1,60} does not exist|user .{1,60} does not exist in the database",
    ),
    log(
        Access,
        89.0,
        "the database refuses the credentials of the application",
        r#"(?:mongo|redis|valkey|mysql|mariadb|postgres|jdbc|odbc|kafka|amqp|database|sasl|scram)\S*\b.{0,160}(?:authentication ?failed|invalid (?:user ?name|password|credentials))|"c":"access".{0,160}authentication failed|auth(?:entication)? error occurred|sasl conversation error|wrongpass"#,
    )
    .beside(&["auth", "login", "password", "credential", "sign in", "access", "connect"]),
    log(
        Access,
        88.0,
        "the database requires credentials, and the application sends none",
        r"\bnoauth\b|command \w+ requires authentication|redis\S* authentication required",
    ),
    log(
        Access,
        82.0,
        "the permission for an operation of the database is missing",
        r"permission denied for (?:table|relation|schema|database|sequence)|must be owner of (?:table|relation|schema|database|sequence)",
    ),
    both(
        Access,
        84.0,
        "the API server forbids what `${user}` asks for: its role lacks the right",
        r#"is forbidden: user "?(?P<user>system:serviceaccount:[\w:.-]+|[\w:.@-]+)"? cannot \w+"#,
    )
    .beside(&["forbidden", "permission", "rbac", "access", "denied", "403", "right", "reconcil", "operator", "controller"]),
    both(
        Access,
        // The settings that it forbids are named behind it.
        93.0,
        "pods are not admitted: the security standard of the namespace forbids their settings",
        r"violates podsecurity|unable to validate against any (?:pod security policy|security context constraint)",
    ),
    both(
        Access,
        92.0,
        "a container may not run as its user",
        r"container has runasnonroot|runasnonroot (?:and|but|is set)|cannot verify user is non-root",
    ),
    both(
        Access,
        85.0,
        "pods cannot be created: their service account does not exist",
        r#"error looking up service account|serviceaccount "?[\w.-]+"? not found"#,
    ),
    log(
        Access,
        62.0,
        "a peer refuses the caller's identity",
        r"\bpermissiondenied\b|rbac: access denied|\b401 unauthorized\b|unauthenticated|invalid (?:api[ _-]?key|token)|\b403 forbidden\b",
    ),
    // The tokens of users end every day.
    log(Access, 48.0, "a peer refuses the caller's identity", r"\btoken (?:is |has )?expired"),
    log(Access, 66.0, "the process may not read or write a file", r"permission denied"),
    both(
        Access,
        93.0,
        "the account that a job by time runs as has expired",
        r"pam_unix\(\S+:account\): .{0,60}expired|\b(?:your|user|unix) account has expired|\(account expired\)|your password has expired",
    ),
    log(
        Access,
        90.0,
        "the mail server refuses the account of the sender",
        r"\b535[ -]5\.7\.\d|smtpauthenticationerror|authentication credentials invalid",
    ),
    log(
        Access,
        84.0,
        "a peer requires credentials, and its caller sends none or the wrong ones",
        r"requires? authentication|authentication (?:is )?required",
    )
    .beside(&["auth", "login", "password", "credential", "sign in", "access", "401", "sync", "source", "clone"]),
    both(
        Access,
        90.0,
        "the message broker does not let its client publish or subscribe: its user lacks the right",
        r"permissions violation for (?:publish|subscription)|\b(?:subscription|publish) violation - (?:user|account|nkey|token)",
    ),
    log(
        Access,
        88.0,
        "the message broker refuses the credentials or rights of the application",
        r"connection refused: (?:not authori[sz]ed|bad user ?name or password)|connack .{0,60}(?:not authori[sz]ed|bad user ?name)|\bnats: authorization violation\b",
    )
    .beside(&["auth", "credential", "login", "mqtt", "nats", "broker", "device", "connect", "messag", "subscri", "publish"]),
    log(
        Access,
        89.0,
        "the program finds no credentials for the cloud",
        r"nocredentialproviders|unable to locate credentials|could not find default credentials|could not load credentials from any provider|could not load the default credentials|no valid (?:credential )?providers in chain",
    )
    .beside(&["access", "credential", "auth", "403", "401", "upload", "backup", "fail", "error", "cloud"]),
    log(
        Access,
        91.0,
        "the cloud does not know the issuer of the identity that the program shows",
        r"no openidconnect provider found|invalididentitytoken",
    ),
    log(
        Access,
        84.0,
        "a token is not accepted: its signature does not fit the key of its reader",
        r"\bjwt\b.{0,40}(?:invalid signature|signature is invalid|signature does not match)|(?:token|jws) signature (?:is )?invalid|signature verification failed|no matching (?:jwk|signing key|key) (?:was )?found",
    )
    .beside(&["auth", "token", "login", "sign", "401", "jwt", "session"]),
    both(
        Access,
        84.0,
        "the cloud refuses what the program asks for: its identity lacks the right",
        r"\baccessdenied(?:exception)?\b",
    )
    .beside(&["access", "denied", "authoriz", "permission", "forbidden", "403", "right", "backup", "upload", "secret", "bucket"]),
    log(
        Access,
        80.0,
        "a peer refuses the credentials of the program",
        r"authentication ?failed|\bbad auth\b",
    )
    .beside(&["auth", "login", "password", "credential", "sign in", "access", "connect", "401"]),
    log(
        Access,
        44.0,
        "a name or password is refused",
        r"invalid (?:user ?name|password|credentials)|user ?not ?found|no such user",
    ),
];
