-- A message that asks a model to go on from what came of an answer whose time was up. Text before it and text after it are one
-- answer.
alter table messages add column continues boolean not null default false;
