//! Kubernetes Secrets in every form that leaks elsewhere; what is no Secret stays readable.

use granit_parser::{Event, Parser};

use crate::support::masked;

const PASSWORD: &str = "aHVudGVyMg==";
const USER: &str = "YWRtaW4=";
const MASK: &str = "[MASKED_KUBERNETES_SECRET]";

const SECRET: &str = "apiVersion: v1\ndata:\n  password: aHVudGVyMg==\n  user: \"YWRtaW4=\" # who\nkind: Secret\nmetadata:\n  name: db\n  namespace: prod\ntype: Opaque\n";
const MASKED_SECRET: &str = "apiVersion: v1\ndata:\n  password: [MASKED_KUBERNETES_SECRET]\n  user: \"[MASKED_KUBERNETES_SECRET]\" # who\nkind: Secret\nmetadata:\n  name: db\n  namespace: prod\ntype: Opaque\n";
const CONFIG_MAP: &str = "apiVersion: v1\ndata:\n  colour: Ymx1ZQ==\n  size: large\nkind: ConfigMap\nmetadata:\n  name: db\n";

fn only(text: &str) -> String {
    let masker =
        tarsy_masking::Masker::builder().pattern("kubernetes_secret").build().expect("known");
    let once = masker.mask(text).expect("maskable").text.into_owned();
    assert_eq!(masker.mask(&once).expect("maskable").text, once, "masking is not stable");
    once
}

/// No value is left, and nothing else is lost.
fn clean(text: &str) -> String {
    let got = only(text);
    for value in [PASSWORD, USER, "hunter2"] {
        assert!(!got.contains(value), "{value} is left in\n{got}");
    }
    let kept = got.replace(MASK, "");
    assert!(kept.len() < text.len() && got.contains(MASK), "nothing was masked:\n{got}");
    got
}

fn yaml_shape(text: &str) -> Vec<String> {
    Parser::new_from_str(text)
        .map(|event| match event.expect("valid YAML").0 {
            Event::Scalar(value, ..)
                if value.contains("MASKED") || [PASSWORD, USER].contains(&&*value) =>
            {
                "value".to_owned()
            }
            Event::Scalar(value, ..) => value.into_owned(),
            other => format!("{:?}", std::mem::discriminant(&other)),
        })
        .collect()
}

fn indented(text: &str, by: usize) -> String {
    let lines: Vec<String> =
        text.lines().map(|line| format!("{}{line}\n", " ".repeat(by))).collect();
    lines.concat()
}

fn listed(text: &str) -> String {
    indented(text, 2).replacen("  ", "- ", 1)
}

/// A text with something before each of its lines.
fn beside(margin: &str, text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("{margin}{line}\n")).collect();
    lines.concat()
}

#[test]
fn a_secret_is_found_beside_marks_of_quotations_comments_and_frames() {
    for margin in [">", "> ", "> > ", ">> ", "< ", "| ", "│ ", "┃   ", "# ", "#", "║"] {
        let got = only(&format!("As they wrote:\n{}and so on\n", beside(margin, SECRET)));
        assert_eq!(got, format!("As they wrote:\n{}and so on\n", beside(margin, MASKED_SECRET)));
        let other = beside(margin, CONFIG_MAP);
        assert_eq!(only(&other), other);
    }
}

#[test]
fn a_secret_is_found_in_a_patch() {
    let patch = "--- a/db.yaml\n+++ b/db.yaml\n@@ -1,8 +1,8 @@\n apiVersion: v1\n data:\n-  password: \
                 YWRtaW4=\n+  password: aHVudGVyMg==\n   user: YWRtaW4=\n kind: Secret\n metadata:\n   name: db\n";
    let want = "--- a/db.yaml\n+++ b/db.yaml\n@@ -1,8 +1,8 @@\n apiVersion: v1\n data:\n-  password: \
                [MASKED_KUBERNETES_SECRET]\n+  password: [MASKED_KUBERNETES_SECRET]\n   user: \
                [MASKED_KUBERNETES_SECRET]\n kind: Secret\n metadata:\n   name: db\n";
    assert_eq!(only(patch), want);
    assert_eq!(clean(&beside("+", SECRET)), beside("+", MASKED_SECRET));
    let other = beside("+", CONFIG_MAP);
    assert_eq!(only(&other), other);
    let hidden = patch.replace("YWRtaW4=", "'*** (before)'").replace(PASSWORD, "'*** (after)'");
    assert_eq!(only(&hidden), hidden);
}

