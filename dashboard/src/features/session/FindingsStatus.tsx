import { Box, Button, Link } from '@mui/material';
import type { SessionDetail } from '../../api/sessions';
import { describeCounts } from '../../lib/claims';
import { SEEN_BEFORE_ID, stepAnchor } from '../../lib/paths';
import { Badge } from '../../ui/Badge';
import { DegradedBadge } from '../../ui/DegradedBadge';
import { ReviewBadge } from '../../ui/ReviewBadge';
import { Secondary } from '../../ui/Secondary';
import { useChecks } from '../../ui/checks';
import { CheckIcon, ShieldIcon } from '../../ui/icons';
import { scrollToAnchor } from '../../ui/scroll';

interface FindingsStatusProps {
  readonly session: SessionDetail;
  /** The first step that found injected instructions; null without one. */
  readonly injectedStep: string | null;
}

/** How far the findings are verified, what people think of them, and a filter for the claims that are not verified. */
export function FindingsStatus({ session, injectedStep }: FindingsStatusProps) {
  const { claims, degraded, degraded_reasons: reasons } = session;
  const { unverifiedOnly, setUnverifiedOnly } = useChecks();
  const seen = Math.max(session.earlier_sessions.count, session.seen_before.length);
  const known = [claims, session.review, injectedStep].some((fact) => fact !== null);
  if (!known && !degraded && seen === 0) return null;
  const unverified = claims === null ? 0 : claims.total - claims.verified;
  return (
    <Box
      data-testid="findings-status"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mt: 0.75 }}
    >
      {degraded && <DegradedBadge reasons={reasons} />}
      {session.review !== null && <ReviewBadge review={session.review} />}
      {seen > 0 && (
        <Link
          href={`#${SEEN_BEFORE_ID}`}
          onClick={(event) => {
            if (scrollToAnchor(SEEN_BEFORE_ID)) event.preventDefault();
          }}
          sx={{ fontSize: '0.8125rem' }}
        >
          Seen {seen === 1 ? 'once' : `${seen} times`} before
        </Link>
      )}
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
      {/* Last: it appears when the timeline is loaded, and moves nothing here. */}
      {injectedStep !== null && (
        <Link href={`#${stepAnchor(injectedStep)}`} underline="none" data-testid="injected-link">
          <Badge
            tone="warning"
            tooltip="A result or the alert contains text that is addressed to a model"
          >
            <ShieldIcon /> Injected instructions
          </Badge>
        </Link>
      )}
    </Box>
  );
}
