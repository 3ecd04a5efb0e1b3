//! Words, names and ages in texts.

use std::sync::LazyLock;

use regex::Regex;

/// Seconds of an age as kubectl writes it: `6m12s`, `5d3h`, `75s (x12 over 3m)`, `<unknown>` is none.
pub(crate) fn age_seconds(text: &str) -> Option<f64> {
    let word = text.split_whitespace().next()?;
    let (mut total, mut number, mut units) = (0.0, String::new(), 0);
    for c in word.chars() {
        if c.is_ascii_digit() || c == '.' {
            number.push(c);
            continue;
        }
        let unit = match c {
            's' => 1.0,
            'm' => 60.0,
            'h' => 3_600.0,
            'd' => 86_400.0,
            'y' => 31_536_000.0,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * unit;
        number.clear();
        units += 1;
    }
    (units > 0 && number.is_empty()).then_some(total)
}

/// A quantity as Kubernetes writes it: `2`, `500m`, `10Gi`.
pub(crate) fn quantity(text: &str) -> Option<f64> {
    const UNITS: &[(&str, f64)] = &[
        ("m", 0.001),
        ("Ki", 1_024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
    ];
    let unit = UNITS.iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, *size)));
    let (number, size) = unit.unwrap_or((text, 1.0));
    Some(number.trim().parse::<f64>().ok()? * size)
}

/// A text without what differs between repetitions: digits, and words that hold some.
pub(crate) fn template(text: &str) -> String {
    let mut short = String::with_capacity(text.len().min(200));
    for word in text.split_whitespace().take(40) {
        if !word.contains(|c: char| c.is_ascii_digit()) || word.contains("HTTP") {
            short.push_str(word);
        } else {
            short.extend(word.chars().filter(|c| !c.is_ascii_hexdigit()));
        }
        short.push(' ');
    }
    short
}

/// The name of what owns a pod, by the pod's name: `cart` of `cart-7d4b9c6f5d-x2x8p`, `db` of `db-0`.
pub fn owner_name(pod: &str) -> &str {
    static DEPLOYED: LazyLock<Regex> = regex!(r"^(.+?)-[a-f0-9]{5,10}-[a-z0-9]{4,5}$");
    static NUMBERED: LazyLock<Regex> =
        regex!(r"^(.+?)-(?:\d{1,3}|[bcdfghjklmnpqrstvwxz2456789]{5})$");
    static OF_REPLICA_SET: LazyLock<Regex> = regex!(r"^(.+?)-[bcdf0-9]*\d[a-f0-9]{5,9}$");
    let found = DEPLOYED.captures(pod).or_else(|| NUMBERED.captures(pod));
    let found = found.or_else(|| OF_REPLICA_SET.captures(pod));
    found.and_then(|found| found.get(1)).map_or(pod, |name| name.as_str())
}

/// A name in small letters without what naming conventions add: `productcatalog` of `product-catalog-service`.
pub(crate) fn bare_name(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace(['-', '_', '.', ' '], "");
    let name = name.strip_suffix("service").filter(|rest| rest.len() > 2).unwrap_or(&name);
    name.to_owned()
}

/// Whether two names mean the same workload.
pub(crate) fn same_name(one: &str, other: &str) -> bool {
    !one.is_empty() && (one == other || bare_name(one) == bare_name(other))
}

/// A list for a sentence: `a, b and c`.
pub(crate) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A quotation as a code span, whatever it contains.
pub(crate) fn code(text: &str) -> String {
    let flat = text.replace(['\r', '\n'], " ");
    let longest = flat.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    if longest == 0 {
        return format!("`{flat}`");
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence} {flat} {fence}")
}

/// A pattern that is compiled once.
macro_rules! regex {
    ($pattern:expr) => {
        std::sync::LazyLock::new(|| crate::text::compile($pattern))
    };
}
pub(crate) use regex;

/// Text without Markdown and citations.
pub(crate) fn plain(text: &str) -> String {
    static CITED: LazyLock<Regex> = regex!(r"\s*\[(?:call \d+|given)\]");
    static LINK: LazyLock<Regex> = regex!(r"\[([^\]]*)\]\([^)]*\)");
    static MARKS: LazyLock<Regex> = regex!(r"\*{2,3}|`+|^#{1,6}\s+|^>\s?|^\s*[-*]\s+|^_|_$");
    let text = LINK.replace_all(text, "$1");
    let text = CITED.replace_all(&text, "");
    let text = MARKS.replace_all(&text, "");
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace(['*', '#'], "")
}

/// Compiles a pattern of this crate; one that is invalid matches nothing, and a test finds it.
pub(crate) fn compile(pattern: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "the patterns are constants, and a test compiles each")]
    Regex::new(pattern).expect("a pattern of this crate")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_as_kubernetes_writes_them() {
        assert_eq!((quantity("1Ki"), quantity("500m")), (Some(1_024.0), Some(0.5)));
        assert!(quantity("500Gi") > quantity("10Gi") && quantity("1T") < quantity("1Ti"));
        assert_eq!(quantity("much"), None);
    }

    #[test]
    fn ages_are_read_as_kubectl_writes_them() {
        assert_eq!(age_seconds("6m12s"), Some(372.0));
        assert_eq!(age_seconds("75s (x12 over 3m)"), Some(75.0));
        assert_eq!(age_seconds("<unknown>"), None);
        assert_eq!(age_seconds("web-1"), None);
    }

    #[test]
    fn a_pod_is_named_after_its_owner() {
        assert_eq!(owner_name("cart-7d4b9c6f5d-x2x8p"), "cart");
        assert_eq!(owner_name("postgres-0"), "postgres");
        assert_eq!(owner_name("node-exporter-kx7pq"), "node-exporter");
        assert_eq!(owner_name("frontend"), "frontend");
        assert_eq!(owner_name("image-provider-6f7d9c8b5f"), "image-provider");
    }

    #[test]
    fn names_are_compared_without_conventions() {
        assert!(same_name("product-catalog", "ProductCatalogService"));
        assert!(!same_name("cart", "checkout"));
    }

    #[test]
    fn repetitions_have_one_template() {
        assert_eq!(template("12:01 took 5ms"), template("12:02 took 17ms"));
        assert_ne!(template("a failed"), template("b failed"));
    }
}