#[test]
fn a_single_secret_keeps_all_but_its_values() {
    assert_eq!(only(SECRET), MASKED_SECRET);
}

#[test]
fn a_secret_with_quoted_values_stays_the_same_yaml() {
    let text = SECRET.replace("aHVudGVyMg==", "'aHVudGVyMg=='");
    assert_eq!(yaml_shape(&text), yaml_shape(&clean(&text)));
}

#[test]
fn the_kind_may_stand_before_the_data() {
    let text = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\nstringData:\n  password: hunter2\n  note: a b c\n";
    let got = clean(text);
    assert_eq!(
        got,
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\nstringData:\n  password: [MASKED_KUBERNETES_SECRET]\n  note: [MASKED_KUBERNETES_SECRET]\n"
    );
}

#[test]
fn lists_of_secrets_are_masked_item_by_item() {
    for (head, tail) in
        [("apiVersion: v1\nitems:\n", "kind: List\n"), ("apiVersion: v1\nkind: List\nitems:\n", "")]
    {
        for indent in [0, 2] {
            let items = indented(&format!("{}{}", listed(SECRET), listed(CONFIG_MAP)), indent);
            let text = format!("{head}{items}{tail}");
            let got = clean(&text);
            assert!(got.contains("colour: Ymx1ZQ=="), "the ConfigMap must stay readable:\n{got}");
            assert_eq!(got.lines().count(), text.lines().count());
        }
    }
}

#[test]
fn items_of_a_secret_list_need_no_kind() {
    let item = SECRET.replace("kind: Secret\n", "");
    for (head, tail) in [
        ("apiVersion: v1\nitems:\n", "kind: SecretList\n"),
        ("apiVersion: v1\nkind: SecretList\nitems:\n", ""),
    ] {
        clean(&format!("{head}{}{}{tail}", listed(&item), listed(&item)));
    }
    let json = format!(
        r#"{{"apiVersion":"v1","items":[{{"data":{{"p":"{PASSWORD}"}},"metadata":{{"name":"a"}}}}],"kind":"SecretList"}}"#
    );
    clean(&json);
}

#[test]
fn several_documents_are_distinguished() {
    let text = format!("{CONFIG_MAP}---\n{SECRET}---\n{CONFIG_MAP}");
    let got = clean(&text);
    assert_eq!(got.matches("colour: Ymx1ZQ==").count(), 2);
    let without_marks = format!("{CONFIG_MAP}\n{SECRET}\n{CONFIG_MAP}");
    assert_eq!(clean(&without_marks).matches("colour: Ymx1ZQ==").count(), 2);
}

#[test]
fn prose_and_log_lines_around_a_secret_do_not_hide_it() {
    for (before, after) in [
        ("Here is the secret:\n\n", "\nAnything else?"),
        ("2026-11-22T01:02:03Z INFO: fetching\n", "2026-11-22T01:02:04Z ERROR: it's done {ok\n"),
        ("```yaml\n", "```\nSee above, it's \"odd.\n"),
        ("$ kubectl get secret db -o yaml\n", "$ exit\n"),
    ] {
        let got = clean(&format!("{before}{SECRET}{after}"));
        assert_eq!(got, format!("{before}{MASKED_SECRET}{after}"));
        clean(&format!("{before}{}{after}", indented(SECRET, 4)));
    }
}

