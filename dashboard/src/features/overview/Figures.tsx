import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import type { Overview, OverviewBucket } from '../../api/overview';
import { formatCost, formatCount } from '../../lib/text/format';
import { pages } from '../../lib/browser/paths';
import { formatDuration } from '../../lib/time/time';
import { Panel } from '../../ui/layout/Panel';
import { LinkedNumber } from '../../ui/numbers/LinkedNumber';
import { listOf, listOfEnded, listOfOutcome, totalOf } from './outcomes';

type Sum = (value: (bucket: OverviewBucket) => number) => number;

/** All of the time in single numbers. */
export function Figures({ overview }: { readonly overview: Overview }) {
  const sum: Sum = (value) => overview.buckets.reduce((total, each) => total + value(each), 0);
  return (
    <Panel title="Summary" testId="overview-figures">
      <Box
        component="dl"
        sx={{
          m: 0,
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: 'repeat(auto-fill, minmax(132px, 1fr))',
        }}
      >
        <SessionFigures overview={overview} sum={sum} />
        <QueueFigures overview={overview} />
        <UsageFigures overview={overview} sum={sum} />
      </Box>
    </Panel>
  );
}

interface FigureProps {
  readonly title: string;
  readonly children: ReactNode;
}

function Figure({ title, children }: FigureProps) {
  return (
    <Box
      sx={{
        display: 'flex',
        flexDirection: 'column',
        justifyContent: 'space-between',
        minWidth: 0,
      }}
    >
      <Box component="dt" sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
        {title}
      </Box>
      <Box component="dd" sx={{ m: 0, fontSize: '1.5rem', fontWeight: 650 }}>
        {children}
      </Box>
    </Box>
  );
}

interface PartProps {
  readonly overview: Overview;
}

function SessionFigures({ overview, sum }: PartProps & { readonly sum: Sum }) {
  const figures = [
    ['Sessions', sum(totalOf), 'sessions', listOf(overview)],
    ['Completed', sum((each) => each.completed), 'completed', listOfOutcome('completed', overview)],
    ['Failed', sum((each) => each.failed), 'failed', listOfOutcome('failed', overview)],
    ['Timed out', sum((each) => each.timed_out), 'timed out', listOfOutcome('timed_out', overview)],
    ['Cancelled', sum((each) => each.cancelled), 'cancelled', listOfOutcome('cancelled', overview)],
    ['Degraded', sum((each) => each.degraded), 'degraded', listOf(overview, { degraded: 'true' })],
  ] as const;
  return figures.map(([title, value, label, to]) => (
    <Figure key={title} title={title}>
      <LinkedNumber value={value} label={label} to={to} />
    </Figure>
  ));
}

function QueueFigures({ overview: { pending, running } }: PartProps) {
  return (
    <>
      <Figure title="Queued now">
        <LinkedNumber value={pending} to={pages.sessions} label="queued sessions" />
      </Figure>
      <Figure title="Running now">
        <LinkedNumber value={running} to={pages.sessions} label="running sessions" />
      </Figure>
    </>
  );
}

function UsageFigures({ overview, sum }: PartProps & { readonly sum: Sum }) {
  const { duration_p50_ms: median, duration_p95_ms: high, buckets } = overview;
  const slowest = listOfEnded(overview, { sort: 'duration' });
  const costs = buckets.flatMap(({ cost_micro_usd: cost }) => (cost === null ? [] : [cost]));
  const cost = costs.length === 0 ? null : costs.reduce((one, other) => one + other);
  const tokens = sum((each) => each.total_tokens);
  // Each call is one of a chain.
  const isPartly = overview.costs.some(
    ({ dimension, unpriced_calls: unpriced }) => dimension === 'chain' && unpriced > 0,
  );
  return (
    <>
      <Figure title="Median duration">
        <LinkedNumber value={median} format={formatDuration} to={slowest} label="median duration" />
      </Figure>
      <Figure title="95th percentile">
        <LinkedNumber
          value={high}
          format={formatDuration}
          to={slowest}
          label="95th percentile of the duration"
        />
      </Figure>
      <Figure title="Tokens">
        <LinkedNumber value={tokens} format={formatCount} to={listOf(overview)} label="tokens" />
      </Figure>
      <Figure title={cost !== null && isPartly ? 'Cost, partly priced' : 'Cost'}>
        <LinkedNumber value={cost} format={formatCost} to={listOf(overview)} label="cost" />
      </Figure>
    </>
  );
}
