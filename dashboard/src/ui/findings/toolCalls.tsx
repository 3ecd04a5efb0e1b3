/** Parts shared by the tool calls of the timeline and of the trace. */
import { Box } from '@mui/material';
import { showBidiControls } from '../../lib/text/bidi';
import { Badge } from '../badges/Badge';
import { StopIcon } from '../theme/icons';

interface CallTitleProps {
  /** `server.tool`. */
  readonly name: string;
  /** The number used in citations; null for a call without one. */
  readonly number: number | null;
}

export function CallTitle({ name, number }: CallTitleProps) {
  return (
    <>
      {number !== null && (
        <Box
          component="span"
          data-testid="call-number"
          sx={{ color: 'text.secondary', mr: 0.75, whiteSpace: 'nowrap' }}
        >
          call {number}
        </Box>
      )}
      <Box component="code" sx={{ fontFamily: 'var(--tarsy-mono)', overflowWrap: 'anywhere' }}>
        {showBidiControls(name)}
      </Box>
    </>
  );
}

export function RefusedBadge() {
  return (
    <Badge
      tone="warning"
      testId="refused-badge"
      tooltip="The tool policy of this server does not allow the call"
    >
      <StopIcon /> Refused by policy
    </Badge>
  );
}
