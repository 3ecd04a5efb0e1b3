import { Box, Button, Link } from '@mui/material';
import type { ReactNode } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { earlierCount } from '../../lib/session/alert';
import { describeCounts } from '../../lib/session/claims';
import { formatExact } from '../../lib/text/format';
import { NOT_EXAMINED_ID, SEEN_BEFORE_ID, stepAnchor } from '../../lib/browser/paths';
import { Badge } from '../../ui/badges/Badge';
import { DegradedBadge } from '../../ui/badges/DegradedBadge';
import { ReviewBadge } from '../../ui/badges/ReviewBadge';
import { Secondary } from '../../ui/layout/Secondary';
import { useChecks } from '../../ui/claims/checks';
import { CheckIcon, ShieldIcon } from '../../ui/theme/icons';
import { scrollToAnchor } from '../../ui/layout/scroll';

interface FindingsStatusProps {
  readonly session: SessionDetail;
  /** The first step that found injected instructions; null without one. */
  readonly injectedStep: string | null;
  /** Calls without a result, and whatever else the investigation did not look at. */
  readonly unexamined: number;
}

/** How far the findings are verified, what people think of them, and a filter for the claims that are not verified. */
export function FindingsStatus({ session, injectedStep, unexamined }: FindingsStatusProps) {
  const { claims, degraded, degraded_reasons: reasons } = session;
  const { unverifiedOnly, setUnverifiedOnly } = useChecks();
  const seen = Math.max(session.earlier_sessions.count, session.seen_before.length);
  const known = [claims, session.review, injectedStep].some((fact) => fact !== null);
  if (!known && !degraded && seen + unexamined === 0) return null;
  const unverified = claims === null ? 0 : claims.total - claims.verified;
  return (
    <Box
      data-testid="findings-status"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mt: 0.75 }}
    >
      {degraded && <DegradedBadge reasons={reasons} />}
      {session.review !== null && <ReviewBadge review={session.review} />}
      {seen > 0 && (
        <PartLink to={SEEN_BEFORE_ID}>
          Seen {seen === 1 ? 'once' : `${earlierCount(seen)} times`} before
        </PartLink>
      )}
      {claims !== null && <Secondary component="span">{describeCounts(claims)}</Secondary>}
      {unverified > 0 && (
        <Button
          size="small"
          variant="text"
          aria-pressed={unverifiedOnly}
          startIcon={unverifiedOnly ? <CheckIcon /> : undefined}
          onClick={() => setUnverifiedOnly(!unverifiedOnly)}
          className="no-print"
        >
          Show unverified only
        </Button>
      )}
      {/* Last: these appear when the timeline is loaded, and move nothing here. */}
      {unexamined > 0 && (
        <PartLink to={NOT_EXAMINED_ID}>Not examined: {formatExact(unexamined)}</PartLink>
      )}
      {injectedStep !== null && (
        <Link href={`#${stepAnchor(injectedStep)}`} underline="none" data-testid="injected-link">
          <Badge tone="warning" tooltip="Possible prompt injection in the alert or a tool result">
            <ShieldIcon /> Injected instructions
          </Badge>
        </Link>
      )}
    </Box>
  );
}

interface PartLinkProps {
  /** The element id of a part of the page. */
  readonly to: string;
  readonly children: ReactNode;
}

function PartLink({ to, children }: PartLinkProps) {
  return (
    <Link
      href={`#${to}`}
      onClick={(event) => {
        if (scrollToAnchor(to)) event.preventDefault();
      }}
      sx={{ fontSize: '0.8125rem' }}
    >
      {children}
    </Link>
  );
}
