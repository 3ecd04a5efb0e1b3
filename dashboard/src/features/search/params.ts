/** What is searched for, stored in the query string of the URL. */
import type { SearchQuery } from '../../api/search';
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

export function readParams(params: URLSearchParams): SearchQuery {
  const hours = Number(params.get('hours') ?? '0');
  return {
    text: params.get('q') ?? '',
    hours: RANGES.find((range) => range.hours === hours)?.hours ?? 0,
    status: TERMINAL.find((status) => status === params.get('status')) ?? '',
    degraded: params.get('degraded') === 'true',
    failedServer: params.get('failed_server') ?? '',
    failedTool: params.get('failed_tool') ?? '',
  };
}

export function writeParams(query: SearchQuery): URLSearchParams {
  const values = {
    q: query.text,
    hours: query.hours === 0 ? '' : String(query.hours),
    status: query.status,
    degraded: query.degraded ? 'true' : '',
    failed_server: query.failedServer,
    failed_tool: query.failedTool,
  };
  return new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
}
