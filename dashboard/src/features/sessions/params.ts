/** Filters, order and page of the session list, stored in the query string of the URL. */
import { noSelection, type SessionQuery } from '../../api/sessions';
import { REVIEW_FILTERS } from '../../lib/review';
import { TERMINAL } from '../../lib/status';
import { parseInZone, type TimeZone } from '../../lib/timeZone';

export const PAGE_SIZE = 25;
export const MIN_SEARCH = 3;

export const SORTS = ['created_at', 'status', 'alert_type', 'author', 'duration'] as const;
export type Sort = (typeof SORTS)[number];

export const FILTERS = [...TERMINAL] as const;

export interface ListParams {
  readonly status: readonly string[];
  readonly search: string;
  readonly alertType: string;
  readonly chain: string;
  readonly fingerprint: string;
  /** `reviewed`, `unreviewed`, or one of the reviews. */
  readonly review: string;
  readonly degraded: boolean;
  /** Dates in the chosen time zone, `2026-11-22`; empty for no bound. */
  readonly from: string;
  readonly to: string;
  readonly page: number;
  readonly sort: Sort;
  readonly order: 'asc' | 'desc';
}

/** A change of some parameters, or a function that returns it from the current ones. */
export type ListChange = Partial<ListParams> | ((current: ListParams) => Partial<ListParams>);

export const noFilter = {
  status: [],
  search: '',
  alertType: '',
  chain: '',
  fingerprint: '',
  review: '',
  degraded: false,
  from: '',
  to: '',
} as const;

export function readParams(params: URLSearchParams): ListParams {
  const statuses = (params.get('status') ?? '').split(',');
  const page = Number(params.get('page') ?? '1');
  const sort = params.get('sort');
  return {
    status: FILTERS.filter((status) => statuses.includes(status)),
    search: params.get('q') ?? '',
    alertType: params.get('type') ?? '',
    chain: params.get('chain') ?? '',
    fingerprint: params.get('fingerprint') ?? '',
    review: REVIEW_FILTERS.find((known) => known === params.get('review')) ?? '',
    degraded: params.get('degraded') === 'true',
    from: readDate(params.get('from')),
    to: readDate(params.get('to')),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    sort: SORTS.find((known) => known === sort) ?? 'created_at',
    order: params.get('order') === 'asc' ? 'asc' : 'desc',
  };
}

/** A moment, as the overview links to it; the fields of the list know days alone. */
export const isMoment = (text: string) => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text);

function readDate(text: string | null): string {
  if (text !== null && isMoment(text)) return text;
  return text !== null && startOf(text, 'utc') !== null ? text : '';
}

/** Writes the parameters that differ from their defaults. */
export function writeParams(list: ListParams): URLSearchParams {
  const params = new URLSearchParams();
  if (list.status.length > 0) params.set('status', list.status.join(','));
  const texts = [
    ['q', list.search],
    ['type', list.alertType],
    ['chain', list.chain],
    ['fingerprint', list.fingerprint],
    ['review', list.review],
    ['degraded', list.degraded ? 'true' : ''],
    ['from', list.from],
    ['to', list.to],
  ] as const;
  for (const [name, value] of texts) {
    if (value !== '') params.set(name, value);
  }
  if (list.page > 1) params.set('page', String(list.page));
  if (list.sort !== 'created_at') params.set('sort', list.sort);
  if (list.order !== 'desc') params.set('order', list.order);
  return params;
}

/** Midnight of a date; null when the text is not a date. */
function startOf(date: string, zone: TimeZone): Date | null {
  return /^\d{4}-\d{2}-\d{2}$/.test(date) ? parseInZone(`${date}T00:00:00`, zone) : null;
}

function startOfDay(date: string, zone: TimeZone): string {
  if (isMoment(date)) return date;
  return startOf(date, zone)?.toISOString() ?? '';
}

function endOfDay(date: string, zone: TimeZone): string {
  if (isMoment(date)) return date;
  const start = startOf(date, zone);
  if (start === null) return '';
  if (zone === 'utc') start.setUTCDate(start.getUTCDate() + 1);
  else start.setDate(start.getDate() + 1);
  return new Date(start.getTime() - 1).toISOString();
}

/** The API query. Without a status filter it selects all terminal statuses. */
export function toQuery(list: ListParams, zone: TimeZone): SessionQuery {
  const search = list.search.trim();
  // Swapped dates select the same range.
  const [from, to] =
    list.from !== '' && list.to !== '' && list.from > list.to
      ? [list.to, list.from]
      : [list.from, list.to];
  return {
    ...noSelection,
    status: list.status.length > 0 ? list.status : FILTERS,
    search: search.length >= MIN_SEARCH ? search : '',
    alertType: list.alertType,
    chain: list.chain,
    fingerprint: list.fingerprint,
    review: list.review,
    degraded: list.degraded,
    since: startOfDay(from, zone),
    until: endOfDay(to, zone),
    page: list.page,
    pageSize: PAGE_SIZE,
    sort: list.sort,
    order: list.order,
  };
}

export function isFiltered(list: ListParams): boolean {
  const { status, search, alertType, chain, fingerprint, review, degraded, from, to } = list;
  return (
    status.length > 0 ||
    degraded ||
    search.trim().length >= MIN_SEARCH ||
    [alertType, chain, fingerprint, review, from, to].some((text) => text !== '')
  );
}
