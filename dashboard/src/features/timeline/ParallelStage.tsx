import { Box, Tab, Tabs, useMediaQuery } from '@mui/material';
import { useId, useMemo, useState } from 'react';
import { agentName } from '../../lib/agents';
import { describeStatus } from '../../lib/status';
import { Secondary } from '../../ui/Secondary';
import { toneText } from '../../ui/tones';
import { AgentHeader } from './AgentHeader';
import { isCall, useCallTarget, useLinkedStep, type CallTarget } from './calls';
import { splitLanes, type Lane, type StageGroup } from './groups';
import { ItemList } from './ItemList';

const COLUMNS_MEDIA_QUERY = '(min-width: 900px)';

/** Parallel agents: one column each on wide screens, otherwise tabs. */
export function ParallelStage({ group }: { readonly group: StageGroup }) {
  const wide = useMediaQuery(COLUMNS_MEDIA_QUERY, { noSsr: true });
  const { lanes, shared } = useMemo(() => splitLanes(group), [group]);
  return (
    <Box data-testid="parallel-stage" data-layout={wide ? 'columns' : 'tabs'}>
      {shared.length > 0 && <ItemList items={shared} label="Stage events" />}
      {wide ? <Columns lanes={lanes} /> : <LaneTabs lanes={lanes} />}
    </Box>
  );
}

interface LanesProps {
  readonly lanes: readonly Lane[];
}

const columnStyles = {
  minWidth: 0,
  border: 1,
  borderColor: 'divider',
  borderTop: 3,
  borderRadius: 1.5,
  p: 1.25,
} as const;

function laneName(lane: Lane, lanes: readonly Lane[]): string {
  return agentName(
    lane.execution,
    lanes.map(({ execution }) => execution),
  );
}

function Columns({ lanes }: LanesProps) {
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 1.25,
        gridAutoFlow: 'column',
        gridAutoColumns: 'minmax(264px, 1fr)',
        alignItems: 'start',
        overflowX: 'auto',
        pb: 1,
      }}
    >
      {lanes.map((lane) => {
        const name = laneName(lane, lanes);
        const { execution_id: id, status } = lane.execution;
        return (
          <Box
            key={id}
            component="section"
            aria-label={name}
            data-testid="agent-lane"
            data-status={status}
            sx={{ ...columnStyles, borderTopColor: toneText(describeStatus(status).tone) }}
          >
            <LaneBody lane={lane} name={name} />
          </Box>
        );
      })}
    </Box>
  );
}

/** The selected lane. A citation selects the lane of its call. */
function useSelectedLane(lanes: readonly Lane[]) {
  const step = useLinkedStep();
  const [selected, setSelected] = useState(
    () =>
      lanes.find(({ items }) => items.some(({ id }) => id === step))?.execution.execution_id ??
      null,
  );
  const [followed, setFollowed] = useState<CallTarget | null>(null);
  const target = useCallTarget();
  if (target !== followed) {
    setFollowed(target);
    const lane =
      target === null
        ? undefined
        : lanes.find(({ items }) => items.some((item) => isCall(item, target.number)));
    if (lane) setSelected(lane.execution.execution_id);
  }
  const lane = lanes.find(({ execution }) => execution.execution_id === selected) ?? lanes[0];
  return { lane, select: setSelected };
}

function LaneTabs({ lanes }: LanesProps) {
  const id = useId();
  const { lane, select } = useSelectedLane(lanes);
  if (!lane) return null;
  const current = lane.execution.execution_id;
  return (
    <>
      <Tabs
        value={current}
        onChange={(_, value: string) => select(value)}
        variant="scrollable"
        scrollButtons="auto"
        aria-label="Agents of this stage"
        sx={{ minHeight: 40, mb: 1.25, borderBottom: 1, borderColor: 'divider' }}
      >
        {lanes.map((each) => (
          <Tab
            key={each.execution.execution_id}
            value={each.execution.execution_id}
            id={`${id}-tab-${each.execution.execution_id}`}
            aria-controls={`${id}-panel`}
            data-testid="agent-tab"
            label={`${laneName(each, lanes)} · ${describeStatus(each.execution.status).label}`}
            sx={{ minHeight: 40, py: 0.5 }}
          />
        ))}
      </Tabs>
      <Box
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${current}`}
        data-testid="agent-lane"
        data-status={lane.execution.status}
      >
        <LaneBody key={current} lane={lane} name={laneName(lane, lanes)} />
      </Box>
    </>
  );
}

function LaneBody({ lane, name }: { readonly lane: Lane; readonly name: string }) {
  const { execution, items } = lane;
  return (
    <>
      <AgentHeader execution={execution} name={name} />
      {items.length > 0 ? (
        <ItemList items={items} label={`Steps of ${name}`} />
      ) : (
        <Secondary>{execution.error_message ? 'No steps.' : 'No steps yet.'}</Secondary>
      )}
    </>
  );
}
