/** The structured verdict of a session, a part of its detail. */
import { list, nullableNumber, nullableText, text, textOrEmpty, withDefault } from './fields';
import { z } from './zod';

const object = withDefault(
  z.catch(z.nullish(z.object({ kind: text, name: text, namespace: nullableText })), null),
  null,
);

const evidence = list(z.object({ call: z.number(), line: nullableNumber, text }));

const chart = z.object({
  call: z.number(),
  metric: text,
  object: textOrEmpty,
  unit: textOrEmpty,
  points: list(z.object({ at: text, value: z.number() })),
  change: withDefault(
    z.catch(z.nullish(z.object({ at: text, before: z.number(), after: z.number() })), null),
    null,
  ),
});

const alternative = z.object({
  cause: text,
  category: textOrEmpty,
  object,
  because: textOrEmpty,
  evidence,
});

/** Null without one, from an API that has none, and when it cannot be read. */
export const verdict = withDefault(
  z.catch(
    z.nullish(
      z.object({
        outcome: withDefault(z.catch(z.string(), 'cause_found'), 'cause_found'),
        alert_statement: textOrEmpty,
        answer: textOrEmpty,
        cause: text,
        category: textOrEmpty,
        object,
        since: nullableText,
        confidence: textOrEmpty,
        evidence,
        alternatives: list(alternative),
        not_examined: list(z.object({ what: text, why: textOrEmpty })),
        next_steps: list(text),
        charts: list(chart),
        source: textOrEmpty,
      }),
    ),
    null,
  ),
  null,
);
