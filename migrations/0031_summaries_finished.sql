-- Whether summarizers completed something lately: owners whose summaries wait ask for it.
create index summaries_finished on summaries (finished_at) where status = 'completed';
