//! The sentences that texts address to a model, as patterns over plain words.

use std::sync::LazyLock;

use regex::Regex;

use crate::finding::{Kind, MAX_FINDINGS};
use crate::words::Words;

/// The patterns of each kind. A space stands for one separator of words, `~` for the beginning of a clause or line, and
/// `<…>` for one of the [`CLASSES`].
const PATTERNS: [(Kind, &[&str]); 6] = [
    (
        Kind::Override,
        &[
            " <drop> <any>{0,4}<mine> <any>{0,3}<orders> ",
            " <drop> <any>{0,2}<orders> (?:above|before|given|that you|you (?:were|have|got|received)) ",
            " <drop> <any>{0,2}(?:your|system|safety) <any>{0,2}(?:rules|policies|policy|constraints|context|safety|restrictions) ",
            " forget (?:everything|all|anything|what) <any>{0,4}(?:above|before|previously|said|learned|instructed|told) ",
            " (?:new|updated|revised|real|actual|additional|special) <any>{0,2}(?:instructions?|directives?|orders|task|prompt) (?:for|to) <any>{0,2}<model> ",
            " your (?:new|real|true|actual|only|first|next) <any>{0,2}(?:instructions?|task|goal|objective|job|role|purpose|mission|priority) (?:is|are|now) ",
            " (?:from now on|henceforth) you (?:are|will|must|should|shall) ",
            " you are no longer (?:an?|the|bound|required|restricted|limited) ",
            " (?:system|safety|developer) (?:prompt|message|instructions?) (?:override|update|end|ends|begin|begins|start|starts) ",
            " (?:overrides?|overriding|supersedes?|replaces?) <any>{0,3}(?:system|previous|prior|earlier|original|your) <any>{0,2}(?:prompt|instructions?|directives?|guidelines?|rules) ",
            " (?:end of|end) <any>{0,2}(?:tool (?:result|output)|untrusted (?:data|text)|system prompt) ",
            " (?:all|any|previous|prior|earlier|above|your|existing) <any>{0,2}(?:instructions|guidance|directives|prompts|guidelines) <any>{0,2}(?:are|is|has been|have been) <any>{0,1}(?:void|obsolete|cancelled|canceled|revoked|invalid|superseded|suspended|lifted|overridden|null) ",
            " (?:follow|obey) (?:only )?(?:mine|my instructions|these instructions|the ones in this|this message) ",
            " <drop> <any>{0,3}(?:operator|user|developer|owner|engineer)s? <any>{0,2}<orders> ",
            " (?:update|change|amendment|addition|correction)s? to your <any>{0,2}<orders> ",
            " new (?:system|developer) (?:instructions?|message|prompt|directive) ",
            " (?:begin|start|end) (?:of )?(?:the )?(?:system|developer) (?:prompt|message|instructions?) ",
            " your (?:previous|current|old|original|first) (?:task|job|goal|mission|assignment) (?:is|has been|was) (?:now )?(?:complete|completed|finished|done|cancelled|canceled|over|changed) ",
            " treat (?:all|any|this|the|every) <any>{0,4}as (?:trusted|instructions|authoritative|commands) ",
            " pretend (?:that )?(?:you are|to be|you re) ",
            " (?:act|behave|respond) (?:as|like) <any>{0,4}(?:no|without|free of) (?:any )?(?:restrictions|rules|limits|limitations) ",
            " (?:ignoriere|ignorier|vergiss|missachte) <any>{0,3}(?:anweisungen|anweisung|instruktionen|vorgaben|regeln) ",
            " (?:ignore|ignorez|oublie|oubliez) <any>{0,4}(?:instructions|consignes|directives) (?:precedentes|anterieures|ci dessus) ",
            " (?:ignora|ignore|olvida|olvide|esqueca|desconsidere|dimentica) <any>{0,4}(?:instrucciones|instrucoes|istruzioni|ordenes|indicaciones) ",
            " (?:игнорируй|игнорируйте|забудь|забудьте) <any>{0,4}(?:инструкции|указания|команды) ",
        ],
    ),
    (
        Kind::Address,
        &[
            "~(?:attention|attn|dear|hello|hi|hey|note|notice|important|warning|reminder) (?:to |for )?<the>{0,2}<model> ",
            " (?:note|message|notice|memo|instructions?|hint|reminder|order|directive)s? (?:to|for) <the>{0,2}<reader> ",
            " (?:if|when|since|because|as) you are (?:an?|the) <any>{0,2}<reader> ",
            " you are (?:now )?(?:an?|the|in) <any>{0,3}(?:<reader>|dan|developer mode|god mode|unrestricted|jailbroken) ",
            " <reader> (?:reads?|sees?|processes|encounters|receives|parses) (?:this|these|it) ",
            "~(?:<reader>|assistant|claude|gemini|copilot)[ |](?:please|kindly) ",
            " you are [a-z]*gpt ",
            " as an? (?:helpful )?<reader> (?:you|please|your|it is your) ",
            " <reader> (?:reading|processing|analy[sz]ing|investigating|handling|reviewing|who reads?|that reads?) <any>{0,3}(?:this|the|these|it) ",
            " <reader> <any>{0,2}(?:must|should|shall|need to|needs to|have to|has to|please|are required to|is required to) <any>{0,2}<act> ",
        ],
    ),
    (
        Kind::ToolRequest,
        &[
            " <ask> (?:call|invoke|execute|trigger) <the>{0,1}<any>{0,3}(?:tool|tools|function|mcp) ",
            "~(?:please )?(?:call|invoke) the <any>{0,3}(?:tool|mcp server) ",
            "~<role>(?:please |you must |you should |now )?<act> (?:the|this|that|these|those|all|any|every|it|to|with|only|an?|your|no|everything|nothing) ",
            "~<role>(?:you (?:must|should|shall|are|have to|need to|will)|do not|don t|never) ",
        ],
    ),
    (
        Kind::Concealment,
        &[
            " (?:do not|don t|never|must not|mustn t) (?:tell|inform|mention|notify|reveal|disclose|show|report|warn|alert) <any>{0,3}(?:to )?<the>{0,1}(?:users?|humans?|operators?|engineers?|sres?|on call|person|people|anyone|anybody) ",
            " (?:do not|don t|never) (?:mention|reveal|disclose|reference|acknowledge|cite|quote) (?:this|these|those) <any>{0,2}(?:instructions?|message|note|text|prompt|log line) ",
            " (?:without|do not|don t) (?:asking|ask|waiting|wait|requesting|request) <any>{0,3}(?:approval|confirmation|permission|human|user|person) <any>{0,6}(?:call|run|execute|delete|restart|send|proceed|continue) ",
            " (?:approval|confirmation|permission) (?:is |was |has been |has already been )?(?:already )?(?:given|granted|obtained) <any>{0,6}(?:call|run|execute|delete|restart|send|proceed) ",
            " (?:call|run|execute|delete|send|restart|proceed) <any>{0,8}(?:without|no need for) <any>{0,2}(?:asking|approval|confirmation|permission|human) ",
            " you (?:have|were given|already have|are granted) <any>{0,3}(?:approval|permission|authorization|authority) (?:to|for) <any>{0,2}<act> ",
        ],
    ),
    (
        Kind::Disclosure,
        &[
            " (?:reveal|print|repeat|output|show|leak|dump|paste|include|disclose) <any>{0,3}(?:your|the) <any>{0,2}(?:system prompt|system message|hidden prompt|initial prompt|original prompt|instructions above|initial instructions|conversation so far) ",
            "(?:~| <ask> | and )<send> <any>{0,8}(?:secrets?|tokens?|credentials?|passwords?|api keys?|private keys?|kubeconfig|environment variables|conversation|system prompt|tool (?:results?|outputs?)|your (?:findings|context|instructions)) <any>{0,6}(?:to|at|via|into) ",
            "~(?:<role>)?<send> (?:this|these|all|the|your|its|every|everything) <any>{0,6}(?:to|at) https? ",
            " <ask> <send> <any>{0,8}(?:to|at) https? ",
        ],
    ),
    (
        Kind::Conclusion,
        &[
            "(?:~| <ask> | and | then )(?:conclude|report|state|answer|reply|respond|write|declare|claim|summari[sz]e) (?:only )?(?:that |with |only |as )(?:everything|all|no |the (?:root )?cause|there (?:is|are) no|it is|this is|nothing|healthy|ok|false|resolved) ",
            " (?:your|the) <any>{0,2}(?:conclusion|analysis|report|verdict|answer|final answer) (?:must|should|shall|has to|needs to|will) (?:be|say|state|conclude|contain|begin|read|blame) ",
            " in your (?:final )?(?:answer|summary|conclusion|analysis|final report|response|reply|verdict) ",
            " you must not (?:investigate|look|check|examine|analy[sz]e|continue|call|use|report) ",
            " (?:do not|don t|stop) (?:investigate|investigating|analy[sz]e|analy[sz]ing|look|looking) <any>{0,3}(?:further|any more|anymore) ",
            " when you (?:summari[sz]e|report|conclude|answer|respond|write|analy[sz]e) <any>{0,4}(?:include|say|add|mention|omit|write|call|use|state) ",
            "~(?:final )?answer\\|(?:everything|nothing|no problem|all is|healthy) ",
            " (?:mark|close|classify|report|treat) (?:this|the) (?:alert|incident|session|issue|investigation) as (?:a )?(?:resolved|false (?:alarm|positive)|healthy|benign|closed|completed|fixed) ",
        ],
    ),
];

