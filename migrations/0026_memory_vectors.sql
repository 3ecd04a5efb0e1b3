-- Vectors of memories, by which they are found by meaning. `tarsy migrate` adds the indexes where the server has pgvector.

-- One row for each memory.
create table memory_vectors (
    memory_id uuid primary key references memories (id) on delete cascade,
    -- Provider, model and length: vectors of another one are not comparable. Empty before the first claim.
    model text not null default '' check (char_length(model) <= 1000),
    -- When an orchestrator asked for it.
    claimed_at timestamptz not null default '-infinity',
    -- Null until it is there.
    embedding real[] check (cardinality(embedding) between 1 and 2000)
);

-- `claim_unembedded`: those without a vector.
create index memory_vectors_waiting on memory_vectors (claimed_at) where embedding is null;
-- The same: those of another model.
create index memory_vectors_model on memory_vectors (model) where embedding is not null;

insert into memory_vectors (memory_id) select id from memories;

-- The triggers below: a new memory waits for its vector, and one whose text changed does so again. The vector says what the
-- text was, which a person may have removed.
create function await_vector() returns trigger language plpgsql security definer as $$
begin
    insert into memory_vectors (memory_id) values (new.id)
    on conflict (memory_id) do update set model = '', claimed_at = '-infinity', embedding = null;
    return null;
end
$$;

create trigger await_vector after insert on memories for each row execute function await_vector();
create trigger await_other_vector after update of text, object, category on memories for each row
    when ((old.text, old.object, old.category) is distinct from (new.text, new.object, new.category))
    execute function await_vector();

-- A caller's own schema must not stand in for ours, and nobody calls what only triggers need.
do $$
begin
    execute format('alter function await_vector() set search_path = %I, pg_temp', current_schema());
    revoke execute on function await_vector() from public;
end
$$;
