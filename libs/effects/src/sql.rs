//! Whether a statement of SQL reads: it is parsed in the dialect of its system, and everything in it is of a kind that
//! changes nothing. Whatever is not known to read does not.

mod functions;
mod lexical;
mod tokens;

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Ident, ObjectName, ObjectNamePart, Query, Select, SetExpr, Statement,
    TableFactor, Visit as _, Visitor,
};
use sqlparser::dialect::{
    BigQueryDialect, ClickHouseDialect, Dialect, GenericDialect, MsSqlDialect, MySqlDialect,
    PostgreSqlDialect, SQLiteDialect, SnowflakeDialect,
};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Tokenizer;
use tarsy_contracts::judged::Language;

/// The longest statement that is parsed, in bytes: a longer one is for a person.
const LONGEST: usize = 16 * 1024;
/// The most words and signs of a statement; they bound its depth.
const TOKENS: usize = 3_000;
/// How deep a statement nests.
const DEPTH: usize = 40;
/// Settings of `SQLite` that are only read.
const PRAGMAS: [&str; 9] = [
    "compile_options",
    "database_list",
    "foreign_key_list",
    "function_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "table_info",
    "table_list",
];

/// Endings of the names of files.
const FILES: [&str; 12] = [
    "arrow", "avro", "csv", "gz", "json", "jsonl", "ndjson", "orc", "parquet", "tsv", "txt", "xlsx",
];

/// Why a statement is not known to read; none if it reads.
pub(crate) fn doubt(text: &str, language: Language) -> Option<String> {
    if text.len() > LONGEST {
        return Some("the statement is too long to be judged".to_owned());
    }
    if let Some(why) = lexical::doubt(text, language) {
        return Some(why);
    }
    let dialect = dialect(language);
    let Ok(tokens) = Tokenizer::new(dialect.as_ref(), text).tokenize_with_location() else {
        return Some("the statement cannot be parsed".to_owned());
    };
    if tokens.len() > TOKENS {
        return Some("the statement is too long to be judged".to_owned());
    }
    if let Some(why) = tokens::doubt(&tokens, language) {
        return Some(why);
    }
    let mut parser = Parser::new(dialect.as_ref())
        .with_recursion_limit(DEPTH)
        .with_tokens_with_locations(tokens);
    match parser.parse_statements().as_deref() {
        Ok([one]) => doubt_statement(one),
        Ok([]) => Some("there is no statement".to_owned()),
        Ok(_) => Some("there is more than one statement".to_owned()),
        Err(_) => Some("the statement cannot be parsed".to_owned()),
    }
}

fn dialect(language: Language) -> Box<dyn Dialect> {
    match language {
        Language::Bigquery => Box::new(BigQueryDialect {}),
        Language::Clickhouse => Box::new(ClickHouseDialect {}),
        Language::Mssql => Box::new(MsSqlDialect {}),
        Language::Mysql => Box::new(MySqlDialect {}),
        Language::Postgresql => Box::new(PostgreSqlDialect {}),
        Language::Snowflake => Box::new(SnowflakeDialect),
        Language::Sqlite => Box::new(SQLiteDialect {}),
        _ => Box::new(GenericDialect {}),
    }
}

fn doubt_statement(statement: &Statement) -> Option<String> {
    match statement {
        Statement::Explain { analyze, options, statement, .. } => {
            let measures = options.iter().flatten().any(|option| {
                ["analyze", "analyse"]
                    .iter()
                    .any(|known| option.name.value.eq_ignore_ascii_case(known))
            });
            if *analyze || measures {
                return Some("it explains by running the statement".to_owned());
            }
            return doubt_statement(statement);
        }
        Statement::Pragma { name, is_eq: false, .. } => {
            let known = part(name).is_some_and(|name| PRAGMAS.contains(&name.as_str()));
            return (!known).then(|| "the pragma may change something".to_owned());
        }
        Statement::Query(_)
        | Statement::ExplainTable { .. }
        | Statement::ShowFunctions { .. }
        | Statement::ShowVariable { .. }
        | Statement::ShowStatus { .. }
        | Statement::ShowVariables { .. }
        | Statement::ShowCreate { .. }
        | Statement::ShowColumns { .. }
        | Statement::ShowCatalogs { .. }
        | Statement::ShowDatabases { .. }
        | Statement::ShowProcessList { .. }
        | Statement::ShowSchemas { .. }
        | Statement::ShowCharset(_)
        | Statement::ShowObjects(_)
        | Statement::ShowTables { .. }
        | Statement::ShowViews { .. }
        | Statement::ShowCollation { .. } => {}
        _ => return Some("the statement is none that only reads".to_owned()),
    }
    match statement.visit(&mut Reading) {
        ControlFlow::Continue(()) => None,
        ControlFlow::Break(why) => Some(why),
    }
}

