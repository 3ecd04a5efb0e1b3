//! What a text is meant as: something seen, advice, or a supposition.

/// Headings over advice and over what is unknown.
const ADVICE_HEADINGS: &[&str] = &[
    "what to do",
    "to do",
    "next step",
    "recommend",
    "remediation",
    "mitigation",
    "action",
    "fix",
    "prevent",
    "follow-up",
    "follow up",
    "still open",
    "open question",
    "what is open",
    "unknown",
    "not examined",
    "not checked",
    "to check",
    "suggest",
    "could not",
    "not known",
    "runbook",
    "improvement",
    "solution",
    "resolution",
    "long-term",
    "long term",
    "short-term",
    "verification",
    "how to",
    "proposed",
    "workaround",
    "commands",
];
/// Verbs that begin advice.
const IMPERATIVES: &[&str] = &[
    "add",
    "adjust",
    "alert",
    "allow",
    "apply",
    "ask",
    "avoid",
    "back",
    "bump",
    "check",
    "clean",
    "clear",
    "compare",
    "configure",
    "confirm",
    "consider",
    "contact",
    "correct",
    "create",
    "decrease",
    "delete",
    "deploy",
    "do",
    "drain",
    "edit",
    "enable",
    "ensure",
    "escalate",
    "examine",
    "expand",
    "fix",
    "free",
    "give",
    "grant",
    "have",
    "identify",
    "increase",
    "inspect",
    "investigate",
    "keep",
    "kill",
    "let",
    "limit",
    "look",
    "lower",
    "make",
    "migrate",
    "monitor",
    "move",
    "notify",
    "patch",
    "plan",
    "prune",
    "raise",
    "reboot",
    "redeploy",
    "reduce",
    "remove",
    "renew",
    "replace",
    "restart",
    "restore",
    "review",
    "roll",
    "rotate",
    "run",
    "scale",
    "set",
    "try",
    "verify",
];
/// Words of suppositions and of general knowledge.
const SUPPOSING: &[&str] = &[
    "should",
    "would",
    "could",
    "might",
    "if",
    "unless",
    "consider",
    "ensure",
    "recommend",
    "recommended",
    "e.g",
    "typically",
    "usually",
    "normally",
    "threshold",
    "perhaps",
    "possibly",
    "maybe",
    "suppose",
    "assume",
    "assuming",
    "suggest",
    "generally",
    "default",
    "ideally",
    "presumably",
    "unclear",
    "expected",
    "hypothesis",
    "speculative",
    "whether",
];
/// Words that deny what follows.
const DENYING: &[&str] =
    &["not", "no", "never", "without", "nor", "neither", "isn't", "wasn't", "aren't", "weren't"];
/// Words of a statement about how sure it is.
const CONFIDENCE: &[&str] = &[
    "confidence",
    "confident",
    "certain",
    "certainty",
    "sure",
    "likelihood",
    "probability",
    "likely",
    "score",
];

/// Whether a heading stands over advice.
pub(super) fn heads_advice(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let begins = |known: &str| {
        lower
            .match_indices(known)
            .any(|(at, _)| !lower.get(..at).is_some_and(|head| head.ends_with(char::is_alphabetic)))
    };
    ADVICE_HEADINGS.iter().any(|known| begins(known))
}

/// Whether a sentence begins as advice does.
pub(super) fn is_imperative(sentence: &str) -> bool {
    let first = words(sentence).next().unwrap_or_default();
    let lower = sentence.trim_start_matches(['*', '_', ' ', '-']).to_lowercase();
    IMPERATIVES.contains(&first.to_lowercase().as_str()) && !has_a_verb(sentence)
        || lower.starts_with("next,")
        || lower.starts_with("then run")
}

/// Whether the first word is the subject's, and a verb follows it: `Free storage fell`, not `Free the storage`.
fn has_a_verb(sentence: &str) -> bool {
    const VERBS: &[&str] = &[
        "is", "are", "was", "were", "has", "have", "had", "fell", "rose", "dropped", "grew",
        "went", "took", "takes",
    ];
    const BEGINNINGS: &[&str] =
        &["the", "a", "an", "all", "if", "whether", "that", "what", "how", "its", "this"];
    let next: Vec<&str> = words(sentence).skip(1).take(3).collect();
    let begins = next.first().is_none_or(|word| BEGINNINGS.contains(&word.to_lowercase().as_str()));
    !begins && next.iter().any(|word| VERBS.contains(word))
}

/// `may` is a month, too, and a permission; it supposes before a verb in small letters only.
pub(crate) fn is_supposing(text: &str) -> bool {
    // What could not be done was tried.
    let text = text.replace("could not", "");
    has(&text, SUPPOSING) || text.contains(" may be ") || text.contains(" may have ")
}

/// Whether a text that cites a call supposes all the same; what is usual or expected may stand in a result.
pub(super) fn is_supposing_surely(text: &str) -> bool {
    const USUAL: &[&str] = &["threshold", "default", "expected", "normally", "usually", "suggest"];
    let surely = |word: &str| SUPPOSING.contains(&word) && !USUAL.contains(&word);
    let text = text.replace("could not", "");
    words(&text).any(|word| surely(&word.to_lowercase()))
        || text.contains(" may be ")
        || text.contains(" may have ")
}

/// Whether the last words before something deny it.
pub(crate) fn is_denying(before: &str) -> bool {
    const NEAR: usize = 3;
    let last: Vec<&str> = before.split_whitespace().rev().take(NEAR).collect();
    has(&last.join(" "), DENYING)
}

pub(super) fn rates_confidence(text: &str) -> bool {
    has(text, CONFIDENCE)
}

fn has(text: &str, known: &[&str]) -> bool {
    words(text).any(|word| known.contains(&word.to_lowercase().as_str()))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '.')))
        .map(|word| word.trim_matches(['.', '\'']))
        .filter(|word| !word.is_empty())
}
