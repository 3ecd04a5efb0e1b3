use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::Value;
use tarsy_lenient::{Repair, decode, decode_as, text};

fn documents() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e300..1e300_f64).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[\"',:{}\\[\\]\\\\ a]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((any::<String>(), inner), 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// Fragments of which documents, and what is almost one, consist.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        "[\\[\\]{},:\"' \\\\\n]",
        "\\\\u[0-9a-fA-F]{0,4}",
        Just("NaN".to_owned()),
        Just("-1e999".to_owned()),
        Just("\u{feff}".to_owned()),
        any::<char>().prop_map(String::from),
    ];
    vec(fragment, 0..60).prop_map(|fragments| fragments.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn arbitrary_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..300), charset in any::<Option<String>>()) {
        let _ = decode_as(&bytes, charset.as_deref());
        text(&bytes, charset.as_deref());
    }

    #[test]
    fn what_is_almost_a_document_is_read_or_refused(text in fragments()) {
        for text in [text.clone(), format!("{{\"a\": [{text}]}}")] {
            let _ = decode(text.as_bytes());
        }
    }

    #[test]
    fn valid_documents_are_read_as_they_are(document in documents()) {
        let text = document.to_string();
        let decoded = decode(text.as_bytes()).unwrap();
        prop_assert_eq!(&decoded.value, &serde_json::from_str::<Value>(&text).unwrap());
        prop_assert!(decoded.notes.is_empty());
    }

    #[test]
    fn a_repair_changes_nothing_else(document in documents()) {
        let text = document.to_string();
        let decoded = decode(format!("[{text} , \r\n]").as_bytes()).unwrap();
        prop_assert_eq!(&decoded.value[0], &serde_json::from_str::<Value>(&text).unwrap());
        let repairs: Vec<_> = decoded.notes.iter().map(|note| (note.repair, note.count)).collect();
        prop_assert_eq!(repairs, [(Repair::Comma, 1)]);
    }

    #[test]
    fn a_changed_byte_makes_no_panic(document in documents(), at in any::<Index>(), byte in any::<u8>()) {
        let mut bytes = document.to_string().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = decode(&bytes);
        bytes.truncate(at);
        let _ = decode(&bytes);
    }
}