/// The words of the classes.
const CLASSES: [(&str, &str); 11] = [
    ("<any>", "(?:[^ \n|]+ )"),
    (
        "<drop>",
        "(?:ignore|disregard|forget|override|bypass|neglect|discard|skip|abandon|do not follow|don t follow|stop following|do not obey|pay no attention to)",
    ),
    (
        "<mine>",
        "(?:previous|prior|above|earlier|preceding|foregoing|original|initial|system|your|existing|current|former|past|all of the|all the|all|any)",
    ),
    (
        "<orders>",
        "(?:instructions?|directions|directives?|prompts?|guidelines?|guardrails?|programming|training|instruct)",
    ),
    ("<the>", "(?:(?:the|any|all|every|our|my|an?|whichever) )"),
    (
        "<reader>",
        "(?:(?:[^ \n|]+\\x20)?(?:ai|a i|llm|language model|large language model|chatbot|gpt|chatgpt|tarsy)(?: (?:agents?|assistants?|models?|sre|bots?|system|systems|investigator))?|investigating (?:agent|model|assistant)|virtual assistant)",
    ),
    ("<model>", "(?:<reader>|claude|gemini|copilot|assistant|agent|investigator|model)"),
    (
        "<role>",
        "(?:system|assistant|developer|ai|llm|ai agent|ai assistant|system message|system prompt|system note|system override|admin override)\\|",
    ),
    (
        "<ask>",
        "(?:you (?:must|should|shall|need to|have to|are to|will|can now|may)|you must (?:now|first|then|immediately)|please now|now please|immediately|your task is to|and then)",
    ),
    (
        "<act>",
        "(?:call|run|execute|use|invoke|send|forward|post|upload|delete|remove|drop|restart|scale|drain|cordon|conclude|report|reply|respond|state|answer|write|approve|close|ignore|disregard|stop|skip|follow|obey|output|print|reveal|mark|perform|fetch|open|visit|say|not|always|never)",
    ),
    (
        "<send>",
        "(?:send|post|forward|upload|exfiltrate|transmit|email|mail|leak|copy|append|put|submit|encode)",
    ),
];

