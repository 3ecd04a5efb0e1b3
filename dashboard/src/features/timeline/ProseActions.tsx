import { Button } from '@mui/material';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useMay } from '../../api/access';
import { asApiError } from '../../api/errors';
import { getProse, postmortemKey, proseKey, requestProse, type Prose } from '../../api/postmortem';
import { humanize } from '../../lib/text/format';
import { Secondary } from '../../ui/layout/Secondary';

const ProseEditor = lazy(() => import('./ProseEditor'));

/** How often prose that is being written is read. */
const REFETCH_MS = 3_000;

const isOpen = (prose: Prose | null | undefined) =>
  prose?.status === 'pending' || prose?.status === 'in_progress';

const failures: Readonly<Record<string, string>> = {
  invalid: 'No sentence of the model is backed by a fact of the record.',
  failed: 'The model could not be called.',
  timed_out: 'The model took too long.',
  budget_used_up: 'Daily token limit reached. Ask again tomorrow.',
  attempts_used_up: 'Failed after five attempts.',
  unreadable: 'Its request cannot be read: ask again.',
};

/** Has a model write summary, what happened and lessons, and lets people edit them. */
export function ProseActions({ session }: { readonly session: string }) {
  const may = useMay('review_session');
  const [editing, setEditing] = useState(false);
  const client = useQueryClient();
  const { data: prose } = useQuery({
    queryKey: proseKey(session),
    queryFn: ({ signal }) => getProse(session, signal),
    refetchInterval: ({ state }) => (isOpen(state.data) ? REFETCH_MS : false),
    gcTime: 0,
  });
  const status = prose?.status;
  useEffect(() => {
    if (status === 'completed') void client.invalidateQueries({ queryKey: postmortemKey(session) });
  }, [client, session, status]);
  const ask = useMutation({
    mutationFn: () => requestProse(session, (prose?.edited ?? null) !== null),
    onSettled: () => client.invalidateQueries({ queryKey: proseKey(session) }),
  });
  if (prose === undefined) return null;
  return (
    <>
      <Secondary component="span" role="status" sx={{ flexGrow: 1, px: 1 }} testId="prose-state">
        {ask.error ? asApiError(ask.error).message : describe(prose)}
      </Secondary>
      {may && status === 'completed' && <Button onClick={() => setEditing(true)}>Edit text</Button>}
      {may && (
        <Button onClick={() => ask.mutate()} disabled={ask.isPending || isOpen(prose)}>
          {labelOf(prose)}
        </Button>
      )}
      {editing && prose && (
        <Suspense fallback={null}>
          <ProseEditor session={session} prose={prose} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </>
  );
}

function labelOf(prose: Prose | null): string {
  if (prose === null || prose.status === 'failed') return 'Write with a model';
  return prose.edited === null ? 'Write again' : 'Replace edited text';
}

function describe(prose: Prose | null): string {
  if (isOpen(prose)) return 'A model is writing.';
  if (prose?.failure) return failures[prose.failure] ?? humanize(prose.failure);
  return '';
}
