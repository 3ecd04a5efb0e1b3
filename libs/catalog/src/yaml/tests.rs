use super::*;

fn scalar(node: &Node, key: &str) -> (String, String) {
    match node.get(key).map(|node| &node.kind) {
        Some(Kind::Scalar { text, written, .. }) => (text.clone(), written.clone()),
        other => panic!("{key} is {other:?}"),
    }
}

#[test]
fn variables_are_put_in_after_parsing_wherever_they_stand() {
    let env = Env::of([("HOST", "a: b # c"), ("TOKEN", "x\ny"), ("_N1", "7")]);
    let text = "plain: {{.HOST}}\nmiddle: http://{{.HOST}}/x\nquoted: \"{{ .TOKEN }}\"\n\
                flow: {a: {{._N1}}}\ncost: $5 and ${HOME}\nother: '{{ range }}'\n";
    let (node, problems) = parse("f", text, Some(&env));
    assert_eq!(problems, []);
    assert_eq!(scalar(&node, "plain").0, "a: b # c");
    assert_eq!(scalar(&node, "middle").0, "http://a: b # c/x");
    assert_eq!(scalar(&node, "middle").1, "http://{{.HOST}}/x");
    assert_eq!(scalar(&node, "quoted").0, "x\ny");
    assert_eq!(scalar(node.get("flow").unwrap(), "a").0, "7");
    assert_eq!(scalar(&node, "cost").0, "$5 and ${HOME}");
    assert_eq!(scalar(&node, "other").0, "{{ range }}");
}

#[test]
fn a_missing_variable_is_named_with_its_place() {
    let (_, problems) = parse("f.yaml", "a: 1\nb: pre-{{.NOPE}}\n", Some(&Env::empty()));
    assert_eq!(
        problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "f.yaml:2:4 b: the variable NOPE is not set; set NOPE in the environment, or write the value here"
        ]
    );
}

#[test]
fn anchors_and_merge_keys_are_spelled_out() {
    let text = "base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n";
    let (node, problems) = parse("f", text, Some(&Env::empty()));
    assert_eq!(problems, []);
    let used = node.get("use").unwrap();
    assert_eq!(scalar(used, "x").0, "1");
    assert_eq!(scalar(used, "y").0, "3");
}

#[test]
fn an_alias_bomb_is_refused() {
    let lines: Vec<String> = (0..9)
        .map(|n| match n {
            0 => "a0: &a0 [x, x, x, x, x, x, x, x, x, x]".to_owned(),
            n => format!("a{n}: &a{n} [{}]", vec![format!("*a{}", n - 1); 10].join(", ")),
        })
        .collect();
    let text = lines.join("\n");
    let (_, problems) = parse("f", &text, Some(&Env::empty()));
    assert!(problems[0].message.contains("more than 200000 values"), "{problems:?}");
}

#[test]
fn broken_yaml_names_its_line() {
    let (_, problems) = parse("f", "a: 1\nb: [1, 2\nc: 3\n", Some(&Env::empty()));
    assert_eq!(problems.len(), 1);
    assert!(problems[0].line >= 2, "{problems:?}");
    assert!(problems[0].message.starts_with("not valid YAML"), "{problems:?}");
}

#[test]
fn an_empty_file_is_an_empty_mapping() {
    for text in ["", "\n# only a comment\n", "---\n"] {
        let (node, problems) = parse("f", text, Some(&Env::empty()));
        assert_eq!(problems, [], "{text:?}");
        assert!(node.entries().is_empty());
    }
}
