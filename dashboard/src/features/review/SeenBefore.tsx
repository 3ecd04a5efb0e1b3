import { Box, Link, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Link as RouterLink } from 'react-router';
import type { SessionDetail, SessionItem } from '../../api/sessions';
import { earlierCount } from '../../lib/session/alert';
import { showBidiControls } from '../../lib/text/bidi';
import { whyFailed } from '../../lib/session/failure';
import { firstLine, shortId } from '../../lib/text/format';
import { pages, SEEN_BEFORE_ID } from '../../lib/browser/paths';
import { Disclosure } from '../../ui/layout/Disclosure';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { ReviewBadge } from '../../ui/badges/ReviewBadge';
import { Secondary } from '../../ui/layout/Secondary';
import { StatusChip } from '../../ui/badges/StatusChip';
import { RelativeTime } from '../../ui/numbers/times';
import { plainList } from '../../ui/theme/tokens';
import { EARLIER_SHOWN, earlierQuery } from './queries';

/** What is known about the same problem: reviewed sessions, and the sessions of the same fingerprint. */
export function SeenBefore({ session }: { readonly session: SessionDetail }) {
  const { seen_before: seen, earlier_sessions: earlier, fingerprint, recalled } = session;
  const hasEarlier = fingerprint !== null && earlier.count > 0;
  if (seen.length === 0 && recalled.length === 0 && !hasEarlier) return null;
  return (
    <Panel title="Seen before" id={SEEN_BEFORE_ID} testId="seen-before">
      {seen.length > 0 && (
        <Box component="ul" aria-label="Reviewed sessions about the same problem" sx={plainList}>
          {seen.map((reviewed) => (
            <Reviewed key={reviewed.session_id} reviewed={reviewed} />
          ))}
        </Box>
      )}
      {recalled.length > 0 && (
        <Box component="ul" aria-label="Memories given to the agents" sx={plainList}>
          {recalled.map((memory) => (
            <Recalled key={memory.memory_id} memory={memory} />
          ))}
        </Box>
      )}
      {hasEarlier && (
        <Disclosure
          summary={
            <Secondary component="span">
              {earlierCount(earlier.count)} earlier {earlier.count === 1 ? 'session' : 'sessions'}{' '}
              of the same alert
            </Secondary>
          }
          testId="earlier-sessions"
        >
          <Earlier session={session} fingerprint={fingerprint} />
        </Disclosure>
      )}
    </Panel>
  );
}

const rowStyles = {
  py: 0.75,
  '& + &': { borderTop: 1, borderColor: 'divider' },
  overflowWrap: 'anywhere',
} as const;

function SessionPageLink({ id }: { readonly id: string }) {
  return (
    <Link component={RouterLink} to={pages.session(id)}>
      Session {shortId(id)}
    </Link>
  );
}

interface ReviewedProps {
  readonly reviewed: SessionDetail['seen_before'][number];
}

function Reviewed({ reviewed }: ReviewedProps) {
  const { session_id: id, review, actual_cause: cause, finding, object, category } = reviewed;
  const about = [object, category].filter((part) => part !== null).map(showBidiControls);
  return (
    <Box component="li" data-testid="seen-session" sx={rowStyles}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1 }}>
        <ReviewBadge review={review} />
        <SessionPageLink id={id} />
        <Secondary component="span">
          ended <RelativeTime at={reviewed.ended_at} updateEveryMs={30_000} />
          {about.length > 0 && ` · ${about.join(' · ')}`}
        </Secondary>
      </Box>
      {cause !== null && (
        <Typography dir="auto">
          Actual cause: <bdi>{showBidiControls(cause)}</bdi>
        </Typography>
      )}
      {finding !== null && (
        <Secondary component="div">
          Found: <bdi>{firstLine(finding, 300)}</bdi>
        </Secondary>
      )}
    </Box>
  );
}

/** A memory as the investigation was given it. */
function Recalled({ memory }: { readonly memory: SessionDetail['recalled'][number] }) {
  return (
    <Box component="li" data-testid="recalled" sx={rowStyles}>
      <Typography dir="auto">
        Memory: <bdi>{showBidiControls(memory.text)}</bdi>
      </Typography>
      <ReviewBadge review={memory.review} /> <SessionPageLink id={memory.session_id} />{' '}
      <Secondary component="span">
        ended <RelativeTime at={memory.ended_at} updateEveryMs={30_000} />
      </Secondary>
    </Box>
  );
}

interface EarlierProps {
  readonly session: SessionDetail;
  readonly fingerprint: string;
}

function Earlier({ session, fingerprint }: EarlierProps) {
  const query = useQuery(earlierQuery(session));
  return (
    <>
      <LoadState query={query} noun="earlier sessions" heightPx={80} />
      <Box component="ul" aria-label="Earlier sessions of the same alert" sx={plainList}>
        {query.data?.map((earlier) => (
          <EarlierSession key={earlier.id} session={earlier} />
        ))}
      </Box>
      {session.earlier_sessions.count > EARLIER_SHOWN && (
        <Link component={RouterLink} to={pages.sessionsOf(fingerprint)}>
          Show all in the list
        </Link>
      )}
    </>
  );
}

function EarlierSession({ session }: { readonly session: SessionItem }) {
  const { id, status, review, created_at: createdAt } = session;
  const line = session.executive_summary ?? whyFailed(session);
  return (
    <Box component="li" data-testid="earlier-session" sx={rowStyles}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1 }}>
        <StatusChip status={status} />
        {review !== null && <ReviewBadge review={review} />}
        <SessionPageLink id={id} />
        <Secondary component="span">
          <RelativeTime at={createdAt} updateEveryMs={30_000} />
        </Secondary>
      </Box>
      {line && <Secondary component="div">{firstLine(line, 240)}</Secondary>}
    </Box>
  );
}
