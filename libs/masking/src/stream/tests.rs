use proptest::prelude::*;

use super::*;
use crate::rules::{CustomPattern, MaskingRules};

const SMALL: Sizes = Sizes { behind: 2048, window: 1024, ahead: 2048 };

fn masker() -> Masker {
    Masker::new(&MaskingRules::group("security")).expect("a known group")
}

fn streamed(masker: &Masker, chunks: &[&str]) -> Result<Masked<'static>, Error> {
    let mut stream = Stream::new(masker, SMALL);
    let mut text = String::new();
    for chunk in chunks {
        text.push_str(&stream.push(chunk)?);
        assert!(stream.text.len() <= SMALL.behind + SMALL.window + SMALL.ahead + MAX_SHIFT);
    }
    let rest = stream.finish()?;
    text.push_str(&rest.text);
    Ok(Masked { text: Cow::Owned(text), counts: rest.counts })
}

fn filler(lines: usize) -> String {
    let line = |number| {
        format!(
            "2026-11-22 INFO line {number} of many, keys=3
"
        )
    };
    (0..lines).map(line).collect::<Vec<_>>().concat()
}

const SECRETS: [&str; 6] = [
    "login password=Hunter2xyz for bob\n",
    "apiVersion: v1\ndata:\n  pw: aHVudGVyMg==\n  user: YWRtaW4=\nkind: Secret\nmetadata:\n  name: a\n",
    "{\"kind\":\"Secret\",\"data\":{\"pw\":\"aHVudGVyMg==\"},\"metadata\":{\"name\":\"a\"}}\n",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7abcdefghijklmnop\nabcdefghijklmnopqrstuvwx\n-----END RSA PRIVATE KEY-----\n",
    "clone with ghp_0123456789abcdefghijABCDEFGHIJ012345 é\n",
    "Authorization: Bearer abc123def456ghi789jkl\n",
];

#[test]
fn a_long_list_of_secrets_is_masked_before_its_kind_is_seen() {
    let masker = masker();
    let json = "{\"data\":{\"p\":\"eks0dHE5THcyeA==\",\"q\":\"/u36zgABAgM=\"},\"type\":\"Opaque\"}";
    let items = vec![json; 300].join(",");
    let yaml =
        "- data:\n    p: eks0dHE5THcyeA==\n    q: /u36zgABAgM=\n  type: Opaque\n".repeat(300);
    for text in [
        format!("{{\"apiVersion\":\"v1\",\"items\":[{items}],\"kind\":\"SecretList\"}}"),
        format!("apiVersion: v1\nitems:\n{yaml}kind: SecretList\n"),
    ] {
        let got = streamed(&masker, &[&text]).expect("maskable").text;
        assert_eq!((got.matches("eks0dHE5").count(), got.matches("/u36zg").count()), (0, 0));
    }
}

#[test]
fn a_secret_across_an_edge_is_masked_as_in_the_whole_text() {
    let masker = masker();
    for secret in SECRETS {
        for lines in 18..30 {
            let text = format!("{}{secret}{}", filler(lines), filler(90));
            let whole = masker.mask(&text).expect("maskable");
            let parts = streamed(&masker, &[&text]).expect("maskable");
            assert_eq!(parts, whole, "{secret} after {lines} lines");
            assert!(parts.total() > 0);
        }
    }
}

#[test]
fn a_list_of_secrets_is_one_also_when_its_head_is_far_behind() {
    let masker = masker();
    let item = |number| {
        format!(
            "{{\"metadata\":{{\"name\":\"s{number}\"}},\"data\":{{\"pin\":\"not-base64-{number}\"}}}},"
        )
    };
    let items = (0..400).map(item).collect::<Vec<_>>().concat();
    let text = format!("{{\"kind\":\"SecretList\",\"items\":[{}]}}", items.trim_end_matches(','));
    let got = streamed(&masker, &[&text]).expect("maskable");
    assert!(!got.text.contains("not-base64"), "{}", got.text);
    assert_eq!(got.counts.get("kubernetes_secret"), Some(&400));
}

