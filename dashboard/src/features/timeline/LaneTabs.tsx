import { Box, Tab, Tabs } from '@mui/material';
import { useId, useState } from 'react';
import { describeStatus } from '../../lib/session/status';
import { isCall, useCallTarget, useLinkedStep, type CallTarget } from './calls';
import type { Lane } from './groups';
import { LaneBody, laneName, type LanesProps } from './LaneBody';

/** The selected lane. A citation selects the lane of its call, a link the one of its step. */
function useSelectedLane(lanes: readonly Lane[]) {
  const step = useLinkedStep();
  const [selected, setSelected] = useState<string | null>(null);
  const [linked, setLinked] = useState<string | null>(null);
  // The step may be among those that are loaded later.
  const found =
    step === linked ? undefined : lanes.find(({ items }) => items.some(({ id }) => id === step));
  if (found) {
    setLinked(step);
    setSelected(found.execution.execution_id);
  }
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

/** The agents of a parallel stage as tabs, for narrow screens. */
export default function LaneTabs({ lanes }: LanesProps) {
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
