import { Box } from '@mui/material';
import { useSyncExternalStore, type ReactNode, type Ref } from 'react';

interface ColumnProps {
  readonly children: ReactNode;
  readonly gap?: number;
  readonly ref?: Ref<HTMLDivElement>;
  readonly testId?: string;
  /** Laid out, but not shown yet: what moves meanwhile is not seen. */
  readonly waits?: boolean;
  /** As wide as the window. */
  readonly wide?: boolean;
}

/** A single column whose children may shrink below the width of their content. */
export function Column({
  children,
  gap = 2,
  ref,
  testId,
  waits = false,
  wide = false,
}: ColumnProps) {
  return (
    <Box
      ref={ref}
      data-testid={testId}
      data-wide={wide || undefined}
      sx={{
        display: 'grid',
        gap,
        gridTemplateColumns: 'minmax(0, 1fr)',
        visibility: waits ? 'hidden' : undefined,
      }}
    >
      {children}
    </Box>
  );
}

interface TwoColumnsProps {
  readonly children: ReactNode;
  /** The breakpoint from which the columns are side by side. */
  readonly from: 'md' | 'lg';
  readonly sideWidthPx: number;
}

/** A main column and a side column of fixed width. */
export function TwoColumns({ children, from, sideWidthPx }: TwoColumnsProps) {
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        alignItems: 'start',
        gridTemplateColumns: {
          xs: 'minmax(0, 1fr)',
          [from]: `minmax(0, 1fr) ${sideWidthPx}px`,
        },
      }}
    >
      {children}
    </Box>
  );
}

/** The breakpoint `lg` of the theme. */
const SIDE_BY_SIDE = '(min-width: 1200px)';

function onResize(listener: () => void): () => void {
  const query = window.matchMedia?.(SIDE_BY_SIDE);
  query?.addEventListener('change', listener);
  return () => query?.removeEventListener('change', listener);
}

/** Whether columns from `lg` are side by side, for what stands in another place then. */
export function useSideBySide(): boolean {
  return useSyncExternalStore(onResize, () => window.matchMedia?.(SIDE_BY_SIDE).matches ?? false);
}