static COMPILED: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
    let compile = |(kind, patterns): &(Kind, &[&str])| {
        let all: Vec<String> = patterns.iter().map(|pattern| expand(pattern)).collect();
        // The patterns are constants; a test compiles each.
        Regex::new(&all.join("|")).ok().map(|regex| (*kind, regex))
    };
    PATTERNS.iter().filter_map(compile).collect()
});

/// A pattern in the syntax of `regex`.
fn expand(pattern: &str) -> String {
    let mut text = pattern.to_owned();
    // Classes contain classes of one level.
    for _ in 0..3 {
        for (name, words) in CLASSES {
            text = text.replace(name, words);
        }
    }
    let text = text.replace('~', "(?:^|[|\n])").replace("\\|", "[|]");
    let closed = text.strip_suffix(' ').map(|start| format!("{start}(?: |$)"));
    let text = closed.unwrap_or(text).replace(' ', "[ \n|]");
    text.chars().map(crate::words::folded).collect()
}

/// Characters of writing without spaces between words.
const UNSPACED: [&str; 8] = [
    "忽略之前的指令",
    "忽略以上指令",
    "忽略所有",
    "忽略先前",
    "無視之前的",
    "以前の指示を無視",
    "これまでの指示を無視",
    "이전 지시를 무시",
];

/// Where phrases begin, as bytes of the words' text.
pub(crate) fn places(words: &Words) -> impl Iterator<Item = (Kind, usize)> + '_ {
    let spaced = COMPILED.iter().flat_map(|(kind, regex)| {
        regex.find_iter(&words.text).take(MAX_FINDINGS).map(|found| (*kind, found.start()))
    });
    let unspaced = UNSPACED.iter().flat_map(|phrase| {
        words.text.match_indices(phrase).take(MAX_FINDINGS).map(|(at, _)| (Kind::Override, at))
    });
    spaced.chain(unspaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for (kind, patterns) in PATTERNS {
            for pattern in patterns {
                let regex = Regex::new(&expand(pattern)).unwrap();
                assert!(!regex.is_match(""), "{kind:?}: {pattern}");
            }
        }
        assert_eq!(COMPILED.len(), PATTERNS.len());
    }
}
