import { Link } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import type { Overview } from '../../api/overview';
import { showBidiControls } from '../../lib/bidi';
import { formatCost, formatCount, formatExact } from '../../lib/format';
import { pages } from '../../lib/paths';
import { formatDateTime, formatDuration } from '../../lib/time';
import { useTimeZone } from '../../lib/timeZone';
import { Panel } from '../../ui/Panel';
import { Secondary } from '../../ui/Secondary';
import { LinkedNumber, NumberTable } from './NumberTable';
import { OutcomeChart } from './OutcomeChart';
import { endOf, listOf, OUTCOMES, outcomeLabels, totalOf } from './outcomes';

interface PartProps {
  readonly overview: Overview;
}

export function OverviewPanels({ overview }: PartProps) {
  return (
    <>
      <Figures overview={overview} />
      <Panel title="Sessions by outcome" testId="overview-outcomes">
        <OutcomeChart overview={overview} />
        <OutcomeTable overview={overview} />
      </Panel>
      <Panel title="Most frequent alerts" testId="overview-alerts">
        <AlertTable overview={overview} />
      </Panel>
      <Panel title="Tools with failed calls" testId="overview-tools">
        <ToolTable overview={overview} />
      </Panel>
    </>
  );
}

function Figures({ overview }: PartProps) {
  const { buckets, from, to, pending, running } = overview;
  const sum = (value: (bucket: Overview['buckets'][number]) => number) =>
    buckets.reduce((total, bucket) => total + value(bucket), 0);
  const costs = buckets.flatMap(({ cost_micro_usd: cost }) => (cost === null ? [] : [cost]));
  const cost = costs.length === 0 ? '–' : formatCost(costs.reduce((one, other) => one + other));
  const duration = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));
  const total = sum(totalOf);
  const rows = [
    [
      'Sessions',
      <LinkedNumber key="all" value={total} to={listOf(null, from, to)} label="sessions" />,
    ],
    ['Degraded', formatExact(sum((bucket) => bucket.degraded))],
    [
      'Waiting now',
      <LinkedNumber key="pending" value={pending} to={pages.sessions} label="waiting sessions" />,
    ],
    [
      'Running now',
      <LinkedNumber key="running" value={running} to={pages.sessions} label="running sessions" />,
    ],
    ['Duration, median', duration(overview.duration_p50_ms)],
    ['Duration, 95th percentile', duration(overview.duration_p95_ms)],
    ['Tokens', formatCount(sum((bucket) => bucket.total_tokens))],
    ['Cost', cost],
  ] as const;
  return (
    <Panel title="In numbers" testId="overview-figures">
      <NumberTable
        label="In numbers"
        columns={['Figure', 'Value']}
        rows={rows.map(([label, value]) => ({ key: label, cells: [label, value] }))}
      />
    </Panel>
  );
}

function OutcomeTable({ overview: { buckets, bucket_seconds: seconds } }: PartProps) {
  const zone = useTimeZone();
  return (
    <details>
      <summary>Show as a table</summary>
      <NumberTable
        label="Sessions by outcome"
        columns={['From', ...OUTCOMES.map((outcome) => outcomeLabels[outcome])]}
        rows={buckets.map((bucket) => ({
          key: bucket.start,
          cells: [
            formatDateTime(bucket.start, zone),
            ...OUTCOMES.map((outcome) => (
              <LinkedNumber
                key={outcome}
                value={bucket[outcome]}
                to={listOf(outcome, bucket.start, endOf(bucket, seconds))}
                label={outcomeLabels[outcome]}
              />
            )),
          ],
        }))}
      />
    </details>
  );
}

function AlertTable({ overview: { alerts } }: PartProps) {
  if (alerts.length === 0) return <Secondary>No alert has a fingerprint.</Secondary>;
  return (
    <NumberTable
      label="Most frequent alerts"
      columns={['Alert', 'Sessions']}
      rows={alerts.map(({ fingerprint, title, sessions }) => ({
        key: fingerprint,
        cells: [
          <Link key="alert" component={RouterLink} to={pages.sessionsOf(fingerprint)}>
            <bdi>{showBidiControls(title ?? fingerprint)}</bdi>
          </Link>,
          formatExact(sessions),
        ],
      }))}
    />
  );
}

function ToolTable({ overview: { tools } }: PartProps) {
  if (tools.length === 0) return <Secondary>No call failed.</Secondary>;
  return (
    <NumberTable
      label="Tools with failed calls"
      columns={['Tool', 'Calls', 'Failed']}
      rows={tools.map(({ server, tool, calls, failed }) => ({
        key: `${server} ${tool}`,
        cells: [
          `${server} ${tool}`,
          formatExact(calls),
          <LinkedNumber
            key="failed"
            value={failed}
            to={pages.failedCalls(server, tool)}
            label={`failed calls of ${server} ${tool}`}
          />,
        ],
      }))}
    />
  );
}
