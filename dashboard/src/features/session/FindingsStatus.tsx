import { Box, Button } from '@mui/material';
import type { SessionDetail } from '../../api/sessions';
import { describeCounts } from '../../lib/claims';
import { DegradedBadge } from '../../ui/DegradedBadge';
import { Secondary } from '../../ui/Secondary';
import { useChecks } from '../../ui/checks';
import { CheckIcon } from '../../ui/icons';

/** How far the findings are verified, and a filter for the claims that are not. */
export function FindingsStatus({ session }: { readonly session: SessionDetail }) {
  const { claims, degraded, degraded_reasons: reasons } = session;
  const { unverifiedOnly, setUnverifiedOnly } = useChecks();
  if (claims === null && !degraded) return null;
  const unverified = claims === null ? 0 : claims.total - claims.verified;
  return (
    <Box
      data-testid="findings-status"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mt: 0.75 }}
    >
      {degraded && <DegradedBadge reasons={reasons} />}
      {claims !== null && <Secondary component="span">{describeCounts(claims)}</Secondary>}
      {unverified > 0 && (
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          aria-pressed={unverifiedOnly}
          startIcon={unverifiedOnly ? <CheckIcon /> : undefined}
          onClick={() => setUnverifiedOnly(!unverifiedOnly)}
          className="no-print"
        >
          Show unverified only
        </Button>
      )}
    </Box>
  );
}