/// Looks at every part of a statement, and ends at the first that may change something.
struct Reading;

impl Visitor for Reading {
    type Break = String;

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<String> {
        // `WITH gone AS (DELETE …)` has a statement inside of a query.
        let writes = matches!(
            statement,
            Statement::Insert(_)
                | Statement::Update(_)
                | Statement::Delete(_)
                | Statement::Merge(_)
        );
        end_if(writes, || "a part of it changes rows".to_owned())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<String> {
        let writes = matches!(
            query.body.as_ref(),
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_)
        );
        end_if(writes, || "a part of it changes rows".to_owned())?;
        end_if(!query.locks.is_empty(), || "it locks rows".to_owned())?;
        end_if(query.settings.is_some(), || "it changes settings".to_owned())?;
        end_if(!query.pipe_operators.is_empty(), || "it has pipe operators".to_owned())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<String> {
        end_if(select.into.is_some(), || "it writes its rows into a table".to_owned())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<String> {
        match table {
            TableFactor::Table { name, args, with_hints, .. } => {
                if args.is_some() {
                    allowed_table(name)?;
                }
                end_if(with_hints.iter().any(is_lock), || "it locks rows".to_owned())
            }
            TableFactor::Function { name, .. } => allowed_table(name),
            TableFactor::TableFunction { .. } => {
                ControlFlow::Break("it reads from a function of the system".to_owned())
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<String> {
        // Some systems read a file or an address whose name stands in quotes, or in a stage.
        let is_file = relation.0.iter().any(|part| match part {
            ObjectNamePart::Identifier(name) => {
                name.quote_style == Some('\'')
                    || name.value.starts_with('@')
                    || name.value.contains(['/', '\\'])
                    || (name.quote_style.is_some() && names_file(&name.value))
            }
            ObjectNamePart::Function(_) => true,
        });
        end_if(is_file, || "it reads a file or an address".to_owned())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<String> {
        match expression {
            Expr::Function(function) => allowed(&function.name),
            Expr::BinaryOp { op, .. } => {
                end_if(is_unknown(op), || "it has an operator that is not known".to_owned())
            }
            Expr::CompoundIdentifier(names) => {
                end_if(names.last().is_some_and(is_sequence), || {
                    "it takes a number from a sequence".to_owned()
                })
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

fn end_if(ends: bool, why: impl FnOnce() -> String) -> ControlFlow<String> {
    if ends { ControlFlow::Break(why()) } else { ControlFlow::Continue(()) }
}

/// Only functions that are known to read are called.
fn allowed(name: &ObjectName) -> ControlFlow<String> {
    let known = part(name).is_some_and(|name| functions::reads(&name));
    end_if(!known, || format!("the function {name} is not known to read"))
}

/// The same for functions that stand for a table: some of that name read the files of the server.
fn allowed_table(name: &ObjectName) -> ControlFlow<String> {
    allowed(name)?;
    let is_listing = part(name).is_some_and(|name| name == "glob");
    end_if(is_listing, || "it lists the files of the server".to_owned())
}

/// Whether a name ends like that of a file which some systems read as a table.
fn names_file(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| FILES.contains(&ending.as_str()))
}

/// The only part of a name, in lower case; a part of the system's own schema counts, too.
fn part(name: &ObjectName) -> Option<String> {
    let ident = |part: &ObjectNamePart| match part {
        // In quotes, capitals count: it is another function than the one of the system.
        ObjectNamePart::Identifier(ident) => {
            let name = ident.value.to_ascii_lowercase();
            (ident.quote_style.is_none() || name == ident.value).then_some(name)
        }
        ObjectNamePart::Function(_) => None,
    };
    match name.0.as_slice() {
        [one] => ident(one),
        [schema, one] if ident(schema)? == "pg_catalog" => ident(one),
        _ => None,
    }
}

fn is_unknown(operator: &BinaryOperator) -> bool {
    matches!(
        operator,
        BinaryOperator::Assignment
            | BinaryOperator::Custom(_)
            | BinaryOperator::PGCustomBinaryOperator(_)
    )
}

fn is_sequence(name: &Ident) -> bool {
    name.value.eq_ignore_ascii_case("nextval")
}

/// Hints of SQL Server that lock more than a reader does.
fn is_lock(hint: &Expr) -> bool {
    let Expr::Identifier(name) = hint else { return true };
    !["nolock", "readuncommitted", "readpast", "readcommitted", "snapshot", "noexpand"]
        .iter()
        .any(|known| name.value.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests;
