/** The list's state lives in the address: what is shared or reloaded shows the same. */
import type { SessionQuery } from '../../api/sessions';
import { TERMINAL } from '../../lib/status';

export const PAGE_SIZE = 25;
export const MIN_SEARCH = 3;

export const SORTS = ['created_at', 'status', 'alert_type', 'author', 'duration'] as const;
export type Sort = (typeof SORTS)[number];

export const FILTERS = [...TERMINAL] as const;

export interface ListParams {
  readonly status: readonly string[];
  readonly search: string;
  readonly alertType: string;
  /** Days of the reader's own calendar, `2026-11-22`; empty without a bound. */
  readonly from: string;
  readonly to: string;
  readonly page: number;
  readonly sort: Sort;
  readonly order: 'asc' | 'desc';
}

/** What becomes other; a function is told what stands now. */
export type ListChange = Partial<ListParams> | ((now: ListParams) => Partial<ListParams>);

/** What a list without a filter asks for. */
export const noFilter = { status: [], search: '', alertType: '', from: '', to: '' } as const;

export function readParams(params: URLSearchParams): ListParams {
  const chosen = (params.get('status') ?? '').split(',');
  const page = Number(params.get('page') ?? '1');
  const sort = params.get('sort');
  return {
    status: FILTERS.filter((status) => chosen.includes(status)),
    search: params.get('q') ?? '',
    alertType: params.get('type') ?? '',
    from: readDay(params.get('from')),
    to: readDay(params.get('to')),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    sort: SORTS.find((known) => known === sort) ?? 'created_at',
    order: params.get('order') === 'asc' ? 'asc' : 'desc',
  };
}

function readDay(text: string | null): string {
  return text !== null && startOf(text) !== null ? text : '';
}

/** Only what differs from the plain list is written. */
export function writeParams(list: ListParams): URLSearchParams {
  const params = new URLSearchParams();
  if (list.status.length > 0) params.set('status', list.status.join(','));
  if (list.search !== '') params.set('q', list.search);
  if (list.alertType !== '') params.set('type', list.alertType);
  if (list.from !== '') params.set('from', list.from);
  if (list.to !== '') params.set('to', list.to);
  if (list.page > 1) params.set('page', String(list.page));
  if (list.sort !== 'created_at') params.set('sort', list.sort);
  if (list.order !== 'desc') params.set('order', list.order);
  return params;
}

/** When a day begins where the reader is. */
function startOf(day: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null;
  const start = new Date(`${day}T00:00:00`);
  return Number.isNaN(start.getTime()) ? null : start;
}

function firstMoment(day: string): string {
  return startOf(day)?.toISOString() ?? '';
}

function lastMoment(day: string): string {
  const start = startOf(day);
  if (start === null) return '';
  start.setDate(start.getDate() + 1);
  return new Date(start.getTime() - 1).toISOString();
}

/** What is asked of the API; without a filter the history holds all that ended. */
export function toQuery(list: ListParams): SessionQuery {
  const search = list.search.trim();
  // Days the wrong way round mean the days between them all the same.
  const [from, to] =
    list.from !== '' && list.to !== '' && list.from > list.to
      ? [list.to, list.from]
      : [list.from, list.to];
  return {
    status: list.status.length > 0 ? list.status : FILTERS,
    search: search.length >= MIN_SEARCH ? search : '',
    alertType: list.alertType,
    since: firstMoment(from),
    until: lastMoment(to),
    page: list.page,
    pageSize: PAGE_SIZE,
    sort: list.sort,
    order: list.order,
  };
}

export function isFiltered(list: ListParams): boolean {
  const { status, search, alertType, from, to } = list;
  return (
    status.length > 0 ||
    search.trim().length >= MIN_SEARCH ||
    [alertType, from, to].some((text) => text !== '')
  );
}
