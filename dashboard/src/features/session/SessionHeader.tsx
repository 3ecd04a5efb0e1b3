import { Box, Button, Link, Typography } from '@mui/material';
import { lazy, Suspense, useId, useState, type ReactNode } from 'react';
import { Link as RouterLink } from 'react-router';
import { useMay } from '../../api/access';
import type { SessionDetail } from '../../api/sessions';
import { alertTitle, hasFacts, safeLinks } from '../../lib/session/alert';
import { showBidiControls } from '../../lib/text/bidi';
import { pages } from '../../lib/browser/paths';
import { isTerminal, type StatusDescription } from '../../lib/session/status';
import { formatDuration } from '../../lib/time/time';
import { AlertFacts, AlertLinks } from '../../ui/findings/AlertFacts';
import { CopyLink } from '../../ui/text/CopyLink';
import { RecordedBadge } from '../../ui/badges/RecordedBadge';
import { Secondary } from '../../ui/layout/Secondary';
import { StatusChip } from '../../ui/badges/StatusChip';
import { ChevronIcon, PlusIcon, QueueIcon } from '../../ui/theme/icons';
import { Elapsed, RelativeTime } from '../../ui/numbers/times';
import { FindingsStatus } from './FindingsStatus';

const CancelButton = lazy(async () => ({
  default: (await import('./CancelButton')).CancelButton,
}));

interface SessionHeaderProps {
  readonly session: SessionDetail;
  readonly state: StatusDescription;
  /** The first step that found injected instructions; null without one. */
  readonly injectedStep: string | null;
  /** How much was not examined. */
  readonly unexamined: number;
  /** The action that most people want. */
  readonly primary?: ReactNode;
  /** Further actions. */
  readonly children?: ReactNode;
}

export function SessionHeader(props: SessionHeaderProps) {
  const { session, state, injectedStep, unexamined, primary, children } = props;
  return (
    <Box component="header" sx={{ mb: 2 }}>
      <Breadcrumb id={session.id} />
      <TitleLine session={session} state={state} />
      <Identity session={session} />
      <Recorded session={session} />
      <FindingsStatus session={session} injectedStep={injectedStep} unexamined={unexamined} />
      <Actions session={session} primary={primary}>
        {children}
      </Actions>
    </Box>
  );
}

function TitleLine({ session, state }: Pick<SessionHeaderProps, 'session' | 'state'>) {
  return (
    <Box
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1.5, rowGap: 0.5 }}
    >
      <Typography component="h1" variant="h1" sx={{ overflowWrap: 'anywhere' }}>
        <bdi>{showBidiControls(alertTitle(session))}</bdi>
      </Typography>
      <StatusChip status={session.status} shown={state} size="medium" testId="session-status" />
      <Typography sx={{ color: 'text.secondary' }}>
        <SessionDuration session={session} />
        {' · submitted '}
        <RelativeTime
          at={session.created_at}
          updateEveryMs={isTerminal(session.status) ? 30_000 : 1000}
        />
        {session.author && (
          <>
            {' by '}
            <bdi>{showBidiControls(session.author)}</bdi>
          </>
        )}
      </Typography>
    </Box>
  );
}

/** What the alert is about, with the pages that its sender named. */
function Identity({ session }: Pick<SessionHeaderProps, 'session'>) {
  const links = safeLinks(session.links);
  if (links.length === 0 && !hasFacts(session)) return null;
  return (
    <Box
      data-testid="alert-identity"
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'center',
        columnGap: 0.75,
        overflowWrap: 'anywhere',
        mt: 0.5,
        '& a': { ml: 0.75 },
      }}
    >
      <AlertFacts alert={session} />
      <AlertLinks links={links} />
    </Box>
  );
}

/** Whether this was an investigation, or a record of one. */
function Recorded({ session }: Pick<SessionHeaderProps, 'session'>) {
  const { origin, replay_of: original } = session;
  if (origin === 'alert') return null;
  return (
    <Box
      data-testid="recorded"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mt: 0.75 }}
    >
      <RecordedBadge origin={origin} />
      <Secondary component="span">
        {origin === 'replay'
          ? 'Tool results come from a record; nothing was executed.'
          : 'Imported record: alert and tool results, to be replayed.'}
      </Secondary>
      {original !== null && (
        <Link component={RouterLink} to={pages.session(original)} sx={{ fontSize: '0.8125rem' }}>
          Open the record
        </Link>
      )}
    </Box>
  );
}

function Breadcrumb({ id }: { readonly id: string }) {
  return (
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
        {id}
      </Box>
    </Typography>
  );
}

function SessionDuration({ session }: { readonly session: SessionDetail }) {
  const { status, started_at: startedAt, completed_at: completedAt } = session;
  if (isTerminal(status) && session.duration_ms !== null) {
    return <>{formatDuration(session.duration_ms)}</>;
  }
  if (startedAt === null) return <>not started</>;
  return <Elapsed from={startedAt} to={isTerminal(status) ? completedAt : null} />;
}

type ActionsProps = Pick<SessionHeaderProps, 'session' | 'primary' | 'children'>;

function Actions({ session, primary, children }: ActionsProps) {
  // It stays until the page is left: it reports why a cancellation failed.
  const [wasRunning] = useState(!isTerminal(session.status));
  const maySubmit = useMay('submit_alert');
  return (
    // A row of their own: some are loaded later, and nothing else moves then.
    <Box sx={{ mt: 1, ml: -0.5, display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {primary}
      {wasRunning && (
        <Suspense fallback={null}>
          <CancelButton session={session} />
        </Suspense>
      )}
      <CopyLink page={pages.session(session.id)} to="the session" />
      <OnDemand>
        <ActionLink to={pages.trace(session.id)} icon={<QueueIcon />} testId="trace-link">
          Trace
        </ActionLink>
        {maySubmit && isTerminal(session.status) && (
          <ActionLink
            to={pages.resubmit(session.id)}
            icon={<PlusIcon />}
            testId="resubmit"
            isPrimary={!primary && session.origin !== 'recording'}
          >
            Re-run
          </ActionLink>
        )}
        {children}
      </OnDemand>
    </Box>
  );
}

/** On a phone, and zoomed, the finding comes first: what is seldom wanted is behind a button. */
function OnDemand({ children }: { readonly children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <Button
        size="small"
        color="inherit"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        endIcon={<ChevronIcon sx={{ transform: open ? 'rotate(180deg)' : undefined }} />}
        data-testid="more-actions"
        sx={{ display: { md: 'none' }, color: 'text.secondary' }}
      >
        More
      </Button>
      <Box id={id} sx={{ display: { xs: open ? 'contents' : 'none', md: 'contents' } }}>
        {children}
      </Box>
    </>
  );
}

interface ActionLinkProps {
  readonly to: string;
  readonly icon: ReactNode;
  readonly testId: string;
  readonly isPrimary?: boolean;
  readonly children: string;
}

function ActionLink({ to, icon, testId, isPrimary = false, children }: ActionLinkProps) {
  return (
    <Button
      component={RouterLink}
      to={to}
      size="small"
      variant={isPrimary ? 'contained' : 'text'}
      color={isPrimary ? 'primary' : 'inherit'}
      startIcon={icon}
      data-testid={testId}
      sx={isPrimary ? undefined : { color: 'text.secondary' }}
    >
      {children}
    </Button>
  );
}
