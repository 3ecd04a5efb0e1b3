import { Box, Table, TableBody, TableCell, TableHead, TableRow } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { StreamState } from '../../api/system';
import { formatBytes, formatExact } from '../../lib/text/format';
import { Badge } from '../../ui/badges/Badge';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { systemStateQuery } from './queries';

/** From here on somebody should look: streams refuse or drop messages when they are full. */
const NEARLY_FULL = 0.8;

/** The streams of NATS: how full they are, and how far their consumers lag behind. */
export function Streams() {
  const query = useQuery(systemStateQuery);
  const streams = query.data?.streams;
  const bus = query.data?.bus;
  return (
    <Panel title="NATS streams" testId="streams">
      <LoadState query={query} noun="the streams" heightPx={160} />
      {streams === null && (
        <Secondary>
          <Badge tone="error">Unavailable</Badge> JetStream does not answer. Live views are late; no
          data is lost.
        </Secondary>
      )}
      {bus && (
        <Secondary>
          nats-server {bus.version}, {formatBytes(bus.storage_bytes)}
          {bus.max_storage_bytes !== null && ` of ${formatBytes(bus.max_storage_bytes)}`} stored
        </Secondary>
      )}
      {streams && <StreamTable streams={streams} />}
    </Panel>
  );
}

function StreamTable({ streams }: { readonly streams: readonly StreamState[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus
    <Box
      role="region"
      aria-label="Streams and their consumers"
      tabIndex={0}
      sx={{ overflowX: 'auto' }}
    >
      <Table
        size="small"
        sx={{
          '& th, & td': { px: 0.75, verticalAlign: 'top' },
          // All columns fit a phone.
          '& td': { fontSize: { xs: '0.75rem', sm: '0.875rem' } },
        }}
      >
        <TableHead>
          <TableRow>
            <TableCell>Stream</TableCell>
            <TableCell>Messages</TableCell>
            <TableCell>Storage</TableCell>
            <TableCell sx={fromTablet}>Consumer lag</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {streams.map((stream) => (
            <StreamRow key={stream.name} stream={stream} />
          ))}
        </TableBody>
      </Table>
    </Box>
  );
}

function StreamRow({ stream }: { readonly stream: StreamState }) {
  const { name, messages, bytes, max_bytes: most, consumers } = stream;
  const { replicas, current_replicas: current, refuses_when_full: refuses } = stream;
  return (
    <TableRow data-testid="stream">
      <TableCell sx={{ overflowWrap: 'anywhere' }}>
        {name}{' '}
        {current < replicas && (
          <Badge tone="warning" tooltip="The other servers are unavailable or catching up">
            {current} of {replicas} replicas
          </Badge>
        )}
        <Box sx={{ display: { sm: 'none' }, color: 'text.secondary' }}>
          <Lag consumers={consumers} />
        </Box>
      </TableCell>
      <TableCell>{formatExact(messages)}</TableCell>
      <TableCell sx={{ minWidth: 72 }}>
        {formatBytes(bytes)}
        {most > 0 && ` of ${formatBytes(most)}`}{' '}
        {most > 0 && bytes / most >= NEARLY_FULL && (
          <Badge
            tone="warning"
            tooltip={
              refuses
                ? 'It refuses new messages when it is full'
                : 'It drops the oldest messages when it is full'
            }
          >
            Nearly full
          </Badge>
        )}
      </TableCell>
      <TableCell sx={fromTablet}>
        {consumers.length === 0 ? '–' : <Lag consumers={consumers} />}
      </TableCell>
    </TableRow>
  );
}

/** A phone has the lag below the name of the stream. */
const fromTablet = { display: { xs: 'none', sm: 'table-cell' } } as const;

function Lag({ consumers }: Pick<StreamState, 'consumers'>) {
  return consumers.map((consumer) => (
    <div key={consumer.name}>
      {consumer.name}: {formatExact(consumer.pending)} pending,{' '}
      {formatExact(consumer.unacknowledged)} unacknowledged
    </div>
  ));
}
