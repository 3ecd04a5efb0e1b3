//! Words and signs of a statement that another system would take for something else, or for the beginning of another
//! statement.

use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace, Word};
use tarsy_contracts::judged::Language;

/// Words that begin a statement of systems that need no semicolon before it (SQL Server and Sybase): behind a whole expression
/// or a table they are no name for it. The parser takes them for one.
const STATEMENTS: [&str; 27] = [
    "backup",
    "begin",
    "break",
    "checkpoint",
    "commit",
    "dbcc",
    "deallocate",
    "delete",
    "deny",
    "drop",
    "exec",
    "execute",
    "grant",
    "insert",
    "kill",
    "merge",
    "reconfigure",
    "restore",
    "return",
    "revert",
    "revoke",
    "rollback",
    "shutdown",
    "truncate",
    "update",
    "waitfor",
    "writetext",
];
/// Words behind which a name may stand, whatever it is.
const BEFORE_NAMES: [&str; 16] = [
    "all", "and", "as", "between", "by", "case", "distinct", "else", "having", "like", "not", "on",
    "or", "select", "then", "when",
];
/// Further such words.
const BEFORE_TABLES: [&str; 5] = ["from", "in", "is", "join", "where"];

/// Why the tokens of a statement say that it is not known to read.
pub(super) fn doubt(tokens: &[TokenWithSpan], language: Language) -> Option<String> {
    if let Some(token) = tokens.iter().find(|token| is_ambiguous(&token.token, language)) {
        return Some(format!("`{token}` means something else in other dialects"));
    }
    let significant = tokens.iter().map(|token| &token.token);
    let significant: Vec<&Token> =
        significant.filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    significant.array_windows().find_map(|[before, token]| doubt_pair(before, token, language))
}

fn doubt_pair(before: &Token, token: &Token, language: Language) -> Option<String> {
    let Token::Word(word) = token else { return None };
    if word.quote_style.is_some() {
        return None;
    }
    // Snowflake chains statements by the sign that elsewhere takes a part out of a document.
    let chains = matches!(language, Language::Sql | Language::Snowflake);
    if chains && *before == Token::LongArrow {
        return Some("`->>` may begin another statement".to_owned());
    }
    let needs_no_semicolon = matches!(language, Language::Sql | Language::Mssql);
    let begins = STATEMENTS.iter().any(|known| word.value.eq_ignore_ascii_case(known));
    (needs_no_semicolon && begins && !is_before_name(before))
        .then(|| format!("`{}` may begin another statement", word.value))
}

/// Whether any name may stand behind a token.
fn is_before_name(token: &Token) -> bool {
    match token {
        Token::Word(Word { value, quote_style: None, .. }) => {
            let known = BEFORE_NAMES.iter().chain(&BEFORE_TABLES);
            known.into_iter().any(|known| value.eq_ignore_ascii_case(known))
        }
        Token::Word(_)
        | Token::Number(..)
        | Token::SingleQuotedString(_)
        | Token::DoubleQuotedString(_)
        | Token::NationalStringLiteral(_)
        | Token::HexStringLiteral(_)
        | Token::Placeholder(_)
        | Token::RParen
        | Token::RBracket
        | Token::RBrace
        | Token::Mul => false,
        _ => true,
    }
}

/// Tokens that another system would end elsewhere.
fn is_ambiguous(token: &Token, language: Language) -> bool {
    match token {
        Token::DollarQuotedString(_)
        | Token::QuoteDelimitedStringLiteral(_)
        | Token::NationalQuoteDelimitedStringLiteral(_) => true,
        Token::TripleSingleQuotedString(_) | Token::TripleDoubleQuotedString(_) => {
            language != Language::Bigquery
        }
        Token::Whitespace(Whitespace::SingleLineComment { prefix, .. }) => prefix != "--",
        _ => false,
    }
}
