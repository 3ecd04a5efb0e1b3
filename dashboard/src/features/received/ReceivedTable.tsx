import {
  Box,
  Button,
  Link,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
} from '@mui/material';
import { Link as RouterLink } from 'react-router';
import type { ReceivedAlert } from '../../api/receivedAlerts';
import { showBidiControls } from '../../lib/text/bidi';
import { shortId } from '../../lib/text/format';
import { pages } from '../../lib/browser/paths';
import { Secondary } from '../../ui/layout/Secondary';
import { DateTime, RelativeTime } from '../../ui/numbers/times';
import { AlertDecision, AlertDetails, AlertState, AlertTimes } from './AlertDecision';

const hiddenBelow = (breakpoint: 'sm' | 'md') => ({
  display: { xs: 'none', [breakpoint]: 'table-cell' },
});
const onlyBelow = (breakpoint: 'sm' | 'md') => ({ display: { [breakpoint]: 'none' } });

interface ReceivedTableProps {
  readonly alerts: readonly ReceivedAlert[];
  /** Shows only the alerts of this source. */
  readonly onSource: (source: string) => void;
}

export function ReceivedTable({ alerts, onSource }: ReceivedTableProps) {
  return (
    <TableContainer
      role="region"
      aria-label="Received alerts"
      tabIndex={0}
      sx={{ mx: -2, width: 'auto' }}
    >
      <Table size="small" sx={{ '& td, & th': { verticalAlign: 'top' } }}>
        <TableHead>
          <TableRow>
            <TableCell sx={hiddenBelow('sm')}>Received</TableCell>
            <TableCell>Alert</TableCell>
            <TableCell sx={hiddenBelow('sm')}>Source</TableCell>
            <TableCell sx={hiddenBelow('md')}>Decision</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {alerts.map((alert) => (
            <AlertRow key={alert.id} alert={alert} onSource={onSource} />
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}

interface AlertRowProps {
  readonly alert: ReceivedAlert;
  readonly onSource: ReceivedTableProps['onSource'];
}

function AlertRow({ alert, onSource }: AlertRowProps) {
  return (
    <TableRow data-testid="received-alert" data-action={alert.action}>
      <TableCell sx={{ ...hiddenBelow('sm'), fontVariantNumeric: 'tabular-nums' }}>
        <Received alert={alert} />
      </TableCell>
      <TableCell sx={{ overflowWrap: 'anywhere' }}>
        <Box dir="auto" sx={{ fontWeight: 600 }}>
          {showBidiControls(alert.title)}
        </Box>
        <AlertState alert={alert} />
        <AlertTimes alert={alert} />
        <Box sx={onlyBelow('md')}>
          <DecisionWithSession alert={alert} />
        </Box>
        <Secondary size="small" component="div" sx={onlyBelow('sm')}>
          received <RelativeTime at={alert.received_at} updateEveryMs={5000} />
        </Secondary>
        <AlertDetails alert={alert} />
      </TableCell>
      <TableCell sx={{ ...hiddenBelow('sm'), overflowWrap: 'anywhere' }}>
        <Button
          size="small"
          color="inherit"
          onClick={() => onSource(alert.source)}
          title={`Only alerts of ${alert.source}`}
          sx={{ p: 0, minWidth: 0, textAlign: 'left', fontWeight: 600 }}
        >
          {alert.source}
        </Button>
      </TableCell>
      <TableCell sx={{ ...hiddenBelow('md'), overflowWrap: 'anywhere' }}>
        <DecisionWithSession alert={alert} />
      </TableCell>
    </TableRow>
  );
}

function Received({ alert }: Pick<AlertRowProps, 'alert'>) {
  return (
    <>
      <RelativeTime at={alert.received_at} updateEveryMs={5000} />
      <Secondary size="small">
        <DateTime at={alert.received_at} />
      </Secondary>
    </>
  );
}

function DecisionWithSession({ alert }: Pick<AlertRowProps, 'alert'>) {
  const { session_id: session } = alert;
  return (
    <>
      <AlertDecision alert={alert} />
      {session !== null && (
        <Link component={RouterLink} to={pages.session(session)} sx={{ fontSize: '0.8125rem' }}>
          Session {shortId(session)}
        </Link>
      )}
    </>
  );
}
