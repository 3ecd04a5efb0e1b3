/** Investigations that begin by the calendar. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { flag, list, nullableText, text, textOrEmpty } from './fields';
import { z } from './zod';

const run = z.object({
  /** The time that the schedule names, or when a person asked for it. */
  due_at: text,
  /** `started`, `missed`, `still_running` or `tokens_used_up`. */
  outcome: textOrEmpty,
  requested_by: nullableText,
  session_id: nullableText,
  status: nullableText,
  /** `cause_found`, `no_fault_found` or `not_examinable`. */
  verdict: nullableText,
  cause: nullableText,
});

const schedule = z.object({
  name: text,
  title: textOrEmpty,
  cron: textOrEmpty,
  /** `cron` in words. */
  description: textOrEmpty,
  time_zone: textOrEmpty,
  alert_type: nullableText,
  suspended: flag,
  /** `changed`, `problems`, `always` or `never`. */
  notify: textOrEmpty,
  next_runs: list(text),
  /** The newest first. */
  runs: list(run),
});

export type Schedule = z.infer<typeof schedule>;
export type ScheduleRun = z.infer<typeof run>;

export function getSchedules(signal?: AbortSignal) {
  return request(z.object({ schedules: list(schedule) }), endpoints.schedules, { signal });
}

export function runSchedule(name: string) {
  return request(z.object({ session_id: text }), endpoints.scheduleRuns(name), { method: 'POST' });
}
