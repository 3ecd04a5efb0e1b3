//! Nothing leaks because it is long, wide or far down.

use crate::support::masked;

const SECRET: &str = "zK4tq9Lw2x";

/// The secret is in the text, and in what it is masked to it is not.
fn gone(what: &str, text: &str) {
    assert!(text.contains(SECRET), "{what}");
    let got = masked("security", text);
    let place = got.find(SECRET).map(|at| got.get(at.saturating_sub(60)..at + 20));
    assert_eq!(place, None, "{what}");
}

#[test]
fn a_cookie_header_of_any_length_loses_its_last_value() {
    gone("cookie", &format!("Cookie: {}last={SECRET}", "a=b; ".repeat(8_000)));
}

#[test]
fn the_last_row_of_a_long_table_loses_its_secret() {
    let rows = "1,bob,x7x7x7x7\n".repeat(21_000);
    gone("rows", &format!("id,name,password\n{rows}2,ann,{SECRET}\n"));
}

#[test]
fn a_cell_far_down_a_wide_row_is_masked() {
    let (names, cells) = ("column,".repeat(900), "value,".repeat(900));
    gone("width", &format!("{names}password\n{cells}{SECRET}\n"));
}

#[test]
fn a_long_statement_loses_the_secrets_of_all_its_rows() {
    let wide = "x".repeat(6_000);
    let rows = format!("(1, '{wide}', 'other-pass-1'), ").repeat(30);
    gone("rows", &format!("INSERT INTO t (id, note, password) VALUES {rows}(2, 'a', '{SECRET}');"));
    let names = "other_column, ".repeat(300);
    let cells = "'v', ".repeat(300);
    gone("names", &format!("INSERT INTO t ({names}password) VALUES ({cells}'{SECRET}');"));
}

#[test]
fn copied_rows_lose_their_secrets() {
    let rows = "1\tbob\tx7x7x7x7\n".repeat(21_000);
    gone(
        "copy",
        &format!("COPY t (id, name, password) FROM stdin;\n{rows}2\tann\t{SECRET}\n\\.\n"),
    );
}

#[test]
fn the_last_of_many_tokens_in_a_list_is_masked() {
    let tokens = "\"aaaa1111bbbb2222\",".repeat(1_000);
    gone("list", &format!("{{\"tokens\":[{tokens}\"{SECRET}\"]}}"));
    let lines = "- aaaa1111bbbb2222\n".repeat(1_000);
    gone("lines", &format!("tokens:\n{lines}- {SECRET}\n"));
}

#[test]
fn a_record_may_have_a_long_field_before_its_name() {
    let note = "n".repeat(50_000);
    gone(
        "record",
        &format!("{{\"value\":\"{SECRET}\",\"note\":\"{note}\",\"name\":\"DB_PASSWORD\"}}"),
    );
}

#[test]
fn a_token_of_any_length_goes_as_a_whole() {
    let long = format!("sk-{}{SECRET}", "a1".repeat(10_000));
    gone("token", &format!("key {long} end"));
}

#[test]
fn an_environment_with_nul_between_is_read_entry_by_entry() {
    let got = masked("security", "PATH=/bin\0DB_PASSWORD=two words\0HOME=/root\0");
    assert_eq!(got, "PATH=/bin\0DB_PASSWORD=[MASKED_PASSWORD]\0HOME=/root\0");
}

#[test]
fn a_list_of_secrets_is_masked_when_its_kind_comes_last() {
    let item = "{\"data\":{\"p\":\"eks0dHE5THcyeA==\"},\"metadata\":{\"name\":\"a\"}}";
    let items = vec![item; 2_000].join(",");
    let text = format!("{{\"apiVersion\":\"v1\",\"items\":[{items}],\"kind\":\"SecretList\"}}");
    assert!(!masked("security", &text).contains("eks0dHE5THcyeA"));
}

#[test]
fn masking_a_value_that_is_longer_than_any_limit_is_stable() {
    // `masked` masks twice and compares.
    let (at, percent, quote) = ("@".repeat(4_000), "%3D".repeat(600), "'".repeat(3_000));
    for text in [
        format!("postgres://app:{SECRET}{at}"),
        format!("$USER3$={SECRET}{percent}"),
        format!("# client server secret\na b {SECRET}\n{quote}password"),
        format!("map[Authorization:[Bearer {SECRET} smbclient //fs/x -U 'a%{SECRET}'{quote}"),
        format!("AUTH {SECRET}{percent}\nsentinel auth-pass m {SECRET}{quote}"),
        format!("curl -u a:{SECRET}{percent}{percent}"),
    ] {
        assert!(!masked("all", &text).contains(SECRET), "{text}");
    }
}

#[test]
fn openings_without_an_end_do_not_hide_the_one_that_has_it() {
    let openings = "<password><![CDATA[x".repeat(2_000);
    gone("cdata", &format!("{openings}<password><![CDATA[{SECRET}]]></password>"));
    let heads = "-----BEGIN PRIVATE KEY-----\"a ".repeat(2_000);
    let body = format!("MIIEowIBAAKCAQEA{SECRET}");
    for before in ["", "-----BEGIN PRIVATE KEY-----\\\"b\n"] {
        let block = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n");
        gone("block", &format!("{heads}\n{before}{block}"));
    }
}

#[test]
fn the_users_of_modules_that_overlap_are_all_masked() {
    let users = |name: &str| format!("user_{name}=\"{SECRET}\" ").repeat(40);
    let (first, second) = (users("a"), users("b"));
    let module = "PlainLoginModule required ";
    gone("users", &format!("{module}{first}{module}{second};\n{module}{first};"));
}

#[test]
fn each_login_of_a_long_command_line_is_masked() {
    let logins = format!("curl -u a:{SECRET} ").repeat(4_000);
    gone("logins", &logins);
}

#[test]
fn what_is_masked_in_json_stays_json() {
    for text in [
        r#"{"authorization":{"type":"x","secret":"abc123def"},"n":1}"#,
        r#"{"a":"sentinel auth-pass master","b":"x"}"#,
        r#"{"password":12345678,"token":true,"secret":null,"tokens":[11111111]}"#,
        r#"{"cmd":"mysql -p","next":"x","args":["-p","y"]}"#,
        r#"{"a":"b\u0000TZAKIAIOSFODNN7EXAMPLEworda0a9ae70b94b25cd8\n-----END OpenVPN Static key V1--\r\n"}"#,
        "{\"a\":\"password: 'x\",\"b\":\"y'\"}\n{\"token\":\"abc123def456\"}",
    ] {
        let got = masked("all", text);
        for line in got.lines() {
            serde_json::from_str::<serde_json::Value>(line)
                .unwrap_or_else(|error| panic!("{error}: {line}"));
        }
    }
}
