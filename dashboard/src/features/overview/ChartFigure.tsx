import { Box, Skeleton } from '@mui/material';
import { lazy, Suspense, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Secondary } from '../../ui/layout/Secondary';
import type { BucketChartProps } from './BucketChart';
import { NumberTable, type NumberTableProps } from '../../ui/numbers/NumberTable';

const BucketChart = lazy(() => import('./BucketChart'));

const HEIGHT_PX = 240;

interface ChartFigureProps extends Omit<BucketChartProps, 'onOpen' | 'heightPx'> {
  /** What the chart shows, in a sentence. */
  readonly summary: string;
  readonly legend?: ReactNode;
  readonly table: NumberTableProps;
  readonly testId: string;
}

const summaryStyles = {
  py: 0.5,
  fontSize: '0.8125rem',
  color: 'text.secondary',
  cursor: 'pointer',
} as const;

/** A chart with its summary, and its numbers as a table. Its height is kept free until its code is loaded. */
export function ChartFigure({ summary, legend, table, testId, ...chart }: ChartFigureProps) {
  const navigate = useNavigate();
  return (
    <Box component="figure" sx={{ m: 0, minWidth: 0 }} data-testid={testId}>
      <Box component="figcaption" sx={{ mb: 1 }}>
        <Secondary>{summary}</Secondary>
      </Box>
      {legend}
      <Box aria-hidden sx={{ height: HEIGHT_PX, minWidth: 0 }}>
        <Suspense fallback={<Skeleton variant="rounded" height={HEIGHT_PX} />}>
          <BucketChart {...chart} heightPx={HEIGHT_PX} onOpen={(path) => void navigate(path)} />
        </Suspense>
      </Box>
      <details>
        <Box component="summary" sx={summaryStyles}>
          Show as a table
        </Box>
        <NumberTable {...table} />
      </details>
    </Box>
  );
}
