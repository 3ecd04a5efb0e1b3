//! Expressions in Go's syntax, as operators write them for tokens, keys, addresses and names, keep their meaning.

use tarsy_masking::{CustomPattern, Error, Masker};

fn custom(pattern: &str) -> CustomPattern {
    CustomPattern {
        pattern: pattern.to_owned(),
        replacement: "#".to_owned(),
        description: String::new(),
    }
}

/// A text after the expression was replaced in it by `#`.
fn masked(pattern: &str, text: &str) -> String {
    let masker = Masker::builder().custom(custom(pattern)).build();
    let masker = masker.unwrap_or_else(|error| panic!("{pattern}: {error}"));
    masker.mask(text).expect("maskable").text.into_owned()
}

/// An expression, a text, and what Go's `ReplaceAllString` with `#` makes of it.
const TOKENS: [(&str, &str, &str); 20] = [
    (r"tok_\w{20,200}", "tok_0123456789abcdefghij!", "#!"),
    (r"sk-\w{20,100}", "key sk-abcdefghijklmnopqrstuvwx.", "key #."),
    (r"\b\w{32,64}\b", "id 0123456789abcdef0123456789abcdef end", "id # end"),
    (r"(?i)bearer\s+[\w-.~+/]{16,1000}=*", "Bearer abc.def-ghi~jkl+mno/pq==", "#"),
    (r"xox[baprs]-[\w-]{10,250}", "xoxb-123456789012-abc,", "#,"),
    (r"gh[pousr]_\w{36,255}", "ghp_0123456789abcdefghijABCDEFGHIJ012345 x", "# x"),
    (r"glpat-[\w-]{20,}", "glpat-abcdefghij0123456789", "#"),
    (
        r"eyJ[\w-]{10,1000}\.[\w-]{10,1000}\.[\w-]{10,1000}",
        "a eyJhbGciOiJIUz.eyJzdWIiOiIx.abcdefghijkl b",
        "a # b",
    ),
    (r"AKIA[0-9A-Z]{16}", "AKIAIOSFODNN7EXAMPLE", "#"),
    (r"ya29\.[\w-]{20,1000}", "ya29.a0AfH6SMBx-abcdefghijkl", "#"),
    (r"hvs\.[\w-]{24,200}", "hvs.CAESIJabcdefghijklmnopqrs", "#"),
    (r"npm_\w{36}", "npm_abcdefghijklmnopqrstuvwxyz0123456789", "#"),
    (r"\QX-Api-Key: \E\S{8,200}", "X-Api-Key: s3cr3t-value-é!", "#"),
    (r"\Q$key[\E\d{1,1000}\]", "$key[4711] $key[x]", "# $key[x]"),
    (r"(?P<token>session)=\w{1,1000};", "session=abc; other", "# other"),
    (r"ticket\.\x41[\x30-\x39]{1,500}", "ticket.A0042", "#"),
    (r"otp:\d{6,8}\b", "otp:123456 otp:12", "# otp:12"),
    (r"[[:xdigit:]]{40,128}", "sha 0123456789abcdef0123456789abcdef01234567.", "sha #."),
    (r"refresh\.\w{1,64}\.\w{1,64}\.\w{1,64}", "refresh.a.b.c/", "#/"),
    (r"pat:(?U:\w{4,1000})-", "pat:abcdef-rest", "#rest"),
];

