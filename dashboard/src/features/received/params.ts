/** Filters and position in the list of received alerts, stored in the query string of the URL. */
import type { ReceivedQuery } from '../../api/receivedAlerts';
import { DECISIONS } from '../../lib/session/received';

export const PAGE_SIZE = 50;

export interface ReceivedParams {
  readonly source: string;
  readonly action: string;
  /** Only alerts older than the one with this number; empty for the newest. */
  readonly before: string;
}

export const noFilter = { source: '', action: '' } as const;

export function readParams(params: URLSearchParams): ReceivedParams {
  const before = params.get('before') ?? '';
  return {
    source: params.get('source') ?? '',
    action: DECISIONS.find((known) => known === params.get('decision')) ?? '',
    before: /^[1-9]\d{0,17}$/.test(before) ? before : '',
  };
}

export function writeParams({ source, action, before }: ReceivedParams): URLSearchParams {
  const texts = { source, decision: action, before };
  return new URLSearchParams(Object.entries(texts).filter(([, value]) => value !== ''));
}

export function toQuery(list: ReceivedParams): ReceivedQuery {
  return { ...list, limit: PAGE_SIZE };
}
