import { Box, Tab, Tabs, useMediaQuery } from '@mui/material';
import { useId, useMemo, useState } from 'react';
import { agentName } from '../../lib/agents';
import { describeStatus } from '../../lib/status';
import { toneText } from '../../ui/tones';
import { AgentHead } from './AgentHead';
import { hasCall, useTarget, type Target } from './calls';
import { splitLanes, switchedProviders, type Group, type Lane } from './groups';
import { ItemList } from './ItemList';

/** From here on there is room for columns. */
const WIDE = '(min-width: 900px)';

/** Agents that work at once: side by side where there is room, else one behind the other's tab. */
export function ParallelStage({ group }: { readonly group: Group }) {
  const wide = useMediaQuery(WIDE, { noSsr: true });
  const { lanes, shared } = useMemo(() => splitLanes(group), [group]);
  return (
    <Box data-testid="parallel-stage" data-layout={wide ? 'columns' : 'tabs'}>
      {shared.length > 0 && <ItemList items={shared} label="The stage as a whole" />}
      {wide ? <Columns lanes={lanes} /> : <LaneTabs lanes={lanes} />}
    </Box>
  );
}

interface LanesProps {
  readonly lanes: readonly Lane[];
}

const column = {
  minWidth: 0,
  border: 1,
  borderColor: 'divider',
  borderTop: 3,
  borderRadius: 1.5,
  p: 1.25,
} as const;

function Columns({ lanes }: LanesProps) {
  const executions = lanes.map(({ execution }) => execution);
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
        const name = agentName(lane.execution, executions);
        return (
          <Box
            key={lane.execution.execution_id}
            component="section"
            aria-label={name}
            data-testid="agent-lane"
            data-status={lane.execution.status}
            sx={{ ...column, borderTopColor: toneText(describeStatus(lane.execution.status).tone) }}
          >
            <LaneBody lane={lane} name={name} />
          </Box>
        );
      })}
    </Box>
  );
}

function LaneTabs({ lanes }: LanesProps) {
  const id = useId();
  const [chosen, setChosen] = useState<string | null>(null);
  const [followed, setFollowed] = useState<Target | null>(null);
  const target = useTarget();
  const executions = lanes.map(({ execution }) => execution);
  // A citation leads to its call, whichever agent made it.
  if (target !== followed) {
    setFollowed(target);
    const lane =
      target === null
        ? undefined
        : lanes.find(({ items }) => items.some((item) => hasCall(item, target.number)));
    if (lane) setChosen(lane.execution.execution_id);
  }
  const open = lanes.find(({ execution }) => execution.execution_id === chosen) ?? lanes[0];
  if (!open) return null;
  const current = open.execution.execution_id;
  return (
    <>
      <Tabs
        value={current}
        onChange={(_, value: string) => setChosen(value)}
        variant="scrollable"
        scrollButtons="auto"
        aria-label="Agents of this stage"
        sx={{ minHeight: 40, mb: 1.25, borderBottom: 1, borderColor: 'divider' }}
      >
        {executions.map((execution) => (
          <Tab
            key={execution.execution_id}
            value={execution.execution_id}
            id={`${id}-tab-${execution.execution_id}`}
            aria-controls={`${id}-panel`}
            data-testid="agent-tab"
            label={`${agentName(execution, executions)} · ${describeStatus(execution.status).label}`}
            sx={{ minHeight: 40, py: 0.5 }}
          />
        ))}
      </Tabs>
      <Box
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${current}`}
        data-testid="agent-lane"
        data-status={open.execution.status}
      >
        <LaneBody key={current} lane={open} name={agentName(open.execution, executions)} />
      </Box>
    </>
  );
}

function LaneBody({ lane, name }: { readonly lane: Lane; readonly name: string }) {
  const { execution, items } = lane;
  const switchedTo = switchedProviders(items).get(execution.execution_id) ?? null;
  return (
    <>
      <AgentHead execution={execution} name={name} switchedTo={switchedTo} />
      {items.length > 0 ? (
        <ItemList items={items} label={`Steps of ${name}`} />
      ) : (
        <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
          {execution.error_message ? 'It took no step.' : 'No step yet.'}
        </Box>
      )}
    </>
  );
}
