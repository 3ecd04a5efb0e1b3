//! The classes of tools of public servers, as they are without an operator's lists, hints or acceptance.

#![expect(clippy::print_stdout, reason = "the figures of the corpus, and what is missed")]

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tarsy_catalog::PolicyMode;
use tarsy_effects::secret_word;

use super::*;

const TOOLS: &str = include_str!("../../tests/corpus/tools.tsv");
/// Tools that nobody looked at when the lists were made.
const HELD_OUT: &str = include_str!("../../tests/corpus/held_out.tsv");
/// How many of the tools that read are to be known, in percent.
const KNOWN: usize = 90;
/// The same of those that nobody looked at.
const KNOWN_OF_HELD_OUT: usize = 90;

struct Public<'a> {
    server: &'a str,
    name: &'a str,
    expected: &'a str,
    schema: Map<String, Value>,
    description: &'a str,
}

fn public(line: &'static str) -> Public<'static> {
    let cells: Vec<&str> = line.split('\t').collect();
    let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
    let properties: Map<String, Value> = cell(3).split_whitespace().map(property).collect();
    let schema = Map::from_iter([("properties".to_owned(), Value::Object(properties))]);
    Public { server: cell(0), name: cell(1), expected: cell(2), schema, description: cell(4) }
}

fn property(text: &str) -> (String, Value) {
    let (name, kind) = text.split_once(':').unwrap_or((text, ""));
    let schema = match kind {
        "" => json!({"type": "string"}),
        "b" => json!({"type": "boolean"}),
        "i" => json!({"type": "integer"}),
        "a" => json!({"type": "array"}),
        "o" => json!({"type": "object"}),
        values => json!({"type": "string", "enum": values.split('|').collect::<Vec<_>>()}),
    };
    (name.to_owned(), schema)
}

fn classified(tools: &'static str) -> Vec<(Public<'static>, ToolTerms)> {
    let lines = tools.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let tools: Vec<Public<'static>> = lines.map(public).collect();
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for tool in &tools {
        names.entry(tool.server).or_default().push(tool.name);
    }
    let policy = ToolPolicy { mode: PolicyMode::Enforce, ..ToolPolicy::default() };
    let families: BTreeMap<&str, Family> = names
        .iter()
        .map(|(server, names)| (*server, Family::of(server, names.iter().copied())))
        .collect();
    let classify = |tool: Public<'static>| {
        let Public { server, name, ref schema, description, .. } = tool;
        let declared = Declared { server, name, description, schema };
        let terms = terms(&policy, &families[server], declared, &ToolAnnotations::new());
        (tool, terms)
    };
    tools.into_iter().map(classify).collect()
}

/// Prints the figures of a corpus, and fails if a tool that changes something reads, or too many that read are not known.
fn measure(tools: &[(Public<'_>, ToolTerms)], wanted: usize) {
    let of =
        |expected: &'static str| tools.iter().filter(move |(tool, _)| tool.expected == expected);
    let reads = |terms: &ToolTerms| terms.class == ToolClass::ReadOnly;
    let named = |(tool, terms): &(Public<'_>, ToolTerms)| {
        format!("{} {}: {}", tool.server, tool.name, terms.reason)
    };
    let wrong: Vec<String> =
        of("w").chain(of("c")).filter(|(_, terms)| reads(terms)).map(named).collect();
    let missed: Vec<String> = of("r").filter(|(_, terms)| !reads(terms)).map(named).collect();
    let (reading, judged) =
        (of("r").count(), of("c").filter(|(_, terms)| !terms.judged.is_empty()).count());
    let known = (reading - missed.len()) * 100 / reading;
    println!(
        "{} tools: {} that change something, of which {} are taken for reading; {reading} that read, of which {known} % are \
         known; {} that depend on the call, of which {judged} are judged call by call",
        tools.len(),
        of("w").count(),
        wrong.len(),
        of("c").count(),
    );
    for tool in &missed {
        println!("not known to read: {tool}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(known >= wanted, "{known} %: {missed:#?}");
}

#[test]
fn no_public_tool_that_changes_something_reads_and_most_that_read_are_known() {
    let tools = classified(TOOLS);
    assert!(tools.len() >= 500);
    measure(&tools, KNOWN);
}

#[test]
fn the_same_holds_for_tools_that_the_lists_were_not_made_for() {
    measure(&classified(HELD_OUT), KNOWN_OF_HELD_OUT);
}

#[test]
fn no_public_tool_that_changes_something_is_judged_call_by_call() {
    for (tool, terms) in classified(TOOLS)
        .iter()
        .chain(&classified(HELD_OUT))
        .filter(|(tool, _)| tool.expected == "w")
    {
        assert!(terms.judged.is_empty(), "{} {}: {}", tool.server, tool.name, terms.reason);
    }
}

#[test]
fn public_tools_that_return_secrets_are_known_by_their_names() {
    for (tool, _) in classified(TOOLS).into_iter().chain(classified(HELD_OUT)) {
        let is_secret = secret_word(tool.name).is_some();
        assert!(is_secret || tool.expected != "s", "{} {}", tool.server, tool.name);
        assert!(!is_secret || tool.expected != "r", "{} {}", tool.server, tool.name);
    }
}
