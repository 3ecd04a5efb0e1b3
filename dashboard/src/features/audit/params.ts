/** Filters and position in the audit log, stored in the query string of the URL. */
import type { AuditEntry, AuditQuery } from '../../api/auditLog';
import { parseInZone, type TimeZone } from '../../lib/time/timeZone';

export const PAGE_SIZE = 50;

export const OUTCOMES = ['allowed', 'denied', 'failed'] as const;

export interface AuditParams {
  readonly who: string;
  readonly action: string;
  readonly outcome: string;
  /** Times of the chosen time zone, to the minute, `2026-11-22T10:30`; empty for no bound. */
  readonly from: string;
  readonly to: string;
  /** Only entries older than the one with this id; empty for the newest. */
  readonly before: string;
}

export const noFilter = { who: '', action: '', outcome: '', from: '', to: '' } as const;

const names = ['who', 'action', 'outcome', 'from', 'to', 'before'] as const;

export function readParams(params: URLSearchParams): AuditParams {
  const outcome = params.get('outcome');
  return {
    who: params.get('who') ?? '',
    action: params.get('action') ?? '',
    outcome: OUTCOMES.find((known) => known === outcome) ?? '',
    from: readTime(params.get('from')),
    to: readTime(params.get('to')),
    before: params.get('before') ?? '',
  };
}

export function writeParams(list: AuditParams): URLSearchParams {
  return new URLSearchParams(
    names.flatMap((name) => (list[name] === '' ? [] : [[name, list[name]]])),
  );
}

export function isFiltered(list: AuditParams): boolean {
  return [list.who, list.action, list.outcome, list.from, list.to].some((text) => text !== '');
}

export function toQuery(list: AuditParams, zone: TimeZone): AuditQuery {
  // Swapped times select the same range.
  const [from, to] =
    list.from !== '' && list.to !== '' && list.from > list.to
      ? [list.to, list.from]
      : [list.from, list.to];
  return {
    principal: list.who.trim(),
    action: list.action.trim(),
    outcome: list.outcome,
    since: startOfMinute(from, zone)?.toISOString() ?? '',
    until: endOfMinute(to, zone),
    before: list.before,
    limit: PAGE_SIZE,
  };
}

/** The entry that older ones come before; null on the last page. */
export function lastOf(entries: readonly AuditEntry[]): string | null {
  return entries.length < PAGE_SIZE ? null : (entries.at(-1)?.id ?? null);
}

function readTime(text: string | null): string {
  return text !== null && startOfMinute(text, 'utc') !== null ? text : '';
}

/** A minute; null when the text is not one. */
function startOfMinute(text: string, zone: TimeZone): Date | null {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text) ? parseInZone(text, zone) : null;
}

function endOfMinute(text: string, zone: TimeZone): string {
  const start = startOfMinute(text, zone);
  return start === null ? '' : new Date(start.getTime() + 59_999).toISOString();
}