const KEYS: [(&str, &str, &str); 20] = [
    (
        r"(?s)-----BEGIN [\w ]{1,40}-----.{1,1000}?-----END [\w ]{1,40}-----",
        "-----BEGIN X KEY-----\nabc\n-----END X KEY-----.",
        "#.",
    ),
    (r#""password"\s*:\s*"[^"]{1,1000}""#, r#"{"password" : "pässwörd"}"#, "{#}"),
    (r#"{"secret":"[^"]+"}"#, r#"x {"secret":"abc"} y"#, "x # y"),
    (r"{{\s*\.Values\.\w{1,100}\s*}}", "{{ .Values.password }}", "#"),
    (r"\${\w{1,64}}", "path ${DB_PASSWORD}/x", "path #/x"),
    (r"<password>[^<]{1,1000}</password>", "<password>hünter2</password>", "#"),
    (r"[^[]{3,200}\[secret\]", "abc[secret] d", "# d"),
    (r"key=[^]]{1,1000}]", "[key=abc] x", "[# x"),
    (r"key[[{(]\w{1,300}[]})]", "key{abc} key[d] key(e)", "# # #"),
    (r"pw:[\w-+]{2,100}", "pw:a+-b!", "#!"),
    (r"[a-z-9_]{3,100}\.key", "in ab-9_c.key", "in #"),
    (r"pass(?:word|phrase)?\s*[:=]\s*\S{1,1000}", "passphrase = geheim\u{e4}\u{2014}x y", "# y"),
    (r"AccountKey=[\w+/]{20,1000}={0,2}", "AccountKey=abcdefghijklmnopqrst+/==;", "#;"),
    (r"-p\W{1,3}\w{4,1000}", "mysql -p hunter2 db", "mysql # db"),
    (r"k\055\w{1,1000}", "k-abc", "#"),
    (r"[\060-\071]{9,1000}", "nr 123456789.", "nr #."),
    (r"\x{6B}ey\072\w{1,1000}", "key:abc", "#"),
    (r"secret_\D{1,1000}\d{1,10}", "secret_\u{fc}ab12 x", "# x"),
    (r"(\w{1,30}_){1,3}KEY=\S{1,200}", "MY_APP_KEY=abc rest", "# rest"),
    (r"@@[^@\s]{1,1000}@@", "a @@s\u{e9}cret@@ b", "a # b"),
];

const NAMES: [(&str, &str, &str); 20] = [
    (r"[\w-.]+@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}", "to bob.x-y@mail.example.com now", "to # now"),
    (
        r"\b[\w.%+-]{1,64}@example\.(?:com|org)\b",
        "bob@example.org, eve@other.org",
        "#, eve@other.org",
    ),
    (r"\b(?:\d{1,3}\.){3}\d{1,3}\b", "at 10.20.30.40:80", "at #:80"),
    (r"(?i)\b[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){2,7}", "fe80::1 up", "# up"),
    (r"\b\w{1,63}(?:\.\w{1,63}){0,5}\.corp\.internal\b", "db01.eu.corp.internal:5432", "#:5432"),
    (r"https?://[^\s/]{1,255}/\S{0,1000}", "see https://x.example/a?b=\u{e9} now", "see # now"),
    (r"\bCUST-\d{1,1000}\b", "CUST-0815 xCUST-1", "# xCUST-1"),
    (r"\+\d{1,3}[\s\d-]{6,20}\d", "call +49 170 123-4567 or", "call # or"),
    (r"\b[A-Z]{2}\d{2}(?:\s?\w{4}){3,7}\b", "IBAN DE89 3704 0044 0532 0130 00 ok", "IBAN # 00 ok"),
    (r"\b(?:\d[ -]*?){13,16}\b", "card 4111 1111 1111 1111.", "card #."),
    (r"\p{Lu}\p{Ll}{1,40} \p{Lu}\p{Ll}{1,40}", "by J\u{fc}rgen M\u{fc}ller today", "by # today"),
    (r"\p{^Greek}{3,40}\x{3B1}", "abc\u{3b1}\u{3b2}", "#\u{3b2}"),
    (r"\pN{4,100}", "pin 1234", "pin #"),
    (r"user:\w{1,64}\B-", "user:abc--x", "user:abc--x"),
    (r"\Quser[\E\w{1,64}\Q]\E", "user[bob] x", "# x"),
    (r"(?m)^login: \w{1,1000}$", "a\nlogin: bob\nb", "a\n#\nb"),
    (r"\bnode-\w{1,63}\W", "node-abc\u{2014}x node-e.", "#x #"),
    (r"[^\W\d_]{2,200}@", "ab@ 1@", "# 1@"),
    (r"host=[^;]{1,1000};", "host=gr\u{f6}\u{df}e;port=1", "#port=1"),
    (r"/home/[^/\s]{1,255}", "in /home/ren\u{e9}/x", "in #/x"),
];

#[test]
fn sixty_patterns_in_gos_syntax_mask_what_go_masks() {
    let all: Vec<_> = TOKENS.iter().chain(&KEYS).chain(&NAMES).collect();
    assert_eq!(all.len(), 60);
    let wrong: Vec<String> = all
        .into_iter()
        .filter_map(|(pattern, text, expected)| {
            let got = masked(pattern, text);
            (got != *expected).then(|| format!("{pattern}: {text:?} became {got:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_repeat_that_go_allows_compiles() {
    for class in [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", "[^a]", ".", r"[\w-.]", "(?i:[a-z])"] {
        for repeat in ["{1,1000}", "{1000}", "{20,1000}", "{1000,}"] {
            let pattern = format!("x{class}{repeat}");
            custom(&pattern).check().unwrap_or_else(|error| panic!("{pattern}: {error}"));
        }
    }
}

#[test]
fn repeats_of_unicodes_classes_compile_and_mask_no_less() {
    for class in [r"\pL", r"\PL", r"[\pL\pN_]", r"\p{Greek}", r"[^\pL]"] {
        for repeat in ["{1,200}", "{1,1000}", "{20,1000}", "{3,1000}?"] {
            let pattern = format!("x{class}{repeat}");
            custom(&pattern).check().unwrap_or_else(|error| panic!("{pattern}: {error}"));
        }
    }
    assert_eq!(masked(r"id=[\pL\pN_]{20,1000};", "id=\u{fc}0123456789abcdefghij; x"), "# x");
    assert_eq!(masked(r"<\pL{3,1000}?>", "<\u{fc}bc> <ab>"), "# <ab>");
}

#[test]
fn what_both_accept_and_read_differently_is_masked_as_either_reads_it() {
    for (pattern, text, expected) in [
        (r"\<password\>[^<]{1,100}\</password\>", "<password>x</password>", "#"),
        (r"\[[^[\s]+]", "see [s3cr3t] here", "see # here"),
        (r"[[a-z]+=\d+", "x [abc=12 y", "x # y"),
        (r"k[&&ab]+;", "k&a&b; y", "# y"),
        (r"[+--]{3,9}\d+", "x +,-7 y", "x # y"),
    ] {
        assert_eq!(masked(pattern, text), expected, "{pattern}");
    }
    // What `regex` reads in them is still masked.
    assert_eq!(masked(r"\<tok\w+\>", "a tokabc b"), "a # b");
}

#[test]
fn a_group_may_have_a_name_that_begins_with_a_digit() {
    for reference in ["${1st}", "$1st"] {
        let pattern = CustomPattern {
            pattern: r"(?P<1st>user=)\w+".to_owned(),
            replacement: format!("{reference}#"),
            description: String::new(),
        };
        let masker = Masker::builder().custom(pattern).build().expect("compiles");
        let text = masker.mask("user=bob x").expect("maskable").text;
        assert_eq!(text, "user=# x", "{reference}");
    }
}

#[test]
fn what_was_accepted_keeps_the_classes_of_unicode() {
    for (pattern, text) in
        [(r"p=\w+", "p=h\u{fc}nter"), (r"\bk\b", "\u{fc}k"), (r"p=\d+", "p=\u{664}\u{662}")]
    {
        let unicode = regex::Regex::new(pattern).expect("valid");
        assert_eq!(masked(pattern, text), unicode.replace_all(text, "#"), "{pattern}");
    }
    assert_eq!(masked("[a-z&&[^b]]+x", "abcx"), "ab#");
}

#[test]
fn classes_without_and_within_brackets_are_whole_characters() {
    // `\w` of Go is ASCII, so that its opposite has the letters of all other alphabets.
    assert_eq!(masked(r"a\W{1,300}b\w{0,300}", "a\u{fc}\u{5b57}b"), "#");
    assert_eq!(masked(r"a[^\w]{1,300}b\w{0,300}", "a\u{fc}\u{5b57}b"), "#");
    assert_eq!(masked(r"a[\W\w]{1,300}b\w{0,300}", "a\u{fc}x\u{5b57}b"), "#");
    assert_eq!(masked(r"a[^b]{1,300}b\w{0,300}", "a\u{5b57}b"), "#");
}

#[test]
fn expressions_that_are_too_large_or_wrong_are_different_errors() {
    let error = custom(r"(?:\pL{500}x){500}").check().expect_err("too large");
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    assert!(error.to_string().contains("takes more than 8 MiB"), "{error}");
    for pattern in [r"(a)\1", r"(?=a)b", "[a", r"a\8", r"\w{20,200}(", "[z-a]", r"[\Qa\E]"] {
        let error = custom(pattern).check().expect_err(pattern);
        assert!(matches!(error, Error::BadPattern { .. }), "{pattern}: {error}");
    }
}

#[test]
fn groups_of_the_match_are_those_of_the_expression_as_it_was_written() {
    let pattern = CustomPattern {
        pattern: r"(\Qtok[\E)(?P<rest>\w{20,200})".to_owned(),
        replacement: "${1}#".to_owned(),
        description: String::new(),
    };
    let masker = Masker::builder().custom(pattern).build().expect("compiles");
    let text = masker.mask("tok[0123456789abcdefghij]").expect("maskable").text;
    assert_eq!(text, "tok[#]");
}
