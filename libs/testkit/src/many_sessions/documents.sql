-- What is searched, of every `seed.parts`th session from `seed.part` on: splitting texts into words takes the most time, so several
-- connections do it.
create temp view part as
select * from alert_sessions
where get_byte(uuid_send(id), 15) % current_setting('seed.parts')::int = current_setting('seed.part')::int;

insert into search_documents (id, session_id, session_created_at, kind, call_number, body)
select s.id, s.id, s.created_at, 'alert', null, alert_text(s) from alert_sessions s where s.id in (select id from part)
union all
select c.id, s.id, s.created_at, 'tool_call', 1, call_text(c) from mcp_interactions c join part s on s.id = c.session_id
union all
select e.id, s.id, s.created_at, 'final_analysis', null, e.content from timeline_events e join part s on s.id = e.session_id;

insert into session_words (session_id, words)
select s.id, session_words_of(s) from alert_sessions s where s.id in (select id from part);
