/** What is searched for, stored in the query string of the URL. */
import type { SearchQuery } from '../../api/search';
import { noSessionFilter } from '../../api/sessions';
import { REVIEW_FILTERS } from '../../lib/session/review';
import { TERMINAL } from '../../lib/session/status';
import { readTimeRange, writeTimeRange } from '../../lib/time/timeRanges';

export const MIN_TEXT = 2;

/** No filter; the text stays. */
export const noFilter: Omit<SearchQuery, 'text'> = noSessionFilter;

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
  const read = (name: string) => params.get(name) ?? '';
  return {
    ...noFilter,
    text: read(texts.text),
    chain: read(texts.chain),
    author: read(texts.author),
    severity: read(texts.severity),
    failedServer: read(texts.failedServer),
    failedTool: read(texts.failedTool),
    ...readTimeRange(params),
    status: TERMINAL.filter((status) => status === params.get('status')),
    review: REVIEW_FILTERS.find((known) => known === params.get('review')) ?? '',
    degraded: params.get('degraded') === 'true',
  };
}

export function writeParams(query: SearchQuery): URLSearchParams {
  const values = {
    ...Object.fromEntries(
      Object.entries(texts).map(([key, name]) => [name, query[key as keyof typeof texts]]),
    ),
    ...writeTimeRange(query),
    status: query.status.join(','),
    review: query.review,
    degraded: query.degraded ? 'true' : '',
  };
  return new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
}

export function isFiltered(query: SearchQuery): boolean {
  return writeParams({ ...query, text: '' }).size > 0;
}