#[test]
fn block_and_multiline_values_go_as_a_whole() {
    let text = "kind: Secret\nstringData:\n  a.yaml: |\n    user: admin\n    password: hunter2\n\n    more: hunter2\n  b: >-\n    hunter2\n    again\n  c: \"hunter2\n    and hunter2\"\n  d: hunter2\n    and more\n  e: !!str hunter2\nmetadata:\n  name: x\n";
    let got = clean(text);
    assert_eq!(
        got,
        format!(
            "kind: Secret\nstringData:\n  a.yaml: |\n    {MASK}\n  b: >-\n    {MASK}\n  c: \"{MASK}\"\n  d: {MASK}\n  e: !!str {MASK}\nmetadata:\n  name: x\n"
        )
    );
}

#[test]
fn data_in_braces_goes_too() {
    let text = format!(
        "kind: Secret\ndata: {{password: {PASSWORD}, user: \"{USER}\"}}\nmetadata: {{name: x}}\n"
    );
    assert_eq!(
        clean(&text),
        format!(
            "kind: Secret\ndata: {{password: {MASK}, user: \"{MASK}\"}}\nmetadata: {{name: x}}\n"
        )
    );
    clean(&format!("{{apiVersion: v1, kind: Secret, data: {{password: {PASSWORD}}}}}"));
    clean(&format!("{{'kind': 'Secret', 'data': {{'password': '{PASSWORD}'}}}}"));
}

