//! Whether a document of GraphQL reads: all its operations are queries.

use apollo_parser::Parser;
use apollo_parser::cst::Definition;

/// The longest document that is parsed, in bytes, the most words and signs, and the depth.
const LONGEST: usize = 16 * 1024;
const TOKENS: usize = 4_000;
const DEPTH: usize = 50;

/// Why a document is not known to read; none if it reads.
pub(crate) fn doubt(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return Some("the document is too long to be judged".to_owned());
    }
    let parsed = Parser::new(text).recursion_limit(DEPTH).token_limit(TOKENS).parse();
    if parsed.errors().next().is_some() {
        return Some("the document cannot be parsed".to_owned());
    }
    let mut queries = 0_usize;
    for definition in parsed.document().definitions() {
        match definition {
            Definition::FragmentDefinition(_) => {}
            Definition::OperationDefinition(operation) => {
                // Without a type it is a query.
                let is_query =
                    operation.operation_type().is_none_or(|kind| kind.query_token().is_some());
                if !is_query {
                    return Some("an operation of the document is no query".to_owned());
                }
                queries += 1;
            }
            _ => return Some("the document defines a schema".to_owned()),
        }
    }
    (queries == 0).then(|| "the document has no operation".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_read_and_every_other_operation_does_not() {
        for text in [
            "{ me { login } }",
            "query { repository(owner: \"a\", name: \"b\") { issues(first: 5) { nodes { title } } } }",
            "query One($a: Int!) { x(a: $a) { ...F } } fragment F on X { id }",
            "# mutation { x }\nquery { mutation }",
        ] {
            assert_eq!(doubt(text), None, "{text}");
        }
        for text in [
            "mutation { deleteUser(id: 1) { id } }",
            "query A { a } mutation B { b }",
            "subscription { events { id } }",
            "fragment F on X { id }",
            "type A { a: Int }",
            "query { a",
            "",
            "DROP TABLE users",
            "{ a } # x\rmutation { b }",
            "query A { a } fragment F on Mutation { b } mutation B { ...F }",
            "query A { a } subscription B { b }",
            "mutation($a: Int = 1) @skip(if: false) { b }",
            "{ a } mutation { b } { c }",
            "extend type A { b: Int }",
            "query A { a } schema { query: Q }",
            "[{\"query\": \"{ a }\"}]",
            "{\"query\": \"mutation { a }\"}",
            "{ a }\u{0} mutation { b }",
            "bXV0YXRpb24geyBhIH0=",
        ] {
            assert!(doubt(text).is_some(), "{text}");
        }
        let deep = format!("{}a{}", "{ a ".repeat(3_000), "}".repeat(3_000));
        assert!(doubt(&deep).is_some());
    }
}
