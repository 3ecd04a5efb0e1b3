//! What holds for every text.

use proptest::prelude::*;

use crate::fragments::FRAGMENTS;
use crate::support::masker;

/// One of them, or any letters.
fn piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(&FRAGMENTS[..]);
    prop_oneof![4 => fixed.prop_map(str::to_owned), 1 => "[a-zA-Z0-9 ]{0,12}", 1 => "\\PC{0,6}"]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..40).prop_map(|fragments| fragments.concat())
}

/// Where a secret may stand, with `{}` for the secret itself.
const PLACES: &[&str] = &[
    "password={}",
    "password: {}",
    "{\"password\":\"{}\"}",
    "DB_PASSWORD={}",
    "--password {}",
    "token: {}",
    "api_key = '{}'",
    "postgres://u:{}@h/x",
    "Authorization: Bearer {}",
    "<secret>{}</secret>",
    "- name: API_TOKEN\n  value: {}",
    "kind: Secret\ndata:\n  x: {}\n",
    "{\"kind\":\"Secret\",\"data\":{\"x\":\"{}\"}}",
    "aws_secret_access_key={}",
    "\"{\\\"client_secret\\\":\\\"{}\\\"}\"",
    "private_key: {}",
    "apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    x: {}\n  kind: Secret\nkind: List",
    "apiVersion: v1\nitems:\n  - metadata:\n      name: a\n    stringData:\n      x: |\n        {}\nkind: SecretList",
    "[{\"kind\":\"Pod\"},{\"data\":{\"x\":\"{}\"},\"kind\":\"Secret\"}]",
    "{\"text\":\"kind: Secret\\ndata:\\n  x: {}\\n\"}",
    "{\"a\":\"{\\\"kind\\\":\\\"Secret\\\",\\\"data\\\":{\\\"x\\\":\\\"{}\\\"}}\"}",
    "kind: Secret\nstringData: {a: b, x: '{}'}",
    "curl -u bob:{}",
    "token:\n  {}",
    "Authorization: Digest {}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_masker_panic_and_masking_is_stable(text in text()) {
        for group in ["security", "kubernetes", "all"] {
            let masker = masker(group);
            let once = masker.mask(&text).expect("maskable").text.into_owned();
            let twice = masker.mask(&once).expect("maskable").text.into_owned();
            prop_assert_eq!(&once, &twice, "{} of {:?}", group, &text);
        }
    }

    #[test]
    fn any_characters_at_all_are_survived(text in "\\PC{0,200}") {
        masker("all").mask(&text).expect("maskable");
    }

    #[test]
    fn a_planted_secret_is_never_left(
        secret in "[A-Z][a-z]{3}[0-9]{3}[A-Za-z0-9]{4,30}",
        place in prop::sample::select(PLACES.to_vec()),
        before in prop::sample::select(vec!["", "INFO start\n", "a: b\n", "it's \"odd\n"]),
        after in prop::sample::select(vec!["", "\nend", "\n\nmore: x\n"]),
    ) {
        let text = format!("{before}{}{after}", place.replace("{}", &secret));
        let got = masker("all").mask(&text).expect("maskable").text.into_owned();
        prop_assert!(!got.contains(&secret), "{}", got);
        prop_assert!(got.starts_with(before) && got.ends_with(after), "{}", got);
    }
}

#[test]
fn hostile_texts_are_searched_to_their_end() {
    // Nothing is timed here; a search that looked back or ahead without bounds would just not come back.
    let masker = masker("all");
    for unit in [
        "password=",
        "token: {{",
        "\"",
        "\\",
        "{",
        "[{\"a\":",
        "eyJ",
        "a://",
        "@",
        "-----BEGIN ",
        "-----BEGIN X-----\n",
        "- ",
        "  data:\n",
        "kind: Secret\n",
        "{\"kind\":\"Secret",
        "\"Secret",
        "'",
        "map[a:",
        "<password>",
        "--token ",
        "data:\n data:\n",
        "Authorization: ",
        "password: |\n",
        "Bearer a",
        "AKIA",
        "LS0tLS1CRUdJTi",
        "x=",
        "password=\"{{",
        "kind: Secret\ndata: {\n",
    ] {
        let text = unit.repeat(400_000 / unit.len());
        let got = masker.mask(&text).expect("maskable").text;
        assert!(got.len() <= 16 * text.len(), "{unit:?} grew to {} bytes", got.len());
    }
}