#[test]
fn a_secret_without_an_end_is_an_error() {
    let text = format!("-----BEGIN PRIVATE KEY-----\n{}", "MIIEowIBAAKCAQEA7abc\n".repeat(2000));
    assert!(matches!(streamed(&masker(), &[&text]), Err(Error::Endless { .. })));
}

#[test]
fn expressions_of_the_operator_are_applied_in_streams() {
    let custom = CustomPattern { pattern: "line 2[0-9]".to_owned(), ..CustomPattern::default() };
    let masker = Masker::builder().custom(custom).build().expect("compiles");
    let text = filler(200);
    let got = streamed(&masker, &[&text]).expect("maskable");
    assert_eq!(got, masker.mask(&text).expect("maskable"));
    assert_eq!(got.counts.get("custom"), Some(&10));
}

#[test]
fn a_text_longer_than_what_is_masked_at_once_is_masked_too() {
    let masker = masker();
    let filler = filler(1000);
    let mut text = filler.repeat(WHOLE / filler.len() + 1);
    text.push_str(SECRETS[0]);
    assert!(text.len() > WHOLE);
    let got = masker.mask(&text).expect("maskable");
    assert!(got.text.ends_with("login password=[MASKED_PASSWORD] for bob\n"));
    assert_eq!(got.total(), 1);
}

#[test]
fn a_text_of_20_mib_is_masked_in_chunks_of_any_size_as_at_once() {
    let masker = masker();
    // Long lines without anything to look at: the test is about edges, not about speed.
    let line = format!("2026-11-22 INFO {}\n", "it goes on and on ".repeat(60));
    let mut text = String::new();
    let mut seed = 1_usize;
    while text.len() < 20 << 20 {
        // Secrets lie at odd distances, so that some of them lie across the edges of windows.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(SECRETS[(seed >> 33) % SECRETS.len()]);
        text.push_str(&line.repeat(20 + (seed >> 40) % 80));
    }
    let mut whole = Part::whole(&text);
    masker.mask_part(&mut whole).expect("maskable");
    for size in [(64 << 10) + 7, 9 << 20, text.len()] {
        let mut stream = masker.stream();
        let (mut given, mut rest) = (String::with_capacity(text.len()), text.as_str());
        while !rest.is_empty() {
            let (chunk, more) = rest.split_at(rest.floor_char_boundary(size));
            given.push_str(&stream.push(chunk).expect("maskable"));
            rest = more;
        }
        let last = stream.finish().expect("maskable");
        given.push_str(&last.text);
        assert_eq!(last.counts, whole.counts, "chunks of {size} bytes");
        assert!(given == whole.text, "chunks of {size} bytes give another text");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn how_a_text_is_cut_into_chunks_makes_no_difference(
        parts in prop::collection::vec((0..SECRETS.len(), 0..40_usize), 1..12),
        cuts in prop::collection::vec(0..20_000_usize, 0..20),
    ) {
        let masker = masker();
        let part = |(secret, lines): &(usize, usize)| format!("{}{}", filler(*lines), SECRETS[*secret]);
        let text = parts.iter().map(part).collect::<Vec<_>>().concat();
        let mut places: Vec<usize> =
            cuts.iter().map(|cut| text.floor_char_boundary(cut % (text.len() + 1))).collect();
        places.extend([0, text.len()]);
        places.sort_unstable();
        let chunks: Vec<&str> = places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        let got = streamed(&masker, &chunks).expect("maskable");
        prop_assert_eq!(&got, &streamed(&masker, &[&text]).expect("maskable"));
        prop_assert!(!["Hunter2", "aHVud", "MIIE", "ghp_", "abc123def"].iter().any(|part| got.text.contains(part)), "{}", got.text);
        prop_assert_eq!(got.text, masker.mask(&text).expect("maskable").text);
    }
}
