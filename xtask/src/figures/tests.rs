use super::*;

#[test]
fn code_of_tests_is_apart_and_generated_code_is_left_out() {
    for (file, expected) in [
        ("libs/store/src/database/store.rs", Some(Part::Product)),
        ("llm-service/src/llm_service/main.py", Some(Part::Product)),
        ("dashboard/src/ui/Badge.tsx", Some(Part::Product)),
        ("dashboard/src/ui/Badge.test.tsx", Some(Part::Beside)),
        ("dashboard/e2e/page.ts", Some(Part::Beside)),
        ("libs/store/tests/it/main.rs", Some(Part::Beside)),
        ("libs/effects/src/names/tests.rs", Some(Part::Beside)),
        ("libs/testkit/src/lib.rs", Some(Part::Beside)),
        ("llm-service/tests/test_main.py", Some(Part::Beside)),
        ("xtask/src/main.rs", Some(Part::Beside)),
        ("libs/llm-proto/src/generated/llm.v1.rs", None),
        ("llm-service/src/llm_service/gen/llm/v1/llm_pb2.py", None),
    ] {
        assert_eq!(part(file), expected, "{file}");
    }
}

#[test]
fn the_tests_of_a_file_are_not_lines_of_the_product() {
    let text = "fn one() {}\n\n#[cfg(test)]\nmod tests {\n    fn two() {}\n}\n";
    assert_eq!(lines(text, Part::Product), (2, 4));
    assert_eq!(lines(text, Part::Beside), (0, 6));
    assert_eq!(lines("fn one() {}\n", Part::Product), (1, 0));
}

#[test]
fn keys_are_rows_of_generated_tables() {
    let page = "| `by hand` | x |\n<!-- generated: queue -->\n| key | |\n|---|---|\n| `a` | 1 |\n| `b` | 2 |\n<!-- end -->\n| `c` |\n<!-- generated: essentials -->\n| `queue.a` | 1 |\n<!-- end -->\n";
    assert_eq!(configuration_keys(page), 2);
}

#[test]
fn variables_are_those_of_the_table_of_settings() {
    let page = "# Operating\n\n## Settings of a process\n\n| `A_ONE`, `A_TWO` | `OTHER` |\n| `B` | – |\n\n## Health\n\n| `C` | |\n";
    assert_eq!(variables(page), 3);
}

#[test]
fn the_figures_of_this_project_are_not_zero() {
    let root = crate::source::metadata().unwrap().workspace_root;
    let text = text(root.as_std_path()).unwrap();
    assert_eq!(text.lines().count(), 13);
    for line in text.lines() {
        let number: usize = line.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(number > 5, "{line}");
    }
}
