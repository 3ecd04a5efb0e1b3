import { Box, Button, Link, Typography } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import type { SessionDetail } from '../../api/sessions';
import { pages } from '../../lib/paths';
import { isTerminal } from '../../lib/status';
import { elapsed, formatAgo, formatDateTime, formatDuration } from '../../lib/time';
import { useNow } from '../../lib/useNow';
import { CopyButton } from '../../ui/CopyButton';
import { StatusChip } from '../../ui/StatusChip';
import { PlusIcon, QueueIcon } from '../../ui/icons';
import { CancelButton } from './CancelButton';

export function SessionHeader({ session }: { readonly session: SessionDetail }) {
  const running = !isTerminal(session.status);
  const now = useNow(true, running ? 1000 : 30_000);
  const took = running
    ? elapsed(session.started_at, null, now)
    : (session.duration_ms ?? elapsed(session.started_at, session.completed_at, now));
  return (
    <Box component="header" sx={{ mb: 2 }}>
      <Typography sx={{ fontSize: '0.8125rem', mb: 0.5 }}>
        <Link component={RouterLink} to={pages.sessions} underline="always">
          Sessions
        </Link>
        <Box component="span" aria-hidden sx={{ color: 'text.secondary', mx: 0.75 }}>
          /
        </Box>
        <Box
          component="span"
          data-testid="session-id"
          sx={{
            fontFamily: 'var(--tarsy-mono)',
            color: 'text.secondary',
            overflowWrap: 'anywhere',
          }}
        >
          {session.id}
        </Box>
      </Typography>
      <Box
        sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1.5, rowGap: 1 }}
      >
        <Typography component="h1" variant="h1" sx={{ overflowWrap: 'anywhere' }}>
          {session.alert_type ?? 'Alert'}
        </Typography>
        <StatusChip status={session.status} size="medium" testId="session-status" />
        <Typography sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
          {took === null ? 'not started' : formatDuration(took)}
          {' · submitted '}
          <time dateTime={session.created_at} title={formatDateTime(session.created_at)}>
            {formatAgo(session.created_at, now)}
          </time>
          {session.author && ` by ${session.author}`}
        </Typography>
        <Box sx={{ ml: 'auto', display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          <Button
            component={RouterLink}
            to={pages.trace(session.id)}
            size="small"
            color="inherit"
            startIcon={<QueueIcon />}
            data-testid="to-trace"
            sx={{ color: 'text.secondary' }}
          >
            Trace
          </Button>
          <CopyButton text={session.id} label="Copy id of the session">
            Copy id
          </CopyButton>
          {!running && (
            <Button
              component={RouterLink}
              to={pages.again(session.id)}
              size="small"
              color="inherit"
              startIcon={<PlusIcon />}
              data-testid="submit-again"
              sx={{ color: 'text.secondary' }}
            >
              Submit again
            </Button>
          )}
          <CancelButton session={session} />
        </Box>
      </Box>
    </Box>
  );
}
