//! Texts that are shown while they are written: however they come in fragments, no part of a secret of several lines is seen.

use proptest::prelude::*;
use tarsy_masking::Live;

use crate::support::masker;

/// Lines of a key, and values of a Secret.
const KEY: [&str; 3] = [
    "MIIEowIBAAKCAQEAx7abcdEFGHijklMNOPqrstUVWXyz01",
    "Zk9sQ2vN8rT4wY6uA1bC3dE5fG7hJ9kL0mP2qR4sT6uV8x",
    "q1W2e3R4t5Y6u7I8o9P0aS1dF2gH3jK4lZ5xC6vB7nM8q9",
];
const VALUES: [&str; 2] = ["a2V0dGxlLWFuZC1sYW1w", "c2VjcmV0LXZhbHVlLTE3"];
/// The shortest part of a secret that counts as seen, in bytes.
const PART: usize = 8;
const PROSE: &str = "The pod was restarted because its memory ran out, as the events say.\n\n";

fn pem(kind: &str, headers: &str, indent: &str) -> String {
    let body = [&[headers], &KEY[..]].concat();
    let lines = body.iter().filter(|line| !line.is_empty()).map(ToString::to_string);
    let all = [format!("-----BEGIN {kind}-----")].into_iter().chain(lines);
    let all = all.chain([format!("-----END {kind}-----")]);
    all.map(|line| [indent, &line, "\n"].concat()).collect()
}

/// A Secret of Kubernetes, each line with this before it. What it is stands at its end.
fn secret(indent: &str, between: &str) -> String {
    let lines = [
        "apiVersion: v1".to_owned(),
        "data:".to_owned(),
        format!("  one: {}", VALUES[0]),
        format!("  two: {}", VALUES[1]),
        between.to_owned(),
        "kind: Secret".to_owned(),
        "metadata:".to_owned(),
        "  name: store".to_owned(),
    ];
    let lines = lines.iter().filter(|line| *line != "-");
    lines
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("{indent}{line}\n") })
        .collect()
}

fn json() -> String {
    format!(
        "{{\n  \"data\": {{\n    \"one\": \"{}\",\n    \"two\": \"{}\"\n  }},\n  \"kind\": \"Secret\"\n}}\n",
        VALUES[0], VALUES[1]
    )
}

/// What a model may write around a secret, and the secret.
fn texts() -> Vec<(&'static str, String)> {
    let rsa = "RSA PRIVATE KEY";
    let escaped = pem(rsa, "", "").replace('\n', "\\n");
    vec![
        ("a key", pem(rsa, "", "")),
        ("a key of OpenSSH", pem("OPENSSH PRIVATE KEY", "", "")),
        (
            "a key with headers",
            pem(rsa, "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C3D\n", ""),
        ),
        ("a key in a fence", format!("```\n{}```\n", pem(rsa, "", ""))),
        ("a key in a fence behind words", format!("It is: ```pem\n{}```\n", pem(rsa, "", ""))),
        ("a key in a list", format!("- the file has\n\n{}", pem(rsa, "", "    "))),
        ("a quoted key", pem(rsa, "", "> ")),
        ("a key in YAML", format!("tls.key: |\n{}", pem(rsa, "", "    "))),
        ("a key in JSON", format!("{{\"key\": \"{escaped}\"}}\n")),
        ("a key in a sentence", format!("The file has {escaped} in it.\n")),
        ("a Secret", secret("", "-")),
        ("a Secret behind a line", format!("The manifest is this one:\n{}", secret("", "-"))),
        ("a Secret in a fence", format!("```yaml\n{}```\n", secret("", "-"))),
        ("a Secret in a fence with empty lines", format!("```yaml\n{}```\n", secret("", ""))),
        ("a Secret in a fence behind words", format!("It is: ```yaml\n{}```\n", secret("", "-"))),
        (
            "a Secret in an indented fence",
            format!("1. It has\n   ```yaml\n{}   ```\n", secret("   ", "-")),
        ),
        ("a Secret in a fence of a list", format!("- ```yaml\n{}  ```\n", secret("  ", "-"))),
        ("a Secret in a long fence", format!("````\n```\n{}```\n````\n", secret("", ""))),
        ("a Secret between tildes", format!("~~~\n{}~~~\n", secret("", ""))),
        ("an indented Secret", secret("    ", "-")),
        ("a Secret with an empty line", secret("", "")),
        ("a Secret in JSON", json()),
        ("a Secret in JSON in a fence", format!("```json\n{}```\n", json())),
    ]
}

/// The parts of secrets that a text shows.
fn seen(text: &str) -> Vec<&'static str> {
    let parts = |secret: &'static str| {
        (0..=secret.len() - PART).filter_map(move |at| secret.get(at..at + PART))
    };
    KEY.into_iter().chain(VALUES).flat_map(parts).filter(|part| text.contains(part)).collect()
}

/// All that is given out of a text that comes in these fragments.
fn given(fragments: &[&str]) -> String {
    let (mut live, mut all) = (Live::default(), String::new());
    for fragment in fragments {
        all.push_str(&live.push(masker("security"), fragment).unwrap());
    }
    all + &live.finish(masker("security")).unwrap()
}

/// A text cut before these characters.
fn cut<'t>(text: &'t str, places: &[usize]) -> Vec<&'t str> {
    let mut from = 0;
    let ends = places.iter().copied().chain([text.len()]);
    let fragment = |end| text.get(std::mem::replace(&mut from, end)..end).unwrap_or_default();
    ends.map(fragment).collect()
}

#[test]
fn no_secret_of_several_lines_is_seen_wherever_the_text_is_cut_once() {
    let mut found = Vec::new();
    for (name, text) in texts() {
        let text = format!("{PROSE}{text}\n{PROSE}");
        let signs: Vec<usize> = (1..text.len()).collect();
        let cuts = (0..=text.len()).map(|at| vec![at]).chain([signs]);
        let seen =
            cuts.map(|places| given(&cut(&text, &places))).find(|given| !seen(given).is_empty());
        found.extend(seen.map(|given| format!("{name}:\n{given}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n---\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_secret_of_several_lines_is_seen_however_the_text_comes_in_fragments(
        which in any::<prop::sample::Index>(),
        sizes in prop::collection::vec(1_usize..40, 1..60),
    ) {
        let all = texts();
        let (name, text) = &all[which.index(all.len())];
        let text = format!("{PROSE}{text}\n{PROSE}");
        let mut places: Vec<usize> = sizes.iter().scan(0, |at, size| { *at += size; Some(*at) }).collect();
        places.retain(|at| *at < text.len());
        let given = given(&cut(&text, &places));
        prop_assert!(seen(&given).is_empty(), "{}: {}", name, given);
    }
}
