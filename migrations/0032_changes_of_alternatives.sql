-- The change that would explain an alternative of a verdict, as that of `verdicts`.

alter table verdict_alternatives
    add column change_id uuid,
    add column change_kind text check (change_kind in (
        'deployment', 'configuration', 'secret', 'scaling', 'node', 'release', 'feature_flag', 'commit', 'package', 'unit',
        'kernel', 'other'
    )),
    add column change_object text check (char_length(change_object) between 1 and 253),
    add column change_service text check (char_length(change_service) between 1 and 253),
    add column change_text text check (char_length(change_text) <= 500),
    add column changed_at timestamptz,
    add constraint verdict_alternatives_change_check check (
        num_nulls(change_id, change_kind, change_text, changed_at) in (0, 4)
        and (change_id is not null or num_nulls(change_object, change_service) = 2)
    );

insert into redacted_columns (table_name, column_name, method, max_characters) values
    ('verdict_alternatives', 'change_object', 'text', 253),
    ('verdict_alternatives', 'change_service', 'text', 253),
    ('verdict_alternatives', 'change_text', 'text', 500);
