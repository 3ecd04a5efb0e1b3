-- How an investigation ended, and what became of the alert's own statement.

-- The defaults are for services of the version before, during an upgrade.
alter table verdicts
    add column outcome text not null default 'cause_found'
        check (outcome in ('cause_found', 'no_fault_found', 'not_examinable')),
    add column alert_statement text not null default 'not_visible'
        check (alert_statement in ('confirmed', 'not_confirmed', 'not_visible')),
    -- What became of it, in a sentence; empty if the author wrote none.
    add column answer text not null default '' check (char_length(answer) <= 500);

-- What no evidence decides is a hint. Verdicts from before did not say what became of the alert's statement: what is
-- stated as its cause explains it.
update verdicts set outcome = 'no_fault_found', alert_statement = 'not_confirmed' where confidence = 'low';
update verdicts set alert_statement = 'confirmed' where confidence <> 'low';

alter table verdicts drop constraint verdicts_cause_check;
-- Without a stated cause it is the weakest hint, or empty.
alter table verdicts add constraint verdicts_cause_check check (char_length(cause) <= 500);
alter table verdicts add constraint verdicts_outcome_cause_check
    check (outcome <> 'cause_found' or cause <> '');

insert into redacted_columns (table_name, column_name, method, max_characters)
    values ('verdicts', 'answer', 'text', 500);

create or replace function verdict_text(v verdicts) returns text language sql stable as $$
    select left(concat_ws(E'\n', nullif(v.answer, ''), nullif(v.cause, ''),
        concat_ws(' ', v.category, v.object_kind, v.object_namespace, v.object_name), (
        select string_agg(e.text, E'\n' order by e.ordinal) from verdict_evidence e where e.verdict_id = v.id
    )), 20000)
$$;
