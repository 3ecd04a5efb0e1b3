//! A model's prose: of its answer only the sentences that rest on facts are read.

use serde_json::Value;
use strum::IntoEnumIterator as _;
use tarsy_contracts::postmortem::{PostmortemFact, ProseSentence};
use tarsy_domain::postmortem::ProseSection;
use tarsy_evidence::{Call, Evidence, Verdict};
use tarsy_llm::ToolCall;

use crate::asking::members;
use crate::engine::text_of;

/// Characters of a sentence; a longer one is none.
const MAX_SENTENCE: usize = 600;
/// Sentences of a section; more are left out.
const MAX_SENTENCES: usize = 12;
/// Facts of a sentence that are kept.
const MAX_FACTS: usize = 12;
/// Values of one answer; one of the schema has some dozens.
const MAX_VALUES: usize = 2_000;

/// What could be read of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Prose {
    pub(super) sentences: Vec<ProseSentence>,
    /// Sentences that rest on no fact, or state what theirs do not.
    pub(super) left_out: u32,
}

/// Reads an answer with what of it could not be used, or says what is wrong with it.
pub(super) fn read(
    calls: &[ToolCall],
    answer: &str,
    facts: &[PostmortemFact],
) -> Result<(Prose, Vec<String>), String> {
    let (members, mut notes) = members(calls, answer, MAX_VALUES)?;
    let mut prose = Prose { sentences: Vec::new(), left_out: 0 };
    for section in ProseSection::iter() {
        let Some(Value::Array(items)) = members.get(section.as_str()) else {
            return Err(format!("{section}: it is missing; an empty list is an answer, too"));
        };
        let mut kept = 0;
        for item in items {
            match sentence(section, item, facts).filter(|_| kept < MAX_SENTENCES) {
                Some(sentence) => {
                    kept += 1;
                    prose.sentences.push(sentence);
                }
                None => prose.left_out += 1,
            }
        }
    }
    if !prose.sentences.iter().any(|one| one.section == ProseSection::Summary) {
        let why = "summary: none of its sentences names the facts that state all of it; give their ids in `facts`";
        return Err(why.to_owned());
    }
    if prose.left_out > 0 {
        notes.push(format!("sentences without a fact: {}", prose.left_out));
    }
    Ok((prose, notes))
}

/// A sentence that its facts state; none of another one.
fn sentence(
    section: ProseSection,
    item: &Value,
    facts: &[PostmortemFact],
) -> Option<ProseSentence> {
    let text = item.get("text").and_then(text_of)?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() || text.chars().count() > MAX_SENTENCE {
        return None;
    }
    let mut cited: Vec<&PostmortemFact> = Vec::new();
    for id in item.get("facts")?.as_array()?.iter().filter_map(text_of) {
        let id = id.trim_matches(|letter: char| !letter.is_alphanumeric());
        let known = facts.iter().find(|fact| fact.id.eq_ignore_ascii_case(id));
        if let Some(fact) = known.filter(|fact| !cited.contains(fact)) {
            cited.push(fact);
        }
    }
    cited.truncate(MAX_FACTS);
    let is_backed = !cited.is_empty() && is_stated(&text, &cited);
    is_backed.then(|| ProseSentence {
        section,
        text,
        facts: cited.iter().map(|fact| fact.id.clone()).collect(),
    })
}

/// Whether the facts have each number, time, quotation and name of a sentence.
fn is_stated(text: &str, facts: &[&PostmortemFact]) -> bool {
    let texts: Vec<String> =
        facts.iter().map(|fact| format!("{}\n{}", fact.text, fact.source)).collect();
    let calls: Vec<Call<'_>> = (1..)
        .zip(&texts)
        .map(|(number, text)| Call { number, tool: "", arguments: "{}", text, answered_at: None })
        .collect();
    let checked = Evidence::new(&calls, &[]).check(text);
    // What may be computed is not what the facts have.
    checked.open == 0
        && checked.claims.iter().all(|one| {
            matches!(
                one.verdict,
                Verdict::Supported | Verdict::SupportedElsewhere | Verdict::Uncited
            )
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn facts() -> Vec<PostmortemFact> {
        let fact = |id: &str, text: &str, source: &str| PostmortemFact {
            id: id.to_owned(),
            text: text.to_owned(),
            source: source.to_owned(),
        };
        vec![
            fact(
                "F1",
                "2026-02-11 09:41:20 UTC: deployment of Deployment/checkout in namespace shop",
                "argocd",
            ),
            fact("F2", "The pool of checkout was set to 2 connections", "rosa"),
            fact("F3", "The incident lasted 12 min", "the record"),
        ]
    }

    fn answer(summary: &Value) -> String {
        json!({ "summary": summary, "what_happened": [], "lessons": [] }).to_string()
    }

    fn one(text: &str, facts: &[&str]) -> Value {
        json!([{ "text": text, "facts": facts }])
    }

    #[test]
    fn a_sentence_is_kept_with_the_facts_that_state_it() {
        let answer =
            answer(&one("The pool of checkout\n was set to 2 connections.", &["[f2]", "F2", "F9"]));
        let (prose, notes) = read(&[], &answer, &facts()).unwrap();
        assert_eq!(prose.left_out, 0);
        let [sentence] = prose.sentences.as_slice() else { panic!("{prose:?}") };
        assert_eq!(sentence.text, "The pool of checkout was set to 2 connections.");
        assert_eq!((sentence.facts.as_slice(), notes.len()), (["F2".to_owned()].as_slice(), 0));
    }

    #[test]
    fn what_no_fact_states_is_left_out() {
        for (text, facts_of_it) in [
            ("Customers were angry.", &[][..]),
            ("Customers were angry.", &["F7"][..]),
            ("The pool was set to 20 connections.", &["F2"][..]),
            ("The incident lasted 45 min.", &["F3"][..]),
            ("The deployment began at 11:41:20.", &["F1"][..]),
        ] {
            let mut summary = one("The incident lasted 12 min.", &["F3"]);
            summary
                .as_array_mut()
                .unwrap()
                .extend(one(text, facts_of_it).as_array().unwrap().clone());
            let (prose, notes) = read(&[], &answer(&summary), &facts()).unwrap();
            assert_eq!((prose.sentences.len(), prose.left_out), (1, 1), "{text}");
            assert_eq!(notes, ["sentences without a fact: 1"]);
        }
    }

    #[test]
    fn an_answer_without_a_summary_is_none() {
        let problem = read(&[], &answer(&one("It was bad.", &[])), &facts()).unwrap_err();
        assert!(problem.starts_with("summary: none of its sentences"), "{problem}");
        assert!(read(&[], "{\"summary\": []}", &facts()).is_err());
        assert!(read(&[], "It broke.", &facts()).is_err());
    }

    #[test]
    fn very_many_or_long_sentences_are_left_out() {
        let mut many: Vec<Value> = (0..MAX_SENTENCES + 3)
            .map(|_| json!({ "text": "The incident lasted 12 min.", "facts": ["F3"] }))
            .collect();
        many.push(json!({ "text": "long ".repeat(200), "facts": ["F3"] }));
        let (prose, _) = read(&[], &answer(&json!(many)), &facts()).unwrap();
        assert_eq!((prose.sentences.len(), prose.left_out), (MAX_SENTENCES, 4));
    }
}
