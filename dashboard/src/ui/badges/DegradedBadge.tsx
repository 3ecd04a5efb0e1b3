import { Box } from '@mui/material';
import { describeDegradation } from '../../lib/session/claims';
import { Badge } from './Badge';
import { AlertIcon } from '../theme/icons';
import { visuallyHidden } from '../theme/tokens';

/** Marks a session whose findings need a second look; the tooltip has the reasons. */
export function DegradedBadge({ reasons }: { readonly reasons: readonly string[] }) {
  const text = describeDegradation(reasons).join(' ');
  return (
    <Badge tone="warning" tooltip={text} testId="degraded-badge">
      <AlertIcon /> Degraded
      <Box component="span" sx={visuallyHidden}>
        {`: ${text}`}
      </Box>
    </Badge>
  );
}
