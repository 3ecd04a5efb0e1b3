import { Box } from '@mui/material';
import type { Execution } from '../../../api/sessions';
import { showBidiControls } from '../../../lib/text/bidi';
import { describeStatus } from '../../../lib/session/status';
import { elapsed, formatDuration } from '../../../lib/time/time';
import { ClockTime } from '../../../ui/numbers/times';
import { Secondary } from '../../../ui/layout/Secondary';
import { preWrap } from '../../../ui/theme/tokens';

/** What an agent was dispatched for, and when its result came back. */
export function Dispatched({ execution }: { readonly execution: Execution }) {
  return (
    <Box data-testid="dispatched" sx={{ fontSize: '0.8125rem', py: 0.5 }}>
      <Box dir="auto" sx={preWrap}>
        {showBidiControls(execution.task ?? '')}
      </Box>
      <Secondary size="small">
        <Result execution={execution} />
      </Secondary>
    </Box>
  );
}

function Result({ execution }: { readonly execution: Execution }) {
  const { status, started_at: start, completed_at: end } = execution;
  if (end === null) return 'No result yet';
  const duration = execution.duration_ms ?? elapsed(start, end, 0);
  return (
    <>
      {status === 'completed' ? 'Result' : describeStatus(status).label} at <ClockTime at={end} />
      {duration !== null && `, after ${formatDuration(duration)}`}
    </>
  );
}