#[test]
fn json_secrets_go_compact_or_pretty_alone_or_in_lists() {
    let secret = format!(
        r#"{{"apiVersion":"v1","data":{{"password":"{PASSWORD}","empty":""}},"kind":"Secret","metadata":{{"name":"db"}},"stringData":{{"u":"hunter2"}}}}"#
    );
    let config = r#"{"apiVersion":"v1","data":{"colour":"Ymx1ZQ=="},"kind":"ConfigMap"}"#;
    let pretty = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).expect("valid");
        serde_json::to_string_pretty(&value).expect("valid")
    };
    for text in [
        secret.clone(),
        pretty(&secret),
        format!("[{config},{secret}]"),
        pretty(&format!("[{config},{secret}]")),
        format!(r#"{{"apiVersion":"v1","items":[{secret},{config}],"kind":"List"}}"#),
        pretty(&format!(r#"{{"kind":"List","apiVersion":"v1","items":[{secret},{config}]}}"#)),
        format!("{secret}\n{config}\n{secret}\n"),
        format!("INFO [db] got: {secret} in 3ms"),
        format!("it's \"odd: {secret} in 3ms"),
        format!("[WARN {{ {secret}"),
    ] {
        let got = clean(&text);
        assert_eq!(got.matches("Ymx1ZQ==").count(), text.matches("Ymx1ZQ==").count(), "{got}");
        if serde_json::from_str::<serde_json::Value>(&text).is_ok() {
            serde_json::from_str::<serde_json::Value>(&got).expect("still JSON");
        }
    }
}

#[test]
fn a_secret_that_is_cut_off_is_masked_as_far_as_it_goes() {
    let whole = format!(
        r#"{{"kind":"Secret","apiVersion":"v1","data":{{"user":"{USER}","password":"{PASSWORD}","third":"x"}}}}"#
    );
    let cut = whole.find("third").expect("it is there");
    for end in [cut, whole.find(PASSWORD).expect("it is there") + 6] {
        let got = only(&whole[..end]);
        assert!(!got.contains(USER) && !got.contains("aHVud"), "{got}");
    }
    let got = only("apiVersion: v1\nkind: Secret\ndata:\n  user: YWRtaW4=\n  password: aHVud");
    assert!(!got.contains("aHVud"), "{got}");
    let got = only("apiVersion: v1\ndata:\n  user: YWRtaW4=\n  password: aHVudGVyMg==\n");
    assert!(!got.contains(PASSWORD), "{got}");
}

#[test]
fn what_was_last_applied_is_masked_inside_its_annotation() {
    let applied = format!(
        r#"{{"apiVersion":"v1","kind":"Secret","data":{{"password":"{PASSWORD}"}},"metadata":{{"name":"db"}}}}"#
    );
    let yaml = format!(
        "apiVersion: v1\ndata:\n  password: {PASSWORD}\nkind: Secret\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {applied}\n  name: db\n"
    );
    let got = clean(&yaml);
    assert_eq!(got, yaml.replace(PASSWORD, MASK));
    let escaped = serde_json::to_string(&applied).expect("valid");
    let json = format!(
        r#"{{"apiVersion":"v1","data":{{"password":"{PASSWORD}"}},"kind":"Secret","metadata":{{"annotations":{{"kubectl.kubernetes.io/last-applied-configuration":{escaped}}}}}}}"#
    );
    let got = clean(&json);
    assert_eq!(got, json.replace(PASSWORD, MASK));
    serde_json::from_str::<serde_json::Value>(&got).expect("still JSON");
    let twice = serde_json::to_string(&json).expect("valid");
    assert_eq!(clean(&twice), twice.replace(PASSWORD, MASK));
    clean(&format!("metadata:\n  annotations:\n    last: '{applied}'\n    other: {escaped}\n"));
    let described = format!(
        "Name:         db\nAnnotations:  kubectl.kubernetes.io/last-applied-configuration:\n                {applied}\n"
    );
    clean(&described);
}

#[test]
fn a_manifest_inside_a_json_string_is_masked() {
    let json = serde_json::json!({"content": [{"type": "text", "text": SECRET}], "isError": false})
        .to_string();
    let got = clean(&json);
    let value: serde_json::Value = serde_json::from_str(&got).expect("still JSON");
    assert_eq!(
        value.pointer("/content/0/text").and_then(serde_json::Value::as_str),
        Some(MASKED_SECRET)
    );
}

#[test]
fn described_secrets_lose_tokens_and_keep_lengths() {
    let text = "Name:         t\nType:  kubernetes.io/service-account-token\n\nData\n====\nca.crt:     1066 bytes\ntoken:      hunter2-long\nnamespace:  7 bytes\n\nEvents: <none>\n";
    assert_eq!(only(text), text.replace("hunter2-long", MASK));
    let config = "Name:         c\n\nData\n====\ncolour:\n----\nblue\n\nEvents: <none>\n";
    assert_eq!(only(config), config);
}

#[test]
fn fragments_of_jsonpath_are_masked() {
    clean(&format!(r#"{{"password":"{PASSWORD}","user":"{USER}"}}"#));
    clean(&format!("map[password:{PASSWORD} user:{USER}]"));
    clean(PASSWORD);
    clean(&format!("'{PASSWORD}'"));
    for text in [
        "deployed",
        "running",
        r#"{"status":"running","mode":"fast"}"#,
        "map[app:web tier:db]",
        "5d41402abc4b2a76b9719d911017c592",
    ] {
        assert_eq!(only(text), text);
    }
}

#[test]
fn other_kinds_stay_readable() {
    for text in [
        CONFIG_MAP.to_owned(),
        format!("apiVersion: v1\nitems:\n{}kind: List\n", listed(CONFIG_MAP)),
        format!(
            "apiVersion: v1\nitems:\n{}kind: ConfigMapList\n",
            listed(&CONFIG_MAP.replace("kind: ConfigMap\n", ""))
        ),
        "kind: SecretProviderClass\nspec:\n  data:\n    x: abc\n".to_owned(),
        "kind: ExternalSecret\nspec:\n  data:\n  - secretKey: a\n    remoteRef:\n      key: b\n"
            .to_owned(),
        "Look for kind: Secret objects.\ndata:\n  x: plain words\n".to_owned(),
        "spec:\n  volumes:\n  - name: s\n    secret:\n      secretName: db\n".to_owned(),
        r#"{"kind":"Event","message":"Secret \"db\" not found","data":{"a":"b"}}"#.to_owned(),
    ] {
        assert_eq!(only(&text), text);
    }
}

#[test]
fn the_kubernetes_group_masks_both_secrets_and_values_after_keys() {
    let text = format!("{SECRET}---\nenv:\n- name: API_TOKEN\n  value: abc\n");
    let got = masked("kubernetes", &text);
    assert!(!got.contains(PASSWORD) && !got.contains("value: abc"), "{got}");
}
