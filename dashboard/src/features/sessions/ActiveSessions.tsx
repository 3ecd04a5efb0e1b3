import { Box, Button, Link, Skeleton, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { asApiError } from '../../api/errors';
import type { ActiveItem } from '../../api/sessions';
import { useFallbackInterval } from '../../live/LiveProvider';
import type { SessionProgress } from '../../live/listFeed';
import { shortId } from '../../lib/format';
import { pages } from '../../lib/paths';
import { ErrorState } from '../../ui/ErrorState';
import { Panel } from '../../ui/Panel';
import { StatusChip } from '../../ui/StatusChip';
import { Ago, Elapsed } from '../../ui/times';
import { activeQuery, progressQuery } from './queries';

/** So many that wait are shown before one asks for all. */
const QUEUE_SHOWN = 10;

/** What runs now and what waits for its turn. */
export function ActiveSessions() {
  const pollEvery = useFallbackInterval(5000);
  const { data, error, isPending, refetch } = useQuery({
    ...activeQuery,
    refetchInterval: pollEvery,
  });
  const { data: progress } = useQuery(progressQuery);
  const [whole, setWhole] = useState(false);
  const queued = data?.queued ?? [];
  const hidden = queued.length > QUEUE_SHOWN + 1 ? queued.length - QUEUE_SHOWN : 0;
  const shown = whole || hidden === 0 ? queued : queued.slice(0, QUEUE_SHOWN);
  const items = data ? [...data.active, ...shown] : [];
  return (
    <Panel title={title(data?.active.length, data?.queued.length)} testId="active-panel">
      {isPending && (
        <Skeleton
          variant="rounded"
          height={44}
          role="status"
          aria-label="Loading running sessions"
        />
      )}
      {error && (
        <ErrorState
          title="Running sessions could not be loaded"
          message={asApiError(error).message}
          onRetry={() => void refetch()}
        />
      )}
      {data && items.length === 0 && (
        <Typography sx={{ color: 'text.secondary' }}>
          Nothing is running. New alerts appear here at once.
        </Typography>
      )}
      {items.length > 0 && (
        <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {items.map((item) => (
            <ActiveRow key={item.id} item={item} progress={progress[item.id]} />
          ))}
        </Box>
      )}
      {hidden > 0 && (
        <Button
          size="small"
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
          data-testid="whole-queue"
        >
          {whole ? 'Show only the first of the queue' : `Show ${hidden} more in the queue`}
        </Button>
      )}
    </Panel>
  );
}

function title(active: number | undefined, queued: number | undefined): string {
  if (active === undefined || queued === undefined) return 'Running';
  return queued > 0 ? `Running (${active}) and queued (${queued})` : `Running (${active})`;
}

interface ActiveRowProps {
  readonly item: ActiveItem;
  readonly progress: SessionProgress | undefined;
}

const ActiveRow = memo(function ActiveRow({ item, progress }: ActiveRowProps) {
  return (
    <Box
      component="li"
      data-testid="active-session"
      data-session-id={item.id}
      sx={{
        display: 'flex',
        alignItems: 'center',
        flexWrap: 'wrap',
        columnGap: 2,
        rowGap: 0.25,
        py: 1,
        px: 1,
        mx: -1,
        borderRadius: 1,
        position: 'relative',
        '&:hover': { bgcolor: 'action.hover' },
        '& + &': { borderTop: 1, borderColor: 'divider' },
      }}
    >
      <Box sx={{ minWidth: 108 }}>
        <StatusChip status={item.status} />
      </Box>
      <Box sx={{ flexGrow: 1, minWidth: 200, flexBasis: 0 }}>
        <Link
          component={RouterLink}
          to={pages.session(item.id)}
          underline="hover"
          color="text.primary"
          sx={{ fontWeight: 600, '&::after': { content: '""', position: 'absolute', inset: 0 } }}
        >
          {item.alert_type ?? 'Alert'}
        </Link>
        <Typography noWrap sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
          {explain(item, progress)}
        </Typography>
      </Box>
      <Meta>{item.chain_id}</Meta>
      <Meta>{item.author ?? 'unknown author'}</Meta>
      <Typography
        sx={{
          minWidth: 80,
          textAlign: 'right',
          fontVariantNumeric: 'tabular-nums',
          fontWeight: 600,
        }}
      >
        {item.started_at === null ? (
          <Ago since={item.created_at} />
        ) : (
          <Elapsed from={item.started_at} />
        )}
      </Typography>
    </Box>
  );
});

function Meta({ children }: { readonly children: string }) {
  return (
    <Typography
      sx={{ color: 'text.secondary', fontSize: '0.8125rem', display: { xs: 'none', md: 'block' } }}
    >
      {children}
    </Typography>
  );
}

function explain(item: ActiveItem, progress: SessionProgress | undefined): string {
  if (item.queue_position !== null) return `Number ${item.queue_position} in the queue`;
  if (!progress) return `Session ${shortId(item.id)}`;
  const { stageName, text } = progress;
  if (text === '' || text.startsWith(stageName)) return text === '' ? stageName : text;
  return `${stageName}: ${text}`;
}
