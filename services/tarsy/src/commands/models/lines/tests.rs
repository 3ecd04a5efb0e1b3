use super::*;

fn entry() -> Entry {
    Entry {
        name: "ollama-qwen3-8b".to_owned(),
        model: "qwen3:8b".to_owned(),
        base_url: "http://127.0.0.1:11434/v1".to_owned(),
        context_window: 16_384,
        api_key_env: None,
    }
}

fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(PROVIDERS_FILE), text).unwrap();
    folder
}

fn text(folder: &tempfile::TempDir) -> String {
    fs::read_to_string(folder.path().join(PROVIDERS_FILE)).unwrap()
}

fn written(folder: &tempfile::TempDir, entry: Entry) -> anyhow::Result<Written> {
    write(folder.path(), entry, &Env::of([("KEY", "hidden")]))
}

const OTHERS: &str = "# Ours.\nllm_providers:\n    # The first.\n    first:\n        type: openai\n        model: m # not the last\n        base_url: http://10.0.0.1/v1\n\n# The end.\n";

#[test]
fn a_provider_comes_after_the_others_and_every_other_line_stays() {
    let folder = folder(OTHERS);
    let Written::New { name, is_default, .. } = written(&folder, entry()).unwrap() else {
        panic!("it was known");
    };
    assert_eq!((name.as_str(), is_default), ("ollama-qwen3-8b", false));
    let after = text(&folder);
    let added = "    ollama-qwen3-8b:\n        type: openai\n        model: \"qwen3:8b\"\n        base_url: http://127.0.0.1:11434/v1\n        context_window_tokens: 16384\n        llm_timeouts: {preset: slow}\n";
    assert_eq!(after.replace(added, ""), OTHERS, "{after}");
    assert!(after.find("first:") < after.find("ollama-"), "{after}");
}

#[test]
fn a_provider_is_written_once() {
    let folder = folder(OTHERS);
    written(&folder, entry()).unwrap();
    let once = text(&folder);
    let again = written(&folder, Entry { name: "other".to_owned(), ..entry() }).unwrap();
    assert!(matches!(again, Written::Known(name) if name == "ollama-qwen3-8b"));
    assert_eq!(text(&folder), once);
    let other = Entry { model: "qwen3:8B".to_owned(), ..entry() };
    assert!(
        matches!(written(&folder, other).unwrap(), Written::New { name, .. } if name == "ollama-qwen3-8b-2")
    );
}

#[test]
fn a_missing_file_and_a_missing_section_are_made() {
    let empty = tempfile::tempdir().unwrap();
    let Written::New { is_default, .. } = written(&empty, entry()).unwrap() else {
        panic!("it was known");
    };
    assert!(is_default);
    assert!(text(&empty).starts_with("llm_providers:\n  ollama-qwen3-8b:\n    type: openai\n"));
    for before in ["", "# Nothing yet.\n", "llm_providers:\n", "llm_providers: # ours\r\n"] {
        let folder = folder(before);
        written(&folder, entry()).unwrap();
        let after = text(&folder);
        assert!(after.contains("ollama-qwen3-8b:"), "{after}");
        assert_eq!(after.matches("llm_providers:").count(), 1, "{after}");
        let lines = after.matches('\n').count();
        assert!([0, lines].contains(&after.matches("\r\n").count()), "{after:?}");
    }
}

#[test]
fn nothing_is_written_where_the_configuration_would_be_wrong() {
    for (before, reason) in [
        ("llm_providers: {}\n", "add it yourself"),
        (
            "\"llm_providers\":\n  a: {type: openai, model: m, base_url: 'http://10.0.0.1'}\n",
            "add it yourself",
        ),
        ("llm_providers:\n  a: {type: opnai}\n", "has errors already"),
        ("llm_provider:\n  a: {}\n", "has errors already"),
    ] {
        let folder = folder(before);
        let error = format!("{:#}", written(&folder, entry()).unwrap_err());
        assert!(error.contains(reason), "{before}: {error}");
        assert_eq!(text(&folder), before);
    }
}

/// The name of a model is whatever its server writes.
#[test]
fn the_name_of_a_model_adds_no_key_and_reads_no_variable() {
    for model in ["{{.KEY}}", "a\nb: c", "\u{1b}[2J", &"a".repeat(300)] {
        let folder = folder(OTHERS);
        let model = model.to_owned();
        let error = written(&folder, Entry { model, ..entry() }).unwrap_err();
        assert!(error.to_string().contains("no configuration has"), "{error}");
        assert_eq!(text(&folder), OTHERS);
    }
    for model in ["a\", base_url: \"http://other", "a: b # c", "*a", "- {x: [y]}"] {
        let folder = folder(OTHERS);
        let added = Entry { model: model.to_owned(), ..entry() };
        assert!(matches!(written(&folder, added).unwrap(), Written::New { .. }));
        let catalog = Catalog::load_dir(Some(folder.path()), &Env::empty()).unwrap();
        let provider = catalog.providers.get("ollama-qwen3-8b").unwrap();
        assert_eq!(provider.model, model);
        assert_eq!(provider.base_url.as_deref(), Some("http://127.0.0.1:11434/v1"));
    }
}

#[test]
fn providers_are_named_after_their_models() {
    for (model, name) in [
        ("qwen3:8b", "ollama-qwen3-8b"),
        ("Qwen/Qwen2.5-7B-Instruct", "ollama-qwen2-5-7b-instruct"),
        ("/models/gpt-oss-20b-Q4_K_M.gguf", "ollama-gpt-oss-20b-q4-k-m"),
        ("模型", "ollama"),
    ] {
        assert_eq!(provider_name("ollama", model), name);
    }
}

#[test]
fn a_context_window_that_is_unknown_or_too_small_is_refused_with_its_cure() {
    assert_eq!(window(Some(4_000), "x").unwrap(), 4_000);
    assert!(window(None, "x").unwrap_err().to_string().contains("--context-window"));
    assert!(
        window(Some(2_048), "start it anew").unwrap_err().to_string().contains("start it anew")
    );
    assert!(window(Some(u64::MAX), "x").is_err());
}
