use crate::source::target_of;

use super::*;

/// The groups of files in cycles of a crate that is made of these files; `lib.rs` is its root.
fn cycles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let target = target_of(files);
    let name = |file: usize| target.files[file].path.display().to_string();
    let cycles = Graph::new(&target).cycles();
    cycles.iter().map(|cycle| cycle.files.iter().map(|&file| name(file)).collect()).collect()
}

const NONE: [&[&str]; 0] = [];

#[test]
fn two_files_that_use_each_other_are_a_cycle() {
    let found = cycles(&[
        ("lib.rs", "mod one; mod two;"),
        ("one.rs", "use crate::two::Two; pub struct One(Two);"),
        ("two.rs", "pub struct Two; fn make(_: crate::one::One) {}"),
    ]);
    assert_eq!(found, [["one.rs", "two.rs"]]);
}

#[test]
fn a_cycle_of_three_files_is_found_through_super() {
    let found = cycles(&[
        ("lib.rs", "mod area;"),
        ("area.rs", "mod one; mod three; mod two;"),
        ("area/one.rs", "use super::two::Two; pub struct One(Two);"),
        ("area/two.rs", "use super::three::Three; pub struct Two(Three);"),
        ("area/three.rs", "use super::one; pub struct Three; fn make(_: one::One) {}"),
    ]);
    assert_eq!(found, [["area/one.rs", "area/three.rs", "area/two.rs"]]);
}

#[test]
fn two_cycles_without_a_common_file_are_two_groups() {
    let found = cycles(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; fn main() { a::A; c::C; }"),
        ("a.rs", "pub struct A; fn b(_: crate::b::B) {}"),
        ("b.rs", "pub struct B; fn a(_: crate::a::A) {}"),
        ("c.rs", "pub struct C; fn d(_: crate::d::D) {}"),
        ("d.rs", "pub struct D; fn c(_: crate::c::C, _: crate::a::A) {}"),
    ]);
    assert_eq!(found, [["a.rs", "b.rs"], ["c.rs", "d.rs"]]);
}

#[test]
fn uses_in_one_direction_are_no_cycle() {
    let found = cycles(&[
        ("lib.rs", "mod one; mod three; mod two; fn main() { one::one(); two::two(); }"),
        ("one.rs", "pub fn one() { crate::two::two(); crate::three::three(); }"),
        ("two.rs", "pub fn two() { crate::three::three(); }"),
        ("three.rs", "pub fn three() {}"),
    ]);
    assert_eq!(found, NONE);
}

#[test]
fn a_re_export_is_no_use_of_its_own() {
    let found = cycles(&[
        ("lib.rs", "mod parent;"),
        ("parent.rs", "mod child; pub(crate) use child::Child; pub struct Parent;"),
        ("parent/child.rs", "use super::Parent; pub struct Child(Parent);"),
    ]);
    assert_eq!(found, NONE);
}

#[test]
fn a_re_export_is_followed_to_the_file_that_defines_the_item() {
    // Through the root and renamed, as a crate's public names are; nothing of `lib.rs` itself is used.
    let found = cycles(&[
        ("lib.rs", "mod one; mod two; pub use one::*; pub use two::Two as Second;"),
        ("one.rs", "pub struct One; fn make(_: crate::Second) {}"),
        ("two.rs", "pub struct Two; fn make(_: crate::One) {}"),
    ]);
    assert_eq!(found, [["one.rs", "two.rs"]]);
}

#[test]
fn a_parent_that_uses_a_child_which_uses_the_parent_is_a_cycle() {
    let found = cycles(&[
        ("lib.rs", "mod parent;"),
        ("parent.rs", "mod child; pub struct Parent; pub fn run() { child::run(); }"),
        ("parent/child.rs", "use super::Parent; pub fn run() { let _ = Parent; }"),
    ]);
    assert_eq!(found, [["parent.rs", "parent/child.rs"]]);
}

#[test]
fn a_module_that_is_only_passed_through_is_no_use() {
    let found = cycles(&[
        ("lib.rs", "mod parent;"),
        ("parent.rs", "mod one; mod two; pub fn run() { one::one(); }"),
        ("parent/one.rs", "pub fn one() { super::two::two(); crate::parent::two::two(); }"),
        ("parent/two.rs", "pub fn two() {}"),
    ]);
    assert_eq!(found, NONE);
}

#[test]
fn code_under_cfg_test_does_not_count() {
    let found = cycles(&[
        ("lib.rs", "mod one; mod two;"),
        ("one.rs", "pub struct One; #[cfg(test)] mod tests; #[cfg(test)] use crate::two::Two;"),
        ("one/tests.rs", "use crate::two::Two; use super::One; fn make(_: One, _: Two) {}"),
        (
            "two.rs",
            "use crate::one::One; pub struct Two;
            impl Two { #[cfg(test)] fn one(_: One) {} }
            #[cfg(test)] mod tests { use crate::one::One; fn make(_: One) {} }",
        ),
    ]);
    assert_eq!(found, NONE);
}

#[test]
fn inline_modules_belong_to_the_file_that_contains_them() {
    let found = cycles(&[
        ("lib.rs", "mod one;"),
        (
            "one.rs",
            "mod a { pub struct A; pub fn b(_: super::b::B) {} } mod b { pub struct B; pub fn a(_: super::a::A) {} }",
        ),
    ]);
    assert_eq!(found, NONE);
}

#[test]
fn the_arguments_of_macros_and_attributes_are_uses() {
    let found = cycles(&[
        ("lib.rs", "mod one; mod two;"),
        ("one.rs", "pub fn one() { println!(\"{}\", crate::two::two()); }"),
        ("two.rs", "#[serde(with = \"crate::one::one\")] pub struct S; pub fn two() {}"),
    ]);
    assert_eq!(found, [["one.rs", "two.rs"]]);
}

#[test]
fn comments_and_sentences_are_no_uses() {
    let found = cycles(&[
        ("lib.rs", "mod one; mod two;"),
        (
            "one.rs",
            "/// See [`crate::two::Two`].\npub fn one() { println!(\"crate::two::Two is another\"); }",
        ),
        ("two.rs", "pub struct Two; fn make() { crate::one::one(); }"),
    ]);
    assert_eq!(found, NONE);
}

#[test]
fn a_cycle_is_printed_with_the_lines_that_close_it() {
    let target = target_of(&[
        ("lib.rs", "mod one; mod two;"),
        ("one.rs", "\nuse crate::two::Two;\npub struct One(Two);"),
        ("two.rs", "pub struct Two;\n\nfn make(_: crate::one::One) {}"),
    ]);
    let cycles = Graph::new(&target).cycles();
    assert_eq!(
        cycles[0].to_string(),
        "sample: 2 files (6 lines) use each other, shortest paths:\n  \
         one.rs:2 --Two-->  two.rs:3 --One-->  one.rs\n"
    );
}
