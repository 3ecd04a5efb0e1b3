/** The columns of the history. */
import type { Sort } from './params';

export interface Column {
  readonly title: string;
  readonly sort?: Sort;
  /** The narrowest screen that shows it. */
  readonly from?: 'sm' | 'md' | 'lg' | 'xl';
  /** Without one it takes what is left. */
  readonly widthPx?: number;
  /** On a phone. */
  readonly narrowPx?: number;
  readonly isNumber?: boolean;
}

export const columns: readonly Column[] = [
  { title: 'Status', sort: 'status', widthPx: 84, narrowPx: 50 },
  { title: 'Alert', sort: 'alert_type' },
  { title: 'Severity', from: 'md', widthPx: 116 },
  { title: 'Service', from: 'md', widthPx: 190 },
  { title: 'Chain', from: 'xl', widthPx: 150 },
  { title: 'Author', sort: 'author', from: 'xl', widthPx: 140 },
  { title: 'Calls', from: 'xl', widthPx: 150, isNumber: true },
  { title: 'Tokens', from: 'xl', widthPx: 90, isNumber: true },
  { title: 'Score', sort: 'score', from: 'xl', widthPx: 80, isNumber: true },
  { title: 'Duration', sort: 'duration', from: 'lg', widthPx: 120, isNumber: true },
  { title: 'Created', sort: 'created_at', from: 'sm', widthPx: 136, isNumber: true },
];

export function columnStyle({ from, widthPx, narrowPx, isNumber }: Column) {
  return {
    ...(from && { display: { xs: 'none', [from]: 'table-cell' } }),
    ...(widthPx !== undefined && { width: { xs: narrowPx ?? widthPx, sm: widthPx } }),
    ...(isNumber && { fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }),
  };
}

/** The column of the boxes that select rows. */
export const selectStyle = { pl: { xs: 1, sm: 2 }, width: { xs: 44, sm: 52 } } as const;
