//! Words that stand for several keys.

use std::time::Duration;

use tarsy_catalog::{Env, ValueSource};

use crate::support::{load, refused, tarsy};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_preset_sets_the_keys_of_its_block_that_are_not_written() {
    let text = "defaults: {llm_timeouts: {preset: slow, stall: 5m}}\nsystem:\n  retention: {preset: short, \
                alert_retention_days: 3, record_retention_days: }\n";
    let catalog = tarsy(text);
    let limits = catalog.defaults.llm_timeouts;
    let minutes = [limits.first_token, limits.stall, limits.answer].map(|limit| limit / 60);
    assert_eq!(minutes, [10 * SECOND, 5 * SECOND, 30 * SECOND]);
    let kept = &catalog.system.retention;
    assert_eq!((kept.session_retention_days, kept.prompt_retention_days), (90, Some(14)));
    assert_eq!((kept.tool_result_retention_days, kept.record_retention_days), (Some(14), 30));
    assert_eq!((kept.alert_retention_days, kept.audit_retention_days), (3, 365));
    let at = |path: &str| {
        let found = catalog.values().iter().find(|value| value.path == path).unwrap();
        (found.value.clone(), found.source.clone())
    };
    let line = ValueSource::File { file: "tarsy.yaml".to_owned(), line: 3 };
    let of_preset = at("system.retention.session_retention_days");
    assert_eq!(of_preset, (Some("90".to_owned()), line), "it stands where the word does");

    let own = "llm_providers: {own: {type: openai, model: m, base_url: 'http://m', llm_timeouts: {preset: slow}}}\n";
    let chain = load("defaults: {llm_provider: own}\n", own, &Env::empty()).unwrap();
    let chain = chain.resolve_chain(Some("host"), None).unwrap();
    let limits = chain.stages[0].agents[0].provider.timeouts.unwrap();
    assert_eq!((limits.first_token_ms, limits.answer_ms), (600_000, 1_800_000));

    for wrong in ["{preset: fast}", "{preset: slow, answer: 5m}"] {
        let text = format!("defaults: {{llm_timeouts: {wrong}}}\n");
        let report = refused(&text, "");
        assert!(report.contains("defaults.llm_timeouts"), "{wrong}: {report}");
    }
}
