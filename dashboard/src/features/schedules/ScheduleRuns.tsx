import { Box, Link } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import type { ScheduleRun } from '../../api/schedules';
import { showBidiControls } from '../../lib/text/bidi';
import { pages } from '../../lib/browser/paths';
import { Secondary } from '../../ui/layout/Secondary';
import { StatusChip } from '../../ui/badges/StatusChip';
import { DateTime } from '../../ui/numbers/times';
import { describeRun } from './runs';

interface ScheduleRunsProps {
  readonly runs: readonly ScheduleRun[];
  readonly of: string;
}

/** The last runs of a schedule, the newest first. */
export function ScheduleRuns({ runs, of }: ScheduleRunsProps) {
  return (
    <>
      <Secondary sx={{ mt: 1.5 }}>Last runs</Secondary>
      <Box component="ul" aria-label={`Last runs of ${of}`} sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {runs.map((run) => (
          <RunRow key={run.due_at} run={run} />
        ))}
      </Box>
    </>
  );
}

function RunRow({ run }: { readonly run: ScheduleRun }) {
  return (
    <Box
      component="li"
      data-testid="schedule-run"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', gap: 1, py: 0.5 }}
    >
      <RunTime run={run} />
      <StatusChip status={run.status ?? run.outcome} shown={describeRun(run)} />
      {run.cause !== null && run.verdict === 'cause_found' && (
        <Box component="span" dir="auto" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          {showBidiControls(run.cause)}
        </Box>
      )}
      {run.requested_by !== null && (
        <Secondary component="span">
          asked for by <span dir="auto">{showBidiControls(run.requested_by)}</span>
        </Secondary>
      )}
    </Box>
  );
}

function RunTime({ run }: { readonly run: ScheduleRun }) {
  const time = <DateTime at={run.due_at} />;
  if (run.session_id === null) return <Box component="span">{time}</Box>;
  return (
    <Link component={RouterLink} to={pages.session(run.session_id)}>
      {time}
    </Link>
  );
}
