import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { listChanges } from '../../api/changes';
import { keys } from '../../api/keys';
import type { Overview } from '../../api/overview';
import { showBidiControls } from '../../lib/text/bidi';
import { plural } from '../../lib/text/format';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { TimeStrip } from '../../ui/numbers/TimeStrip';
import { DateTime } from '../../ui/numbers/times';
import { plainList } from '../../ui/theme/tokens';

/** Changes that are named below the axis. */
const NAMED = 5;

/** What changed in the time of the overview, on its axis of time; nothing where nothing is recorded. */
export function ChangesPanel({ overview }: { readonly overview: Overview }) {
  const { from, to } = overview;
  const { data } = useQuery({
    queryKey: keys.changes(from, to),
    queryFn: ({ signal }) => listChanges(from, to, signal),
  });
  if (!data || data.changes.length === 0) return null;
  const count = data.changes.length;
  const marks = data.changes.map(({ id, occurred_at: at, text }) => ({
    id,
    at: Date.parse(at),
    title: showBidiControls(text),
  }));
  return (
    <Panel title="Changes" testId="overview-changes">
      <TimeStrip
        from={Date.parse(from)}
        to={Date.parse(to)}
        marks={marks}
        label={`${plural(count, 'change')} in this period`}
        ends={[<DateTime key="from" at={from} />, <DateTime key="to" at={to} />]}
      />
      <Box component="ul" aria-label="The newest changes" sx={plainList}>
        {data.changes.slice(0, NAMED).map((change) => (
          <Box component="li" key={change.id} sx={{ overflowWrap: 'anywhere' }}>
            <bdi>{showBidiControls(change.text)}</bdi>{' '}
            <Secondary component="span">
              <DateTime at={change.occurred_at} />
            </Secondary>
          </Box>
        ))}
      </Box>
      {count > NAMED && <Secondary>{count - NAMED} more</Secondary>}
    </Panel>
  );
}
