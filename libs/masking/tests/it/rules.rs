//! Which patterns are on, the operator's own, and what happens when masking fails.

use tarsy_masking::{
    CustomPattern, Error, Masker, MaskingRules, WITHHELD, group_members, known_groups,
    known_patterns,
};

fn custom(pattern: &str, replacement: &str) -> CustomPattern {
    CustomPattern {
        pattern: pattern.to_owned(),
        replacement: replacement.to_owned(),
        description: String::new(),
    }
}

#[test]
fn nothing_is_masked_when_nothing_is_on() {
    let masker = Masker::new(&MaskingRules::default()).expect("no rules");
    assert_eq!(masker.mask("password=hunter2").expect("maskable").text, "password=hunter2");
}

#[test]
fn only_what_is_on_is_masked_and_counted() {
    let masker = Masker::builder().pattern("jwt").pattern("password").build().expect("known");
    let text = "password=a token=b eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc password=c";
    let got = masker.mask(text).expect("maskable");
    assert_eq!(
        got.text,
        "password=[MASKED_PASSWORD] token=b [MASKED_JWT] password=[MASKED_PASSWORD]"
    );
    assert_eq!(got.counts.get("password"), Some(&2));
    assert_eq!((got.counts.get("jwt"), got.total()), (Some(&1), 3));
}

#[test]
fn unknown_names_are_errors_that_suggest_the_nearest() {
    let error = Masker::builder().pattern("pasword").build().expect_err("unknown");
    assert!(error.to_string().contains("did you mean \"password\"?"), "{error}");
    let error = Masker::builder().group("securty").build().expect_err("unknown");
    assert!(error.to_string().contains("did you mean \"security\"?"), "{error}");
}

#[test]
fn patterns_of_the_operator_replace_with_groups_of_the_match() {
    let masker =
        Masker::builder().custom(custom(r"(CUST-)\d+", "${1}###")).build().expect("compiles");
    let got = masker.mask("CUST-123 and CUST-4").expect("maskable");
    assert_eq!(got.text, "CUST-### and CUST-###");
    assert_eq!(got.counts.get("custom"), Some(&2));
    let masker = Masker::builder()
        .group("basic")
        .custom(custom("internal-[a-z]+", ""))
        .build()
        .expect("compiles");
    let got = masker.mask("internal-x password=y").expect("maskable").text;
    assert_eq!(got, "[MASKED_CUSTOM] password=[MASKED_PASSWORD]");
}

#[test]
fn patterns_that_do_not_compile_or_match_nothing_are_errors() {
    let error = Masker::builder().custom(custom("(", "x")).build().expect_err("broken");
    assert!(
        matches!(error, Error::BadPattern { .. }) && error.to_string().contains("\"(\""),
        "{error}"
    );
    let error = Masker::builder().custom(custom("a*", "x")).build().expect_err("empty");
    assert!(matches!(error, Error::EmptyMatch { .. }), "{error}");
}

#[test]
fn known_values_go_wherever_they_stand() {
    let masker =
        Masker::builder().secret_value("sup3r-s3cret").secret_value("abc").build().expect("valid");
    let got = masker.mask("a sup3r-s3cret b c3VwM3ItczNjcmV0 abc").expect("maskable").text;
    assert_eq!(got, "a [MASKED_SECRET] b [MASKED_SECRET] abc");
}

#[test]
fn a_text_that_cannot_be_masked_is_withheld() {
    let masker = Masker::builder().group("security").build().expect("known");
    let line = "MIIEowIBAAKCAQEA7abcdefghijklmnop\n";
    let huge = format!("-----BEGIN PRIVATE KEY-----\n{}", line.repeat((13 << 20) / line.len()));
    assert!(matches!(masker.mask(&huge), Err(Error::Endless { .. })));
    assert_eq!(masker.mask_or_withhold(&huge).text, WITHHELD);
    let clean = masker.mask_or_withhold("password=x");
    assert_eq!(clean.text, "password=[MASKED_PASSWORD]");
}

#[test]
fn the_names_are_those_of_the_configuration() {
    let patterns: Vec<&str> = known_patterns().collect();
    for name in [
        "api_key",
        "certificate_authority_data",
        "base64_short",
        "kubernetes_secret",
        "high_entropy",
        "env_secret",
    ] {
        assert!(patterns.contains(&name), "{name}");
    }
    assert_eq!(patterns.len(), 25);
    let groups: Vec<&str> = known_groups().collect();
    assert_eq!(groups, ["basic", "secrets", "security", "kubernetes", "cloud", "all"]);
    let basic: Vec<&str> = group_members("basic").expect("known").collect();
    assert_eq!(basic, ["api_key", "password"]);
    assert!(group_members("none").is_none());
}

#[test]
fn rules_are_read_from_configuration_with_unknown_keys_refused() {
    let rules: MaskingRules = serde_json::from_str(
        r#"{"pattern_groups":["kubernetes"],"custom_patterns":[{"pattern":"x","replacement":"y","description":"d"}]}"#,
    )
    .expect("valid");
    assert_eq!(rules.pattern_groups, ["kubernetes"]);
    assert!(serde_json::from_str::<MaskingRules>(r#"{"groups":[]}"#).is_err());
}
