//! Secrets that must go, and what must stay around them.

use crate::support::masked;

/// Text, and what must come out.
fn check(group: &str, table: &[(&str, &str)]) {
    let failures: Vec<String> = table
        .iter()
        .filter_map(|(text, expected)| {
            let got = masked(group, text);
            (got != *expected)
                .then(|| format!("text:     {text}\nexpected: {expected}\ngot:      {got}"))
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}

const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";

#[test]
fn authorization_headers_lose_their_credentials_and_keep_their_scheme() {
    check(
        "security",
        &[
            ("Authorization: Bearer abc123def456", "Authorization: Bearer [MASKED_AUTHORIZATION]"),
            ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic [MASKED_AUTHORIZATION]"),
            (
                "-H 'Authorization: Bearer s3cr3t' https://x",
                "-H 'Authorization: Bearer [MASKED_AUTHORIZATION]' https://x",
            ),
            (
                r#"{"Authorization":"Bearer abc.def","a":1}"#,
                r#"{"Authorization":"Bearer [MASKED_AUTHORIZATION]","a":1}"#,
            ),
            (
                r#""{\"Authorization\":\"Bearer abc123\",\"a\":1}""#,
                r#""{\"Authorization\":\"Bearer [MASKED_AUTHORIZATION]\",\"a\":1}""#,
            ),
            ("Proxy-Authorization: token0123456789", "Proxy-Authorization: [MASKED_AUTHORIZATION]"),
            (
                "Authorization: token 0123456789abcdef",
                "Authorization: token [MASKED_AUTHORIZATION]",
            ),
            (
                "Authorization: Digest username=\"bob\", response=\"6629fae49393\"\nHost: x",
                "Authorization: Digest [MASKED_AUTHORIZATION]\nHost: x",
            ),
            (
                "map[Authorization:[Bearer abc123def]]",
                "map[Authorization:[Bearer [MASKED_AUTHORIZATION]]]",
            ),
            ("sent Bearer abc123def456ghi789 to x", "sent Bearer [MASKED_AUTHORIZATION] to x"),
            ("with Basic YWxhZGRpbjpvcGVuc2VzYW1l.", "with Basic [MASKED_AUTHORIZATION]."),
        ],
    );
}

#[test]
fn json_web_tokens_go_with_or_without_a_key() {
    check("security", &[(&format!("got {JWT} from idp"), "got [MASKED_JWT] from idp")]);
    check(
        "security",
        &[
            (&format!("({JWT})"), "([MASKED_JWT])"),
            (&format!("a\\n{JWT}\\n"), "a\\n[MASKED_JWT]\\n"),
        ],
    );
}

#[test]
fn passwords_in_addresses_go_and_the_host_stays() {
    check(
        "security",
        &[
            ("postgres://app:hunter2@db:5432/x", "postgres://app:[MASKED_URL_PASSWORD]@db:5432/x"),
            ("redis://:p4ss@cache:6379", "redis://:[MASKED_URL_PASSWORD]@cache:6379"),
            (
                "https://u:p%40ss@example.com/a?b=c",
                "https://u:[MASKED_URL_PASSWORD]@example.com/a?b=c",
            ),
            (
                "mongodb://u:p@h1:27017,h2:27017/db",
                "mongodb://u:[MASKED_URL_PASSWORD]@h1:27017,h2:27017/db",
            ),
            ("amqp://u:pa/ss@h/v", "amqp://u:[MASKED_URL_PASSWORD]@h/v"),
            ("amqp://u:p@ss@h/v", "amqp://u:[MASKED_URL_PASSWORD]@h/v"),
            (
                "DATABASE_URL=\"postgres://a:b@c/d\"",
                "DATABASE_URL=\"postgres://a:[MASKED_URL_PASSWORD]@c/d\"",
            ),
        ],
    );
}

#[test]
fn vendor_tokens_go_without_any_label() {
    check(
        "security",
        &[
            ("id AKIAIOSFODNN7EXAMPLE here", "id [MASKED_AWS_ACCESS_KEY] here"),
            ("ASIAIOSFODNN7EXAMPLE", "[MASKED_AWS_ACCESS_KEY]"),
            (
                "AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "[MASKED_AWS_ACCESS_KEY]:[MASKED_AWS_SECRET_KEY]",
            ),
            ("x ghp_0123456789abcdefghijABCDEFGHIJ012345 y", "x [MASKED_GITHUB_TOKEN] y"),
            ("gho_0123456789abcdefghijABCDEFGHIJ012345", "[MASKED_GITHUB_TOKEN]"),
            ("ghs_0123456789abcdefghijABCDEFGHIJ012345", "[MASKED_GITHUB_TOKEN]"),
            ("ghu_0123456789abcdefghijABCDEFGHIJ012345", "[MASKED_GITHUB_TOKEN]"),
            ("ghr_0123456789abcdefghijABCDEFGHIJ012345", "[MASKED_GITHUB_TOKEN]"),
            ("github_pat_11ABCDEFG0123456789_abcdefghijklmnop", "[MASKED_GITHUB_TOKEN]"),
            ("glpat-ABCdef0123456789-xyz", "[MASKED_GITLAB_TOKEN]"),
            ("xoxb-123456789012-abcdefghijkl", "[MASKED_SLACK_TOKEN]"),
            ("xoxp-1-2-3-abcdef0123", "[MASKED_SLACK_TOKEN]"),
            ("xapp-1-A012-345-abcdef", "[MASKED_SLACK_TOKEN]"),
            (
                "https://hooks.slack.com/services/T0000/B0000/XXXXyyyy1234",
                "https://hooks.slack.com/services/[MASKED_SLACK_TOKEN]",
            ),
            ("AIzaSyA0123456789abcdefghijklmnopqrstuv", "[MASKED_GOOGLE_API_KEY]"),
            ("sk-proj-abcdefghij0123456789ABCDEFGHIJ", "[MASKED_API_KEY]"),
            ("log\\nghp_0123456789abcdefghij\\n", "log\\n[MASKED_GITHUB_TOKEN]\\n"),
        ],
    );
}

#[test]
fn pem_blocks_lose_their_body_and_keep_their_frame() {
    let body = "MIIEowIBAAKCAQEA7\nabcdefghijklmnop+/\nQ==";
    check(
        "security",
        &[
            (
                &format!(
                    "-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\nafter"
                ),
                "-----BEGIN RSA PRIVATE KEY-----\n[MASKED_PRIVATE_KEY]\n-----END RSA PRIVATE KEY-----\nafter",
            ),
            (
                &format!(
                    "key: |\n  -----BEGIN CERTIFICATE-----\n  {}\n  -----END CERTIFICATE-----\nx: 1",
                    body.replace('\n', "\n  ")
                ),
                "key: |\n  -----BEGIN CERTIFICATE-----\n  [MASKED_CERTIFICATE]\n  -----END CERTIFICATE-----\nx: 1",
            ),
            (
                &format!(
                    r#"{{"k":"-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n"}}"#,
                    body.replace('\n', "\\n")
                ),
                r#"{"k":"-----BEGIN PRIVATE KEY-----\n[MASKED_PRIVATE_KEY]\n-----END PRIVATE KEY-----\n"}"#,
            ),
            (
                &format!("-----BEGIN EC PRIVATE KEY-----\n{body}"),
                "-----BEGIN EC PRIVATE KEY-----\n[MASKED_PRIVATE_KEY]",
            ),
            (
                "client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk=",
                "client-key-data: [MASKED_CERTIFICATE_AUTHORITY_DATA]",
            ),
            ("blob LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk= end", "blob [MASKED_CERTIFICATE] end"),
            ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 bob", "ssh-rsa [MASKED_SSH_KEY] bob"),
        ],
    );
}

#[test]
fn flags_lose_their_values() {
    check(
        "security",
        &[
            ("run --token abc123 --verbose", "run --token [MASKED_TOKEN] --verbose"),
            ("run --token=abc123 --verbose", "run --token=[MASKED_TOKEN] --verbose"),
            ("mysql --password hunter2 -h db", "mysql --password [MASKED_PASSWORD] -h db"),
            ("x --api-key 'k1-2' y", "x --api-key '[MASKED_API_KEY]' y"),
            (r#"["--token","abc123","-v"]"#, r#"["--token","[MASKED_TOKEN]","-v"]"#),
            (
                "args:\n- --db-password\n- hunter2\n- -v",
                "args:\n- --db-password\n- [MASKED_PASSWORD]\n- -v",
            ),
            ("- --token=abc123\n- --v=4", "- --token=[MASKED_TOKEN]\n- --v=4"),
        ],
    );
}

#[test]
fn passwords_on_command_lines_go() {
    check(
        "security",
        &[
            (
                "curl -u admin:hunter2 https://x/api",
                "curl -u admin:[MASKED_PASSWORD] https://x/api",
            ),
            (
                "curl -s --user=\"admin:hunter2\" https://x",
                "curl -s --user=\"admin:[MASKED_PASSWORD]\" https://x",
            ),
            ("mysql -uroot -phunter2 -h db", "mysql -uroot -p[MASKED_PASSWORD] -h db"),
            ("sshpass -p 'hunter2' ssh host", "sshpass -p '[MASKED_PASSWORD]' ssh host"),
            ("redis-cli -a hunter2 ping", "redis-cli -a [MASKED_PASSWORD] ping"),
            (
                "docker login -u bob -p hunter2 r.io",
                "docker login -u bob -p [MASKED_PASSWORD] r.io",
            ),
        ],
    );
}

#[test]
fn environment_lines_lose_their_values() {
    check(
        "security",
        &[
            ("DB_PASSWORD=hunter2", "DB_PASSWORD=[MASKED_PASSWORD]"),
            ("export API_KEY=\"abc\"", "export API_KEY=\"[MASKED_API_KEY]\""),
            ("A=1\nDB_PASSWORD=p@ss;w&rd,x\nB=2", "A=1\nDB_PASSWORD=[MASKED_PASSWORD]\nB=2"),
            ("STRIPE_KEY=abc1", "STRIPE_KEY=[MASKED_ENV_SECRET]"),
            ("REDIS_AUTH=abc1 X=2", "REDIS_AUTH=[MASKED_ENV_SECRET] X=2"),
            ("PASSWORD1=abc", "PASSWORD1=[MASKED_PASSWORD]"),
            (
                "- name: DB_PASSWORD\n  value: hunter2\n- name: X\n  value: y",
                "- name: DB_PASSWORD\n  value: [MASKED_PASSWORD]\n- name: X\n  value: y",
            ),
            (
                r#"{"name":"DB_PASSWORD","value":"hunter2"}"#,
                r#"{"name":"DB_PASSWORD","value":"[MASKED_PASSWORD]"}"#,
            ),
            (
                r#"{"env":"a=1\nDB_PASSWORD=hunter2\nb=2"}"#,
                r#"{"env":"a=1\nDB_PASSWORD=[MASKED_PASSWORD]\nb=2"}"#,
            ),
            ("      DB_PASSWORD:  hunter2", "      DB_PASSWORD:  [MASKED_PASSWORD]"),
        ],
    );
}

#[test]
fn short_values_after_a_key_go_and_the_rest_of_the_line_stays() {
    check(
        "security",
        &[
            ("token: abc1", "token: [MASKED_TOKEN]"),
            ("api_key=k1x2 next", "api_key=[MASKED_API_KEY] next"),
            ("x-api-key: k1x2", "x-api-key: [MASKED_API_KEY]"),
            (r#"{"apiKey":"k","x":1}"#, r#"{"apiKey":"[MASKED_API_KEY]","x":1}"#),
            (r#"{"password": 12345678, "x":1}"#, r#"{"password": "[MASKED_PASSWORD]", "x":1}"#),
            (
                r#""{\"password\":\"a\\\"b\",\"x\":1}""#,
                r#""{\"password\":\"[MASKED_PASSWORD]\",\"x\":1}""#,
            ),
            ("password='a b c', user='x'", "password='[MASKED_PASSWORD]', user='x'"),
            ("  password: correct horse # comment", "  password: [MASKED_PASSWORD] # comment"),
            ("Server=x;Password=abc;Database=y", "Server=x;Password=[MASKED_PASSWORD];Database=y"),
            ("GET /a?token=abc123&x=1", "GET /a?token=[MASKED_TOKEN]&x=1"),
            ("login password: hunter2 for bob", "login password: [MASKED_PASSWORD] for bob"),
            ("the password is hunter2.", "the password is [MASKED_PASSWORD]."),
            ("ALTER USER bob PASSWORD 'x1 y2'", "ALTER USER bob PASSWORD '[MASKED_PASSWORD]'"),
            ("<password>hunter2</password>", "<password>[MASKED_PASSWORD]</password>"),
            ("client_secret: abc", "client_secret: [MASKED_SECRET_KEY]"),
            ("aws_secret_access_key = wJalr/x", "aws_secret_access_key = [MASKED_AWS_SECRET_KEY]"),
            ("private_key: |\n  abc\n  def\nx: 1", "private_key: |\n  [MASKED_PRIVATE_KEY]\nx: 1"),
            (
                r#"{"auths":{"r.io":{"auth":"dXNlcjpwYXNz"}}}"#,
                r#"{"auths":{"r.io":{"auth":"[MASKED_TOKEN]"}}}"#,
            ),
            ("password:\n  hunter2\nx: y", "password:\n  [MASKED_PASSWORD]\nx: y"),
            ("token: str = \"abc123\"", "token: str = \"[MASKED_TOKEN]\""),
            ("ENV DB_PASSWORD hunter2", "ENV DB_PASSWORD [MASKED_PASSWORD]"),
            ("config{password=abc, user=x}", "config{password=[MASKED_PASSWORD], user=x}"),
            ("password=\"cut off", "password=\"[MASKED_PASSWORD]"),
            (
                "certificate-authority-data: TUlJ",
                "certificate-authority-data: [MASKED_CERTIFICATE_AUTHORITY_DATA]",
            ),
        ],
    );
}

#[test]
fn addresses_of_people_go() {
    check(
        "security",
        &[
            ("mail bob.smith+x@example.co.uk.", "mail [MASKED_EMAIL]."),
            ("<bob@example.com>", "<[MASKED_EMAIL]>"),
            ("https://x.io/?user=bob@example.com", "https://x.io/?user=[MASKED_EMAIL]"),
        ],
    );
}

#[test]
fn base64_and_random_runs_go_in_the_group_of_all() {
    check(
        "all",
        &[
            ("blob: dGhpcyBpcyBhIGxvbmdlciBzZWNyZXQgdmFsdWU=", "blob: [MASKED_BASE64_SECRET]"),
            ("user: YWRtaW4=", "user: [MASKED_BASE64_SHORT]"),
            ("x aB3dE5fG7hJ9kL1mN3pQ5rS7t_U9 y", "x [MASKED_HIGH_ENTROPY] y"),
        ],
    );
}
