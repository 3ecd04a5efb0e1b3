/** What is searched for, stored in the query string of the URL. */
import type { SearchQuery } from '../../api/search';
import { noSessionFilter } from '../../api/sessions';
import { REVIEW_FILTERS } from '../../lib/review';
import { TERMINAL } from '../../lib/status';

export const MIN_TEXT = 2;

/** Hours back; 0 for no bound. */
export const RANGES = [
  { hours: 0, label: 'Any time' },
  { hours: 1, label: 'Last hour' },
  { hours: 6, label: 'Last 6 hours' },
  { hours: 24, label: 'Last 24 hours' },
  { hours: 24 * 7, label: 'Last 7 days' },
  { hours: 24 * 30, label: 'Last 30 days' },
] as const;

/** No filter; the text stays. */
export const noFilter: Omit<SearchQuery, 'text'> = { ...noSessionFilter, hours: 0 };

/** The values that are texts as they are, with their names in the URL. */
const texts = {
  text: 'q',
  chain: 'chain',
  author: 'author',
  severity: 'severity',
  failedServer: 'failed_server',
  failedTool: 'failed_tool',
} as const;

export function readParams(params: URLSearchParams): SearchQuery {
  const hours = Number(params.get('hours') ?? '0');
  const read = (name: string) => params.get(name) ?? '';
  return {
    ...noFilter,
    text: read(texts.text),
    chain: read(texts.chain),
    author: read(texts.author),
    severity: read(texts.severity),
    failedServer: read(texts.failedServer),
    failedTool: read(texts.failedTool),
    hours: RANGES.find((range) => range.hours === hours)?.hours ?? 0,
    since: readMoment(params.get('from')),
    until: readMoment(params.get('to')),
    status: TERMINAL.filter((status) => status === params.get('status')),
    review: REVIEW_FILTERS.find((known) => known === params.get('review')) ?? '',
    degraded: params.get('degraded') === 'true',
  };
}

function readMoment(text: string | null): string {
  return text !== null && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : '';
}

export function writeParams(query: SearchQuery): URLSearchParams {
  const values = {
    ...Object.fromEntries(
      Object.entries(texts).map(([key, name]) => [name, query[key as keyof typeof texts]]),
    ),
    hours: query.hours === 0 ? '' : String(query.hours),
    from: query.since,
    to: query.until,
    status: query.status.join(','),
    review: query.review,
    degraded: query.degraded ? 'true' : '',
  };
  return new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
}

/** Whether the time is between two moments, instead of hours back from now. */
export function isBetween({ since, until }: SearchQuery): boolean {
  return since !== '' || until !== '';
}

export function isFiltered(query: SearchQuery): boolean {
  return writeParams({ ...query, text: '' }).size > 0;
}
