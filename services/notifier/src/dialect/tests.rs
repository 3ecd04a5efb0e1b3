use proptest::prelude::*;

use super::*;

#[test]
fn html_shows_markdown_and_no_markup_from_outside() {
    let text = fit("**Disk** <script>\n\n* `a<b`\n\n```\n&\n```", &Html, 1_000);
    let expected = "<p><strong>Disk</strong> &lt;script&gt;</p>\n<ul><li><code>a&lt;b</code></li></ul>\n\
                    <pre><code>&amp;</code></pre>";
    assert_eq!(text, expected);
    let text = fit("> ~~a~~\n\n|x|y|\n|-|-|\n|1|<2|", &Html, 1_000);
    let expected = "<blockquote><p><del>a</del></p></blockquote>\n<table><thead><tr><th>x</th><th>y</th></tr>\
                    </thead><tbody><tr><td>1</td><td>&lt;2</td></tr></tbody></table>";
    assert_eq!(text, expected);
}

#[test]
fn a_table_is_aligned_where_it_is_narrow_and_a_list_where_it_is_wide() {
    let narrow = "|Pod|Restarts|\n|---|--:|\n|`web-1`|12|\n|db|3|";
    let expected = "    Pod    Restarts\n    -----  --------\n    web-1  12\n    db     3";
    assert_eq!(fit(narrow, &Plain, 1_000), expected);
    let wide = format!("|Pod|Why|\n|---|---|\n|web|{}|", "x".repeat(90));
    assert_eq!(fit(&wide, &Plain, 1_000), format!("• Pod: web · Why: {}", "x".repeat(90)));
}

#[test]
fn findings_that_are_too_long_are_cut_between_characters_and_stay_well_formed() {
    for size in [60, 200, 1_000] {
        let text = fit(&"**ä<b** `c`\n\n".repeat(500), &Html, size);
        assert!(text.len() <= size, "{} of {size}", text.len());
        assert!(text.ends_with("<p>… (more in the session)</p>"), "{text}");
        assert_eq!(text.matches("<strong>").count(), text.matches("</strong>").count());
    }
}

/// Markdown as models write it, and worse.
pub(crate) fn markdown() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-z]{1,9} ",
        1 => Just("\n\n".to_owned()),
        1 => Just("\n".to_owned()),
        1 => Just("\n```sh\ndf -h *x* <y>\n".to_owned()),
        1 => Just("```\n".to_owned()),
        1 => Just("\n|Pod|Why|\n|---|---|\n|a_b|2*3*4|\n|c|`d|\n".to_owned()),
        1 => Just("\n> quoted\n> > deeper\n".to_owned()),
        1 => Just("\n* one\n  1. **two**\n".to_owned()),
        1 => Just("\n## Head *ing*\n".to_owned()),
        1 => Just("[x](https://a.example/b_c?d=e|f) ".to_owned()),
        1 => Just("~~gone~~ snake_case_name 2*3*4 ".to_owned()),
        1 => Just("<!channel> <@U1> @here &amp; \u{1b}[31m".to_owned()),
        2 => "[*_~`<>&|#\\[\\]()!\\\\ \n-]{1,6}",
        1 => "\\PC{0,12}",
    ];
    proptest::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn any_markdown_fits_and_is_well_formed(text in markdown(), max in 60_usize..3_000) {
        let plain = fit(&text, &Plain, max);
        prop_assert!(plain.len() <= max, "{} of {max}: {plain}", plain.len());
        let html = fit(&text, &Html, max);
        prop_assert!(html.len() <= max, "{} of {max}: {html}", html.len());
        for tag in ["p", "strong", "em", "del", "code", "pre", "li", "blockquote", "table", "td"] {
            let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
            prop_assert_eq!(html.matches(&open).count(), html.matches(&close).count(), "{}", tag);
        }
    }
}
