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
  readonly page: number;
  readonly sort: Sort;
  readonly order: 'asc' | 'desc';
}

export function readParams(params: URLSearchParams): ListParams {
  const chosen = (params.get('status') ?? '').split(',');
  const page = Number(params.get('page') ?? '1');
  const sort = params.get('sort');
  return {
    status: FILTERS.filter((status) => chosen.includes(status)),
    search: params.get('q') ?? '',
    page: Number.isInteger(page) && page > 0 ? page : 1,
    sort: SORTS.find((known) => known === sort) ?? 'created_at',
    order: params.get('order') === 'asc' ? 'asc' : 'desc',
  };
}

/** Only what differs from the plain list is written. */
export function writeParams(list: ListParams): URLSearchParams {
  const params = new URLSearchParams();
  if (list.status.length > 0) params.set('status', list.status.join(','));
  if (list.search !== '') params.set('q', list.search);
  if (list.page > 1) params.set('page', String(list.page));
  if (list.sort !== 'created_at') params.set('sort', list.sort);
  if (list.order !== 'desc') params.set('order', list.order);
  return params;
}

/** What is asked of the API; without a filter the history holds all that ended. */
export function toQuery(list: ListParams): SessionQuery {
  const search = list.search.trim();
  return {
    status: list.status.length > 0 ? list.status : FILTERS,
    search: search.length >= MIN_SEARCH ? search : '',
    page: list.page,
    pageSize: PAGE_SIZE,
    sort: list.sort,
    order: list.order,
  };
}

export function isFiltered(list: ListParams): boolean {
  return list.status.length > 0 || list.search.trim().length >= MIN_SEARCH;
}
