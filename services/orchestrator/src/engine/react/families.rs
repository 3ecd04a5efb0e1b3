//! Whole investigations in the styles of five families of local models: what they write around calls and answers.

use super::tests::{call, conclusion};
use super::*;

/// The messages of a model in their order, and what its investigation ends with.
struct Transcript {
    family: &'static str,
    messages: &'static [&'static str],
    answer: &'static str,
}

const TRANSCRIPTS: [Transcript; 5] = [
    // Small instruction models that drop colons.
    Transcript {
        family: "Llama",
        messages: &[
            "Thought I need to see the pods first.\nAction k8s.get_pods\nAction Input {\"namespace\": \"shop\"}",
            "Thought I know what is wrong now.\nFinal Answer pod-2 is in CrashLoopBackOff because its memory limit is too low.",
        ],
        answer: "pod-2 is in CrashLoopBackOff because its memory limit is too low.",
    },
    // Markdown around everything, and a call in a fence.
    Transcript {
        family: "Qwen",
        messages: &[
            "**Thought:** Let me list the pods.\n\n**Action:** `k8s.get_pods`\n\n**Action Input:**\n```json\n{\"namespace\": \"shop\"}\n```",
            "**Thought:** The events are clear.\n\n**Final Answer**\n\n**pod-2** is in CrashLoopBackOff.\n\n- Raise its limit.",
        ],
        answer: "**pod-2** is in CrashLoopBackOff.\n\n- Raise its limit.",
    },
    // One line each, with an invented result.
    Transcript {
        family: "Mistral",
        messages: &[
            "I will look at the pods. Action: k8s.get_pods Action Input: {\"namespace\": \"shop\"}\nObservation: all pods run\nFinal Answer: nothing is wrong",
            "The result shows it. Final Answer pod-2 is in CrashLoopBackOff.",
        ],
        answer: "pod-2 is in CrashLoopBackOff.",
    },
    // Headings.
    Transcript {
        family: "Gemma",
        messages: &[
            "## Thought\nThe pods come first.\n\n## Action\nk8s.get_pods\n\n## Action Input\n{\"namespace\": \"shop\"}",
            "## Thought\nI have what I need.\n\n## Final Answer\npod-2 is in CrashLoopBackOff.",
        ],
        answer: "pod-2 is in CrashLoopBackOff.",
    },
    // Keywords in small letters, numbered, and an answer that is asked for again.
    Transcript {
        family: "Phi",
        messages: &[
            "thought: pods first\naction 1: k8s.get_pods\naction input 1: {\"namespace\": \"shop\"}",
            "Final Answer is not known before the log of pod-2 was read.",
            "thought: now it is known\nfinal answer: pod-2 is in CrashLoopBackOff.",
        ],
        answer: "pod-2 is in CrashLoopBackOff.",
    },
];

#[test]
fn the_styles_of_five_families_of_models_are_read_and_no_thought_is_part_of_an_answer() {
    for Transcript { family, messages, answer } in TRANSCRIPTS {
        let called = step(&messages[..1], 2, Asked::ToContinue).unwrap();
        assert_eq!(called, call("k8s.get_pods", "{\"namespace\": \"shop\"}"), "{family}");
        for length in 2..messages.len() {
            let asked_again = step(&messages[..length], 2, Asked::ToContinue).unwrap();
            assert!(matches!(asked_again, Step::Repair(_)), "{family}: {asked_again:?}");
        }
        for asked in [Asked::ToContinue, Asked::ToConclude { attempt: 1 }] {
            assert_eq!(step(messages, 2, asked).unwrap(), conclusion(answer), "{family}");
        }
    }
}

#[test]
fn a_message_that_is_the_conclusion_as_it_stands_loses_the_keyword_of_a_thought() {
    let text = "Thought: pod-2 is in CrashLoopBackOff.";
    for step in [
        step(&["Hm.", text], 4, Asked::ToContinue),
        step(&[text], 4, Asked::ToConclude { attempt: 1 }),
    ] {
        assert_eq!(step.unwrap(), conclusion("pod-2 is in CrashLoopBackOff."));
    }
}
