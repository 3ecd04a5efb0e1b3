use super::*;

const DOCUMENT: &str = "# A page\n\nA call may take 30 s, at\nmost 10,000 calls of two\nservers; results have 16 MiB.\n";
const SOURCE: &str = "const MIB: usize = 1024 * 1024;\n/// Why.\npub(crate) const CALL: Duration = Duration::from_secs(30);\n\
    const CALLS: usize = 10_000;\nconst RESULT: usize = 16 * MIB;\nconst WAIT_MS: u64 = 30_000;\n\
    const WEEK: Duration = Duration::from_hours(7 * 24);\nlimits(servers: 2)\n";

fn check(table: &str) -> Vec<String> {
    let read = |file: &str| match file {
        "page.md" => Ok(DOCUMENT.to_owned()),
        "limits.rs" => Ok(SOURCE.to_owned()),
        "limits.py" => Ok("CALLS = 10_000  # each\n".to_owned()),
        _ => anyhow::bail!("no such file"),
    };
    compare(table, &read).unwrap().1
}

#[test]
fn a_number_is_that_of_its_constant_in_every_spelling() {
    let table = "# said\n\npage.md | may take {s} s, at most | limits.rs | CALL\n\
        page.md | may take {s} s, | limits.rs | WAIT_MS {ms}\n\
        page.md | at most {} calls | limits.rs | CALLS\n\
        page.md | at most {} calls | limits.py | CALLS\n\
        page.md | calls of {} servers | limits.rs | servers: {})\n\
        page.md | results have {MiB} MiB | limits.rs | RESULT\n";
    assert_eq!(check(table), Vec::<String>::new());
}

#[test]
fn another_number_is_reported_with_both_places() {
    let [problem] = check("page.md | may take {s} s | limits.rs | WEEK\n").try_into().unwrap();
    assert_eq!(
        problem,
        "page.md:3: found 30 in \"may take {s} s\", expected 604800: limits.rs:7 (xtask/numbers.txt:1)"
    );
    assert_eq!(check("page.md | at most {} calls | limits.rs | servers: {})\n").len(), 1);
}

#[test]
fn what_is_not_there_any_more_is_reported() {
    for (line, problem) in [
        (
            "page.md | may take {min} minutes | limits.rs | CALL",
            "page.md: \"may take {min} minutes\" is not there",
        ),
        ("page.md | may take {s} s | limits.rs | CALLER", "limits.rs does not define CALLER"),
        (
            "page.md | may take {s} s | limits.rs | clients: {})",
            "limits.rs: \"clients: {})\" is not there",
        ),
        ("page.md | may take {s} s | other.rs | CALL", "cannot read other.rs"),
    ] {
        let [found] = check(line).try_into().unwrap();
        assert!(found.starts_with(problem), "{found}");
    }
}

#[test]
fn a_line_that_cannot_be_read_is_an_error() {
    for line in [
        "page.md | may take {s} s | limits.rs",
        "page.md | may take 30 s | limits.rs | CALL",
        "page.md | may take {weeks} | limits.rs | CALL",
        "docs/adr/0001-rows.md | may take {s} s | limits.rs | CALL",
    ] {
        assert!(entries(line).is_err(), "{line}");
    }
}

#[test]
fn a_number_is_not_a_part_of_another_one() {
    let pattern = Pattern::parse("{} calls").unwrap();
    let values =
        |text: &str| pattern.find(&Text::new(text)).iter().map(|one| one.value).collect::<Vec<_>>();
    assert_eq!(
        values("10,000 calls, 2.5 calls and v12 calls, or twelve calls"),
        [10_000.0, 2.5, 12.0]
    );
    assert_eq!(values("someone calls"), Vec::<f64>::new());
}

#[test]
fn the_documents_of_this_project_agree_with_its_constants() {
    let root = crate::source::metadata().unwrap().workspace_root;
    let (compared, problems) = problems(root.as_std_path()).unwrap();
    assert!(compared >= 60, "{compared}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_number_with_a_unit_has_a_line_or_a_reason() {
    let page = "A call may take 30 s.\n\n```sh\nsleep 40 s\n```\n\n<!-- generated: keys -->\n| 50 s |\n<!-- end -->\n\n\
                It was (two minutes) once, and one day `60 s`.\n";
    let read = |file: &str| match file {
        "page.md" => Ok(page.to_owned()),
        _ => Ok(SOURCE.to_owned()),
    };
    let missing = |table: &str| {
        complete::problems(&entries(table).unwrap(), &["page.md".to_owned()], &read).unwrap()
    };
    let lines = missing("");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("page.md:1: \"30 s\" has no line"), "{lines:?}");
    assert!(lines[1].starts_with("page.md:11: \"two minutes\" has no line"), "{lines:?}");
    let table = "page.md | may take {s} s | limits.rs | CALL\npage.md | (two minutes) once | - | measured\n";
    assert_eq!(missing(table), Vec::<String>::new());
    assert_eq!(missing("page.md | * | - | measured\n"), Vec::<String>::new());
    assert_eq!(compare(table, &read).unwrap().1, Vec::<String>::new());
    let gone = compare("page.md | three minutes | - | measured\n", &read).unwrap().1;
    assert!(gone[0].starts_with("page.md: \"three minutes\" is not there"), "{gone:?}");
}
