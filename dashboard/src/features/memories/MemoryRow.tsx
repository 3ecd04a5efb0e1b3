import { Box, Button, Link, Typography } from '@mui/material';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { useMay } from '../../api/access';
import {
  changeMemory,
  memoryKeys,
  type Memory,
  type MemoryChange,
  type MemorySource,
} from '../../api/memories';
import { showBidiControls } from '../../lib/text/bidi';
import { plural } from '../../lib/text/format';
import { pages } from '../../lib/browser/paths';
import { Badge } from '../../ui/badges/Badge';
import { ReviewBadge } from '../../ui/badges/ReviewBadge';
import { Secondary } from '../../ui/layout/Secondary';
import { RelativeTime } from '../../ui/numbers/times';
import { plainList } from '../../ui/theme/tokens';
import { Failure } from './Failure';

const MemoryDialog = lazy(() => import('./MemoryDialog'));

/** A memory with its sessions, and what may be done with it. */
export function MemoryRow({ memory }: { readonly memory: Memory }) {
  const about = [memory.object, memory.category].filter((part) => part !== null);
  const retired = memory.state === 'retired';
  return (
    <Box
      component="li"
      data-testid="memory"
      data-state={memory.state}
      sx={{
        py: 1.25,
        '& + &': { borderTop: 1, borderColor: 'divider' },
        overflowWrap: 'anywhere',
      }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'flex-start', columnGap: 1 }}>
        <Typography sx={{ flexGrow: 1, flexBasis: 320, minWidth: 0 }} dir="auto">
          {showBidiControls(memory.text)}
        </Typography>
        <Actions memory={memory} retired={retired} />
      </Box>
      <Secondary component="div">
        <Badge tone={retired ? 'neutral' : 'success'}>{retired ? 'Retired' : 'Active'}</Badge>{' '}
        {about.length > 0 && `${about.map(showBidiControls).join(' · ')} · `}
        {plural(memory.confirmations, 'confirmation')}
        {memory.contradictions > 0 && `, ${plural(memory.contradictions, 'contradiction')}`}
        {', last confirmed '}
        <RelativeTime at={memory.confirmed_at} updateEveryMs={30_000} />
        {memory.edited_by !== null && ` · edited by ${showBidiControls(memory.edited_by)}`}
      </Secondary>
      <Box component="ul" aria-label="Sessions of this memory" sx={plainList}>
        {memory.sources.map((source) => (
          <Source key={source.session_id} source={source} />
        ))}
      </Box>
    </Box>
  );
}

function Source({ source }: { readonly source: MemorySource }) {
  const title = source.title ?? 'Session without a title';
  return (
    <Box component="li" sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
      <ReviewBadge review={source.review} />
      <Link component={RouterLink} to={pages.session(source.session_id)}>
        <bdi>{showBidiControls(title)}</bdi>
      </Link>
      <Secondary component="span">
        {source.effect === 'contradicts' ? 'contradicts it' : 'confirms it'}, reviewed by{' '}
        {showBidiControls(source.reviewer)}, ended{' '}
        <RelativeTime at={source.ended_at} updateEveryMs={30_000} />
      </Secondary>
    </Box>
  );
}

interface ActionsProps {
  readonly memory: Memory;
  readonly retired: boolean;
}

function Actions({ memory, retired }: ActionsProps) {
  const may = useMay('review_session');
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null);
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (body: MemoryChange) => changeMemory(memory.id, body),
    onSuccess: () => client.invalidateQueries({ queryKey: memoryKeys }),
  });
  if (!may) return null;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5 }}>
      <Failure error={change.error} />
      <Button size="small" onClick={() => setDialog('edit')}>
        Edit
      </Button>
      <Button
        size="small"
        disabled={change.isPending}
        onClick={() => change.mutate({ state: retired ? 'active' : 'retired' })}
      >
        {retired ? 'Restore' : 'Retire'}
      </Button>
      <Button size="small" color="error" onClick={() => setDialog('delete')}>
        Delete
      </Button>
      {dialog !== null && (
        <Suspense fallback={null}>
          <MemoryDialog memory={memory} kind={dialog} onClose={() => setDialog(null)} />
        </Suspense>
      )}
    </Box>
  );
}
