//! What looks like a secret and is none.

use crate::support::masked;

fn same(group: &str, texts: &[&str]) {
    let changed: Vec<String> = texts
        .iter()
        .filter_map(|text| {
            let got = masked(group, text);
            (got != *text).then(|| format!("{text}\n→ {got}"))
        })
        .collect();
    assert!(changed.is_empty(), "\n{}", changed.join("\n\n"));
}

const PLAIN: &[&str] = &[
    "uid: 123e4567-e89b-12d3-a456-426614174000",
    "image: registry.io/app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 5d41402abc4b2a76b9719d911017c592aabbccdd",
    "pod web-6d4cf56db6-x7k2p in kube-system is Running",
    "2026-11-22T01:02:03Z INFO started in 12ms",
    "max_tokens: 4096",
    "tokens: 12, token_count=5",
    "nextPageToken: CiAKGjBpNDd2Nmp2Zml2",
    "automountServiceAccountToken: false",
    "secretName: db-credentials",
    "imagePullSecrets:\n- name: regcred",
    "secretKeyRef:\n  name: db\n  key: password",
    "DB_PASSWORD:  <set to the key 'password' in secret 'db'>  Optional: false",
    "password: ${DB_PASSWORD}",
    "password: {{ .Values.password }}",
    "password: ********",
    "PASSWORD_FILE=/run/secrets/db",
    "the password is wrong",
    "Password: incorrect",
    "token expired",
    "unexpected token } in JSON",
    "--- PASS: TestFoo (0.00s)",
    "bypass: enabled",
    "compass=north",
    "MountVolume failed: secret \"db\" not found",
    "Authorization: header is missing",
    "bearer token missing",
    "basic usage of the tool",
    "git@github.com:org/repo.git",
    "getty@tty1.service loaded",
    "ssh://deploy@host.example.com/x",
    "http://localhost:8080/a@b",
    "see https://example.com/a:b@c",
    "npm install left-pad@1.3.0",
    "PUBLIC_KEY=abc",
    "AWS_ACCESS_KEY_ID is not set",
    "key: value",
    "disk-usage task-0123456789abcdefghij",
    "resourceVersion: \"123456789\"",
    "-----BEGIN",
    "password:  7 bytes",
    "\"Reconciling\" secret=\"default/db-credentials\"",
    "checksum/secret: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "failed to get token: rpc error: code = Unavailable",
    "error: token: permission denied",
    "password := os.Getenv(\"DB_PASSWORD\")",
    "password = getPassword()",
    "def login(password: str, token: str):",
    "Reset your password: https://example.com/reset",
    "pass: 5, fail: 0",
    "{\"password\":{\"type\":\"string\"}}",
    "password:\n  secretKeyRef: x",
    "docker run -p 80:80 -u 1000:1000 web",
    "curl -s https://example.com/healthz",
    "mysql -h db -P 3306",
    "token:\n- a",
    "if token == \"\" {",
    "",
    "é ü 漢字 🦀",
];

#[test]
fn identifiers_digests_hashes_and_ordinary_lines_stay_in_the_security_group() {
    same("security", PLAIN);
}

#[test]
fn identifiers_digests_hashes_and_ordinary_lines_stay_in_the_kubernetes_group() {
    same("kubernetes", PLAIN);
}

#[test]
fn identifiers_digests_and_hashes_stay_even_when_everything_is_on() {
    let plain: Vec<&str> =
        PLAIN.iter().copied().filter(|text| !text.contains("nextPageToken")).collect();
    same("all", &plain);
}

#[test]
fn a_text_without_secrets_is_not_copied() {
    let masker = crate::support::masker("security");
    let got = masker.mask("all is well").expect("maskable");
    assert!(matches!(got.text, std::borrow::Cow::Borrowed(_)));
    assert_eq!(got.total(), 0);
}
