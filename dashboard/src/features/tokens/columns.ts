type Breakpoint = 'sm' | 'md' | 'lg';

interface Column {
  readonly title: string;
  /** The narrowest screen that shows it. */
  readonly from?: Breakpoint;
  readonly align?: 'right';
}

export const columns: readonly Column[] = [
  { title: 'Name' },
  { title: 'Grants', from: 'sm' },
  { title: 'Created', from: 'lg' },
  { title: 'Last used', from: 'md' },
  { title: 'Expires', from: 'sm' },
  { title: 'Action', align: 'right' },
];

export function visibleFrom(from: Breakpoint | undefined) {
  return from === undefined ? {} : { display: { xs: 'none', [from]: 'table-cell' } };
}
