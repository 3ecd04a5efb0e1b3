//! Skills: folders beside the configuration, and which of them an agent has.

use std::fs;
use std::path::Path;

use tarsy_catalog::{Catalog, Env, ResolvedChain};
use tempfile::TempDir;

const BUILTIN: [&str; 8] =
    ["disk", "dns", "memory", "nodes", "pods", "postgresql", "storage", "tls"];

fn write(folder: &Path, name: &str, text: &str) {
    let folder = folder.join("skills").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), text).unwrap();
}

fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: >\n  When it is\n  of use.\n---\n\n{body}\n")
}

fn env() -> Env {
    Env::of([("GOOGLE_API_KEY", "set")])
}

fn load(folder: &TempDir, tarsy: &str) -> Catalog {
    fs::write(folder.path().join("tarsy.yaml"), tarsy).unwrap();
    Catalog::load_dir(Some(folder.path()), &env()).unwrap_or_else(|report| panic!("{report}"))
}

fn chain(catalog: &Catalog) -> ResolvedChain {
    catalog.resolve_chain(Some("a"), None).unwrap()
}

fn names(chain: &ResolvedChain) -> Vec<&str> {
    chain.skills.iter().map(|skill| skill.name.as_str()).collect()
}

#[test]
fn a_folder_beside_the_files_is_a_skill_and_replaces_a_built_in_one_by_name() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "ledger", &skill("ledger", "Look at the *books*.\n\n{{.HOME}}"));
    write(folder.path(), "disk", &skill("disk", "Ask us first."));
    fs::create_dir_all(folder.path().join("skills/..data")).unwrap();
    fs::write(folder.path().join("skills/README.md"), "Not a skill.").unwrap();
    let catalog = load(&folder, "");
    assert_eq!(catalog.skills.len(), BUILTIN.len() + 1);
    let ledger = &catalog.skills["ledger"];
    assert_eq!(ledger.description, "When it is of use.");
    assert_eq!(
        (ledger.body.as_str(), ledger.builtin),
        ("Look at the *books*.\n\n{{.HOME}}", false)
    );
    assert_eq!((ledger.hash.len(), catalog.skills["disk"].body.as_str()), (64, "Ask us first."));
}

#[test]
fn a_changed_text_is_another_skill_and_another_configuration() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "ledger", &skill("ledger", "One."));
    let before = load(&folder, "");
    write(folder.path(), "ledger", &skill("ledger", "Two."));
    let after = load(&folder, "");
    assert_ne!(before.skills["ledger"].hash, after.skills["ledger"].hash);
    assert_ne!(before.config_hash(), after.config_hash());
}

#[test]
fn the_built_in_skills_are_short() {
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    assert_eq!(catalog.skills.keys().collect::<Vec<_>>(), BUILTIN);
    for skill in catalog.skills.values() {
        assert!(skill.builtin && skill.body.len() < 2_000, "{}", skill.name);
        assert!(skill.description.len() < 120, "{}", skill.description);
    }
}

#[test]
fn the_nearest_list_decides_what_an_agent_may_load() {
    let with = |agent: &str, chain: &str, stage: &str, here: &str| {
        format!(
            "defaults: {{llm_provider: google-default}}\nagents: {{A: {{mcp_servers: [host]{agent}}}}}\nagent_chains:\n  a:\n    \
             alert_types: [a]{chain}\n    stages:\n      - name: one{stage}\n        agents: [{{name: A{here}}}]\n"
        )
    };
    let folder = TempDir::new().unwrap();
    let loadable = |text: &str| chain(&load(&folder, text)).stages[0].agents[0].skills.clone();
    assert_eq!(loadable(&with("", "", "", "")), BUILTIN);
    assert_eq!(loadable(&with(", skills: [dns, tls]", "", "", "")), ["dns", "tls"]);
    let of_chain = "\n    skills: [pods]";
    assert_eq!(loadable(&with(", skills: [dns]", of_chain, "", "")), ["pods"]);
    let of_stage = "\n        skills: [nodes]";
    assert_eq!(loadable(&with("", of_chain, of_stage, "")), ["nodes"]);
    assert_eq!(loadable(&with("", of_chain, of_stage, ", skills: [disk]")), ["disk"]);
    assert!(loadable(&with("", of_chain, of_stage, ", skills: []")).is_empty());
}

