import { Box, Link } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import type { Overview } from '../../api/overview';
import { showBidiControls } from '../../lib/text/bidi';
import { formatCost, formatCount } from '../../lib/text/format';
import { pages } from '../../lib/browser/paths';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { ChangesPanel } from './ChangesPanel';
import { CostTables } from './CostTables';
import { Figures } from './Figures';
import { LinkedNumber } from '../../ui/numbers/LinkedNumber';
import { NumberTable } from '../../ui/numbers/NumberTable';
import { OutcomeChart } from './OutcomeChart';
import { listOf } from './outcomes';
import { ScoresPanel } from './ScoresPanel';
import { ShareBar } from './ShareBar';
import { UsageChart } from './UsageChart';

interface PartProps {
  readonly overview: Overview;
}

/** Two panels beside each other, where there is room. */
const twoPanels = {
  display: 'grid',
  gap: 2,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
} as const;

export function OverviewPanels({ overview }: PartProps) {
  return (
    <>
      <Figures overview={overview} />
      <Panel title="Sessions by outcome" testId="overview-outcomes">
        <OutcomeChart overview={overview} />
      </Panel>
      <ChangesPanel overview={overview} />
      <Box sx={twoPanels}>
        <Usage overview={overview} />
      </Box>
      <ScoresPanel overview={overview} />
      <Box sx={twoPanels}>
        <CostTables costs={overview.costs} />
      </Box>
      <Box sx={twoPanels}>
        <Panel title="Tools with failed calls" testId="overview-tools">
          <ToolTable overview={overview} />
        </Panel>
        <Panel title="Most frequent alerts" testId="overview-alerts">
          <AlertTable overview={overview} />
        </Panel>
      </Box>
    </>
  );
}

function Usage({ overview }: PartProps) {
  const priced = overview.buckets.some(({ cost_micro_usd: cost }) => cost !== null);
  const used = overview.buckets.some(({ total_tokens: tokens }) => tokens > 0);
  return (
    <>
      <Panel title="Tokens" testId="overview-tokens">
        {used ? (
          <UsageChart
            overview={overview}
            title="Tokens"
            valueOf={({ total_tokens: tokens }) => tokens}
            format={formatCount}
            testId="token-chart"
          />
        ) : (
          <Secondary>No tokens were used.</Secondary>
        )}
      </Panel>
      <Panel title="Cost" testId="overview-cost">
        {priced ? (
          <UsageChart
            overview={overview}
            title="Cost"
            valueOf={({ cost_micro_usd: cost }) => cost}
            format={formatCost}
            testId="cost-chart"
          />
        ) : (
          <Secondary>
            The models of these sessions have no price. Add it in
            system.cost_estimation.model_rates.
          </Secondary>
        )}
      </Panel>
    </>
  );
}

function AlertTable({ overview }: PartProps) {
  const { alerts } = overview;
  if (alerts.length === 0) return <Secondary>No repeated alerts.</Secondary>;
  const most = Math.max(...alerts.map(({ sessions }) => sessions));
  return (
    <NumberTable
      label="Most frequent alerts"
      columns={['Alert', 'Sessions']}
      rows={alerts.map(({ fingerprint, title, sessions }) => {
        const name = showBidiControls(title ?? fingerprint);
        return {
          key: fingerprint,
          cells: [
            <ShareBar key="alert" share={sessions / most}>
              <Link component={RouterLink} to={pages.sessionsOf(fingerprint)}>
                <bdi>{name}</bdi>
              </Link>
            </ShareBar>,
            <LinkedNumber
              key="sessions"
              value={sessions}
              to={listOf(overview, { fingerprint })}
              label={`sessions of ${name}`}
            />,
          ],
        };
      })}
    />
  );
}

function ToolTable({ overview }: PartProps) {
  const { tools, from, to } = overview;
  if (tools.length === 0) return <Secondary>No call failed.</Secondary>;
  return (
    <NumberTable
      label="Tools with failed calls"
      columns={['Tool', 'Failed', 'Calls', 'Share']}
      rows={tools.map(({ server, tool, calls, failed }) => ({
        key: `${server} ${tool}`,
        cells: [
          <ShareBar key="tool" share={failed / Math.max(1, calls)}>
            <bdi>{showBidiControls(`${server}.${tool}`)}</bdi>
          </ShareBar>,
          <LinkedNumber
            key="failed"
            value={failed}
            to={pages.failedCallsOf(server, tool, { from, to })}
            label={`failed calls of ${server}.${tool}`}
          />,
          <LinkedNumber
            key="calls"
            value={calls}
            to={pages.callsOf(server, tool, { from, to })}
            label={`calls of ${server}.${tool}`}
          />,
          <LinkedNumber
            key="share"
            value={failed / Math.max(1, calls)}
            format={(share) => `${Math.round(share * 100)} %`}
            to={pages.failedCallsOf(server, tool, { from, to })}
            label={`of the calls of ${server}.${tool} failed`}
          />,
        ],
      }))}
    />
  );
}
