/** Filters and position in the list of memories, stored in the query string of the URL. */
import type { MemoryQuery } from '../../api/memories';

export const STATES = ['active', 'retired'] as const;

export const noFilter = { text: '', state: '' } as const;

export function readParams(params: URLSearchParams): MemoryQuery {
  const state = params.get('state');
  return {
    text: (params.get('q') ?? '').slice(0, 200),
    state: STATES.find((known) => known === state) ?? '',
    cursor: params.get('cursor') ?? '',
  };
}

export function writeParams({ text, state, cursor }: MemoryQuery): URLSearchParams {
  const given = Object.entries({ q: text, state, cursor });
  return new URLSearchParams(given.filter(([, value]) => value !== ''));
}