#[test]
fn a_session_keeps_the_texts_of_what_its_agents_may_load_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "ledger", &skill("ledger", "Look at the books."));
    let text = "defaults: {llm_provider: google-default}\nagents: {A: {mcp_servers: [host], skills: [pods, ledger], \
                required_skills: [ledger]}}\nagent_chains: {a: {alert_types: [a], stages: [{name: one, agents: [{name: A}]}]}}\n";
    let catalog = load(&folder, text);
    let chain = chain(&catalog);
    assert_eq!(names(&chain), ["ledger", "pods"]);
    let agent = &chain.stages[0].agents[0];
    assert_eq!(
        (&agent.skills[..], &agent.required_skills[..]),
        (&["pods".to_owned()][..], &["ledger".to_owned()][..])
    );
    let kept = chain.skill("ledger").unwrap();
    assert_eq!(
        (&kept.hash, kept.body.as_str()),
        (&catalog.skills["ledger"].hash, "Look at the books.")
    );
    let stored = serde_json::to_value(&chain).unwrap();
    assert_eq!(serde_json::from_value::<ResolvedChain>(stored).unwrap(), chain);
}

#[test]
fn rules_need_no_skills() {
    let chain = Catalog::builtin(&Env::empty()).unwrap().resolve_chain(Some("host"), None).unwrap();
    assert!(chain.skills.is_empty() && chain.stages[0].agents[0].skills.is_empty());
}

/// The report about a folder with one skill.
fn refused(name: &str, text: &str) -> String {
    let folder = TempDir::new().unwrap();
    write(folder.path(), name, text);
    let Err(report) = Catalog::load_dir(Some(folder.path()), &env()) else {
        panic!("loaded: {text}");
    };
    assert!(report.problems.iter().all(|problem| problem.suggestion.is_some()), "{report}");
    report.to_string().replace(&folder.path().display().to_string(), "conf")
}

#[test]
fn a_bad_skill_is_reported_with_file_field_and_fix() {
    let at = "conf/skills/one/SKILL.md";
    for (text, expected) in [
        (
            "Look.",
            format!(
                "{at}: has no front matter; begin the file with a line `---`, the lines `name: …` and `description: …`, and a \
                 line `---`"
            ),
        ),
        (
            "---\nname: [one]\ndescription: d\n---\nx",
            format!("{at}:2:1 name: must be text; write it as text"),
        ),
        (
            "---\nname: one\ndescription:\n---\nx",
            format!(
                "{at}:3:1 description: is empty; add `description:` with when the skill is of use"
            ),
        ),
        (
            "---\nname: one\ndescription: d\n---\n",
            format!(
                "{at}: has no text behind its front matter; write what an investigator has to know, in at most a few pages"
            ),
        ),
    ] {
        assert_eq!(refused("one", text), expected, "{text}");
    }
    let long = refused("one", &format!("---\nname: {}\ndescription: d\n---\nx", "n".repeat(65)));
    assert!(long.contains("is not the name of a skill; write at most 64 characters"), "{long}");
    let broken = refused("one", "---\nname: [\n---\nx");
    assert!(broken.contains("not valid YAML"), "{broken}");
}

#[test]
fn sizes_and_counts_are_bounded() {
    let long = refused("one", &skill("one", &"x".repeat(33_000)));
    assert!(long.contains("its text has 33000 bytes, more than 32768"), "{long}");
    let huge = refused("one", &skill("one", &"x".repeat(70_000)));
    assert!(huge.contains("more than 65536"), "{huge}");
    let folder = TempDir::new().unwrap();
    for number in 0..9 {
        let name = format!("s{number}");
        write(folder.path(), &name, &skill(&name, &"x".repeat(16_000)));
    }
    let report = Catalog::load_dir(Some(folder.path()), &env()).unwrap_err().to_string();
    assert!(report.contains("all skills together have 144000 bytes, more than 131072"), "{report}");
    for number in 9..66 {
        let name = format!("s{number}");
        write(folder.path(), &name, &skill(&name, "x"));
    }
    let report = Catalog::load_dir(Some(folder.path()), &env()).unwrap_err().to_string();
    assert!(report.contains("skills: has more than 64 skills; remove some"), "{report}");
}

#[test]
fn a_folder_without_its_file_and_a_key_without_effect_are_warnings() {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("skills/empty/assets")).unwrap();
    let warnings: Vec<String> =
        load(&folder, "").warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].ends_with(
            "skills/empty/SKILL.md: is empty, or does not exist; write it, or remove the folder"
        ),
        "{warnings:?}"
    );
    fs::remove_dir_all(folder.path().join("skills/empty")).unwrap();
    let text = "---\nname: one\ndescription: d\nlicense: MIT\nmodel: large\n---\nx";
    write(folder.path(), "one", text);
    let catalog = load(&folder, "");
    let warnings: Vec<String> = catalog.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].ends_with("SKILL.md:5:1 model: has no effect; remove it"), "{warnings:?}");
}

