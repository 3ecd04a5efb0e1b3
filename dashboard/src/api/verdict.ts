/** The structured verdict of a session, a part of its detail. */
import {
  list,
  nullableNumber,
  nullableText,
  orNull,
  text,
  textOrEmpty,
  withDefault,
} from './fields';
import { z } from './zod';

const object = orNull(z.object({ kind: text, name: text, namespace: nullableText }));

const evidence = list(z.object({ call: z.number(), line: nullableNumber, text }));

const chart = z.object({
  call: z.number(),
  metric: text,
  object: textOrEmpty,
  unit: textOrEmpty,
  points: list(z.object({ at: text, value: z.number() })),
  change: orNull(z.object({ at: text, before: z.number(), after: z.number() })),
});

const change = z.object({
  id: nullableText,
  kind: text,
  object: nullableText,
  occurred_at: text,
  text,
});

const alternative = z.object({
  cause: text,
  category: textOrEmpty,
  object,
  because: textOrEmpty,
  evidence,
  change: orNull(change),
});

/** Null without one, from an API that has none, and when it cannot be read. */
export const verdict = orNull(
  z.object({
    outcome: withDefault(text, 'cause_found'),
    alert_statement: textOrEmpty,
    answer: textOrEmpty,
    cause: text,
    category: textOrEmpty,
    object,
    since: nullableText,
    confidence: textOrEmpty,
    evidence,
    change: orNull(change),
    alternatives: list(alternative),
    not_examined: list(z.object({ what: text, why: textOrEmpty })),
    next_steps: list(text),
    charts: list(chart),
    source: textOrEmpty,
  }),
);
