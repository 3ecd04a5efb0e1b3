import { Box, Button, Typography } from '@mui/material';
import type { ReceivedAlert } from '../../api/receivedAlerts';
import { showBidiControls } from '../../lib/text/bidi';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { RelativeTime } from '../../ui/numbers/times';
import { plainList } from '../../ui/theme/tokens';
import { ErrorState } from '../../ui/notices/ErrorState';
import { AlertDecision, AlertDetails, AlertState, AlertTimes } from './AlertDecision';
import type { useSessionAlerts } from './queries';

interface SessionAlertsProps {
  readonly alerts: ReturnType<typeof useSessionAlerts>;
}

/**
 * The alerts of sources that a session is about, the newest first. Nothing for one that was submitted by hand, and for a single one
 * that opened the session: the facts of the alert say the same.
 */
export function SessionAlerts({ alerts: query }: SessionAlertsProps) {
  const { data, error, hasNextPage, isFetchingNextPage } = query;
  const alerts = data?.pages.flatMap((page) => page.alerts) ?? [];
  const [only] = alerts;
  const isShown =
    alerts.length === 1 && !hasNextPage && only?.action === 'open' && only.notes.length === 0;
  if ((alerts.length === 0 || isShown) && error === null) return null;
  return (
    <Panel title={title(alerts.length, hasNextPage)} testId="session-alerts">
      {error !== null && (
        <ErrorState
          title="Could not load the alerts"
          error={error}
          onRetry={() => void query.refetch()}
        />
      )}
      <Box component="ol" aria-label="Alerts of this session" sx={plainList}>
        {alerts.map((alert) => (
          <AlertRow key={alert.id} alert={alert} />
        ))}
      </Box>
      {hasNextPage && (
        <Button
          size="small"
          onClick={() => void query.fetchNextPage()}
          disabled={isFetchingNextPage}
        >
          Show older alerts
        </Button>
      )}
    </Panel>
  );
}

/** `Alerts (3)`; with a plus sign while there are older ones. */
function title(count: number, more: boolean): string {
  return `Alerts (${count}${more ? '+' : ''})`;
}

function AlertRow({ alert }: { readonly alert: ReceivedAlert }) {
  return (
    <Box
      component="li"
      data-testid="session-alert"
      data-action={alert.action}
      sx={{
        py: 1,
        '& + &': { borderTop: 1, borderColor: 'divider' },
        overflowWrap: 'anywhere',
      }}
    >
      <Typography component="div" dir="auto" sx={{ fontWeight: 600, fontSize: '0.875rem' }}>
        {showBidiControls(alert.title)}
      </Typography>
      <AlertState alert={alert} />
      <AlertDecision alert={alert} />
      <Secondary component="div" size="small">
        from {showBidiControls(alert.source)}, received{' '}
        <RelativeTime at={alert.received_at} updateEveryMs={30_000} />
      </Secondary>
      <AlertTimes alert={alert} />
      <AlertDetails alert={alert} />
    </Box>
  );
}
