-- Notes of alerts may quote what a source sent.
insert into redacted_columns (table_name, column_name, method) values ('intake_alerts', 'notes', 'json');
