/** Calls that change something: what they are meant to do, and what became of them. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { flag, list, nullableNumber, nullableText, orNull, text, textOrEmpty } from './fields';
import { z } from './zod';

const call = z.object({
  server_name: textOrEmpty,
  tool_name: textOrEmpty,
  arguments: z.optional(z.unknown()),
});

const expectation = z.object({
  pointer: nullableText,
  kind: text,
  value: z.optional(z.unknown()),
});

const plan = z.object({
  effect: text,
  check: orNull(z.object({ call, expected: expectation })),
  rollback: orNull(z.object({ call, expected: orNull(expectation) })),
});

const dryRun = z.object({ result: textOrEmpty, failed: flag });

const action = z.extend(plan, {
  id: text,
  call_number: nullableNumber,
  call,
  dry_run: orNull(dryRun),
  /** `open`, `not_made` or `ended`. */
  state: text,
  /** `worked`, `did_not_work` or `unknown`. */
  outcome: nullableText,
  reason: nullableText,
  /** What the check read before the call. */
  before: orNull(z.object({ call_number: nullableNumber, observed: nullableText })),
  /** What it read afterwards. */
  observed: nullableText,
  alert_answer: nullableText,
  rollback_by: nullableText,
  may_roll_back: flag,
});

export type PlannedCall = z.infer<typeof call>;
export type Expectation = z.infer<typeof expectation>;
export type ActionPlan = z.infer<typeof plan>;
export type DryRun = z.infer<typeof dryRun>;
export type Action = z.infer<typeof action>;

/** What an agent says of a call; null of one without a plan. */
export const readPlan = (value: unknown): ActionPlan | null => orNull(plan).parse(value);

/** Text that addresses a model; of no call, if the alert has it. */
const injected = z.object({ call: nullableNumber, text });

export type Injected = z.infer<typeof injected>;

/** Null of a session without such text. */
export const readInjected = (value: unknown): Injected | null => orNull(injected).parse(value);

export const readDryRun = (value: unknown): DryRun | null => orNull(dryRun).parse(value);

export const readActions = (value: unknown): readonly Action[] => {
  const parsed = list(action).safeParse(value);
  return parsed.success ? parsed.data : [];
};

/** Has an action taken back, which approves the call that does. */
export function rollBack(session: string, id: string) {
  return request(z.object({ stage_id: text }), endpoints.rollback(session, id), { method: 'POST' });
}
