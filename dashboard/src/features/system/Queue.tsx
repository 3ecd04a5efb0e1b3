import { Box, Link } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Link as RouterLink } from 'react-router';
import type { SessionLease, SystemState } from '../../api/system';
import { formatBytes, formatExact, joinParts, plural, shortId } from '../../lib/text/format';
import { pages } from '../../lib/browser/paths';
import { Badge } from '../../ui/badges/Badge';
import { DescriptionList } from '../../ui/layout/DescriptionList';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { plainList } from '../../ui/theme/tokens';
import { RelativeTime, TimeUntil } from '../../ui/numbers/times';
import { systemStateQuery } from './queries';

/** What waits for a worker, who works on what, and the database that has both. */
export function Queue() {
  const query = useQuery(systemStateQuery);
  const { data } = query;
  return (
    <Panel title="Queue and PostgreSQL" testId="queue">
      <LoadState query={query} noun="the queue" heightPx={160} />
      {data?.queue === null && <Unreachable />}
      {data?.queue && <QueueFacts queue={data.queue} />}
      {data?.database && <DatabaseFacts database={data.database} />}
    </Panel>
  );
}

function Unreachable() {
  return (
    <Secondary>
      <Badge tone="error">Unavailable</Badge> PostgreSQL is unavailable. NATS keeps alerts until it
      is back.
    </Secondary>
  );
}

function QueueFacts({ queue }: { readonly queue: NonNullable<SystemState['queue']> }) {
  const { pending, oldest_pending_at: oldest, in_progress: running, leases } = queue;
  return (
    <>
      <DescriptionList
        items={[
          {
            term: 'Queued',
            value: (
              <>
                {formatExact(pending)}
                {oldest !== null && (
                  <>
                    , the oldest <RelativeTime at={oldest} updateEveryMs={5000} />
                  </>
                )}
              </>
            ),
          },
          { term: 'In progress', value: formatExact(running) },
          { term: 'Waiting for approval', value: formatExact(queue.waiting_for_approval) },
          { term: 'Dead letters', value: formatExact(queue.dead_letters) },
        ]}
      />
      {leases.length > 0 && (
        <Box component="ul" aria-label="Leases" sx={{ ...plainList, mt: 1 }}>
          {leases.map((lease) => (
            <LeaseRow key={lease.session_id} lease={lease} />
          ))}
        </Box>
      )}
    </>
  );
}

function LeaseRow({ lease }: { readonly lease: SessionLease }) {
  const {
    session_id: session,
    owner,
    expires_at: expiresAt,
    is_expired: expired,
    attempts,
  } = lease;
  return (
    <Box component="li" data-testid="lease" sx={{ py: 0.5, overflowWrap: 'anywhere' }}>
      <Link component={RouterLink} to={pages.session(session)} sx={{ fontSize: '0.8125rem' }}>
        Session {shortId(session)}
      </Link>{' '}
      {expired && <Badge tone="warning">Lease expired</Badge>}
      <Secondary size="small" component="div">
        {owner}, lease until <TimeUntil at={expiresAt} afterwards="now" />
        {attempts > 1 && `, ${plural(attempts, 'attempt')}`}
      </Secondary>
    </Box>
  );
}

function DatabaseFacts({ database }: { readonly database: NonNullable<SystemState['database']> }) {
  const { version, size_bytes: size, server_connections: connections } = database;
  const { max_connections: most, read_only: readOnly, schema, standbys } = database;
  return (
    <Box sx={{ mt: 1.5 }}>
      <DescriptionList
        items={[
          {
            term: 'PostgreSQL',
            value: (
              <>
                {version} {readOnly && <Badge tone="error">Read-only</Badge>}
              </>
            ),
          },
          { term: 'Size', value: formatBytes(size) },
          { term: 'Connections', value: `${formatExact(connections)} of ${formatExact(most)}` },
          ...(schema.problem === null ? [] : [{ term: 'Schema', value: schema.problem }]),
          ...standbys.map(({ name, state, lag_bytes: lag }) => ({
            term: `Standby ${name}`,
            value: joinParts([state, lag === null ? null : `${formatBytes(lag)} behind`]),
          })),
        ]}
      />
    </Box>
  );
}
