import { Box, useMediaQuery } from '@mui/material';
import { lazy, Suspense, useMemo } from 'react';
import { describeStatus } from '../../lib/session/status';
import { toneText } from '../../ui/badges/tones';
import { splitLanes, type StageGroup } from './groups';
import { ItemList } from './ItemList';
import { LaneBody, laneName, type LanesProps } from './LaneBody';

/** Loaded on narrow screens. */
const LaneTabs = lazy(() => import('./LaneTabs'));

/** A column needs so much for a line of a log; what is beside the timeline takes the rest. */
const COLUMN_PX = 400;
const BESIDE_PX = 480;

/** Parallel agents: one column each where the screen has room for all of them, otherwise tabs. */
export function ParallelStage({ group }: { readonly group: StageGroup }) {
  const { lanes, shared } = useMemo(() => splitLanes(group), [group]);
  const needed = BESIDE_PX + lanes.length * COLUMN_PX;
  const wide = useMediaQuery(`(min-width: ${needed}px)`, { noSsr: true });
  return (
    <Box data-testid="parallel-stage" data-layout={wide ? 'columns' : 'tabs'}>
      {shared.length > 0 && <ItemList items={shared} label="Stage events" />}
      {wide ? (
        <Columns lanes={lanes} />
      ) : (
        <Suspense fallback={null}>
          <LaneTabs lanes={lanes} />
        </Suspense>
      )}
    </Box>
  );
}

const columnStyles = {
  minWidth: 0,
  border: 1,
  borderColor: 'divider',
  borderTop: 3,
  borderRadius: 1.5,
  p: 1.25,
} as const;

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
