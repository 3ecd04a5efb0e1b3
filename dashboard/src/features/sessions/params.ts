/** Filters, order and page of the session list, stored in the query string of the URL. */
import { noSelection, type SessionQuery } from '../../api/sessions';
import { REVIEW_FILTERS } from '../../lib/session/review';
import { LEAST_SCORES } from '../../lib/session/score';
import { TERMINAL } from '../../lib/session/status';
import { readTimeRange, writeTimeRange, type TimeRange } from '../../lib/time/timeRanges';
import { TRIAGE } from '../../lib/session/triage';

export const PAGE_SIZE = 50;
export const MIN_SEARCH = 3;

export const SORTS = ['created_at', 'status', 'alert_type', 'author', 'duration', 'score'] as const;
export type Sort = (typeof SORTS)[number];

export const FILTERS = [...TERMINAL] as const;

export interface ListParams extends TimeRange {
  readonly status: readonly string[];
  readonly search: string;
  readonly alertType: string;
  readonly chain: string;
  readonly fingerprint: string;
  /** `reviewed`, `unreviewed`, or one of the reviews. */
  readonly review: string;
  /** The least score. */
  readonly scoreMin: string;
  readonly degraded: boolean;
  /** Whether sessions that have not ended are listed, too. */
  readonly open: boolean;
  readonly author: string;
  /** `new`, `taken` or `done`. */
  readonly triage: string;
  readonly assignee: string;
  /** Only what the user has taken or done. */
  readonly mine: boolean;
  readonly severity: string;
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
  scoreMin: '',
  degraded: false,
  open: false,
  author: '',
  triage: '',
  assignee: '',
  mine: false,
  severity: '',
  hours: 0,
  since: '',
  until: '',
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
    scoreMin: LEAST_SCORES.find((known) => known === params.get('score')) ?? '',
    degraded: params.get('degraded') === 'true',
    open: params.get('open') === 'true',
    author: params.get('author') ?? '',
    triage: TRIAGE.find((known) => known === params.get('triage')) ?? '',
    assignee: params.get('assignee') ?? '',
    mine: params.get('mine') === 'true',
    severity: params.get('severity') ?? '',
    ...readTimeRange(params),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    sort: SORTS.find((known) => known === sort) ?? 'created_at',
    order: params.get('order') === 'asc' ? 'asc' : 'desc',
  };
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
    ['score', list.scoreMin],
    ['degraded', list.degraded ? 'true' : ''],
    ['open', list.open ? 'true' : ''],
    ['author', list.author],
    ['triage', list.triage],
    ['assignee', list.assignee],
    ['mine', list.mine ? 'true' : ''],
    ['severity', list.severity],
    ...Object.entries(writeTimeRange(list)),
  ] as const;
  for (const [name, value] of texts) {
    if (value !== '') params.set(name, value);
  }
  if (list.page > 1) params.set('page', String(list.page));
  if (list.sort !== 'created_at') params.set('sort', list.sort);
  if (list.order !== 'desc') params.set('order', list.order);
  return params;
}

/** Without a filter, the terminal statuses; the API lists sessions of any status without one. */
function statusesOf({ status, open }: ListParams): readonly string[] {
  if (status.length > 0) return status;
  return open ? [] : FILTERS;
}

export function toQuery(list: ListParams): SessionQuery {
  const search = list.search.trim();
  const { since, until } = list;
  // Swapped moments select the same range.
  const isSwapped = since !== '' && until !== '' && since > until;
  return {
    ...noSelection,
    status: statusesOf(list),
    search: search.length >= MIN_SEARCH ? search : '',
    alertType: list.alertType,
    chain: list.chain,
    fingerprint: list.fingerprint,
    review: list.review,
    scoreMin: list.scoreMin,
    degraded: list.degraded,
    author: list.author,
    triage: list.triage,
    // The API refuses both.
    assignee: list.mine ? '' : list.assignee,
    mine: list.mine,
    severity: list.severity,
    hours: list.hours,
    since: isSwapped ? until : since,
    until: isSwapped ? since : until,
    page: list.page,
    pageSize: PAGE_SIZE,
    sort: list.sort,
    order: list.order,
  };
}

export function isFiltered(list: ListParams): boolean {
  const search = list.search.trim().length >= MIN_SEARCH ? list.search : '';
  const { page, sort, order } = readParams(new URLSearchParams());
  return writeParams({ ...list, search, page, sort, order }).size > 0;
}