/// Name, description and body of the one skill of an operator, and the number of warnings.
fn read(name: &str, text: &str) -> (String, String, String, usize) {
    let folder = TempDir::new().unwrap();
    write(folder.path(), name, text);
    let catalog = load(&folder, "");
    let mut own = catalog.skills.values().filter(|skill| !skill.builtin);
    let one = own.next().unwrap_or_else(|| panic!("none in {text}"));
    let text = |text: &str| text.to_owned();
    (text(&one.name), text(&one.description), text(&one.body), catalog.warnings.len())
}

#[test]
fn front_matter_is_read_as_authors_write_it() {
    let body = "Look.\n\n---\n\nThen look again.";
    for (front, name, description, warnings) in [
        ("name: one\ndescription: >-\n  When pods\n  restart.", "one", "When pods restart.", 0),
        (
            "name: one\ndescription: |\n  Use when: (1) a pod\n  restarts.",
            "one",
            "Use when: (1) a pod restarts.",
            0,
        ),
        ("description: no name", "one", "no name", 0),
        ("name:\ndescription: an empty name", "one", "an empty name", 0),
        ("name: \"one\"\ndescription: 'It''s quoted'", "one", "It's quoted", 0),
        ("name: Other Name\ndescription: d", "Other Name", "d", 1),
        (
            "name: one\ndescription: Use when: a pod restarts # often\nversion: 1.0",
            "one",
            "Use when: a pod restarts # often",
            1,
        ),
        (
            "name: one\ndescription: Use for this: logs,\n  and for that: metrics.\nallowed-tools: [Read, Bash]",
            "one",
            "Use for this: logs, and for that: metrics.",
            1,
        ),
        (
            "name: one\ndescription: d\nlicense: Apache-2.0\nversion: 1.2.3\nauthor: Somebody\ntags:\n  - sre\nmetadata:\n  team: a",
            "one",
            "d",
            0,
        ),
    ] {
        let expected = (name.to_owned(), description.to_owned(), body.to_owned(), warnings);
        let text = format!("---\n{front}\n---\n\n{body}\n");
        assert_eq!(read("one", &text), expected, "{front}");
        let crlf = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(read("one", &crlf), expected, "{front}");
        assert_eq!(read("one", &format!("\n\n{text}")), expected, "{front}");
    }
}

#[test]
fn a_long_description_is_kept_as_far_as_the_format_allows() {
    let (_, whole, _, warnings) =
        read("one", &format!("---\nname: one\ndescription: {}\n---\nx", "d".repeat(1_024)));
    assert_eq!((whole.len(), warnings), (1_024, 0));
    let (_, cut, _, warnings) =
        read("one", &format!("---\nname: one\ndescription: {}\n---\nx", "d".repeat(1_025)));
    assert_eq!((cut.len(), warnings), (1_024, 1));
}

#[test]
fn skills_in_groups_are_found_and_what_lies_beside_them_is_not_read() {
    let folder = TempDir::new().unwrap();
    for name in [
        "sre/network/dns-here",
        "sre/pods-here",
        "plain",
        "plain/references/more",
        "a/b/c/too-deep",
    ] {
        let last = name.rsplit('/').next().unwrap();
        write(folder.path(), name, &skill(last, "x"));
    }
    let small = folder.path().join("skills/small");
    fs::create_dir_all(&small).unwrap();
    fs::write(small.join("skill.md"), skill("small", "x")).unwrap();
    let catalog = load(&folder, "");
    let own = catalog.skills.values().filter(|skill| !skill.builtin);
    let names: Vec<&str> = own.map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["dns-here", "plain", "pods-here", "small"]);
    let warnings: Vec<String> = catalog.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.len() == 1 && warnings[0].contains("skills/a/SKILL.md"), "{warnings:?}");
}

#[test]
fn two_skills_of_one_name_are_an_error() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "one", &skill("same", "x"));
    write(folder.path(), "two", &skill("same", "y"));
    let report = Catalog::load_dir(Some(folder.path()), &env()).unwrap_err().to_string();
    assert!(report.contains("two/SKILL.md name: another skill has the name \"same\""), "{report}");
}
