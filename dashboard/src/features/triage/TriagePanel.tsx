import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { meQuery, useLacksToken, useMay } from '../../api/access';
import { asApiError } from '../../api/errors';
import type { SessionDetail } from '../../api/sessions';
import { triageQuery, type TriageChange } from '../../api/triage';
import { useSoon } from '../../lib/browser/background';
import { Callout } from '../../ui/notices/Callout';
import { Disclosure } from '../../ui/layout/Disclosure';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { TraceId } from '../../ui/text/TraceId';
import { TriageBadge } from '../../ui/badges/TriageBadge';
import { Entries } from './Entries';
import { NoteForm } from './NoteForm';
import { useTriage } from './useTriage';

/** Who works on the session, and what they wrote. Everybody reads it; the actions are for those who may triage. */
export function TriagePanel({ session }: { readonly session: SessionDetail }) {
  const mayTriage = useMay('triage_session');
  const lacksToken = useLacksToken('triage_session');
  // The state is in what is read of the session: nothing waits for how it came to be.
  const wanted = useSoon() && session.triage_entries > 0;
  const query = useQuery({ ...triageQuery(session.id), enabled: wanted });
  const { triage, assignee } = session;
  const save = useTriage(session.id);
  return (
    <Panel title="Work" testId="triage" shortcut="w">
      <Box sx={lineStyle}>
        <TriageBadge triage={triage} assignee={assignee} />
        {mayTriage && (
          <Actions
            triage={triage}
            assignee={assignee}
            disabled={save.isPending}
            onChange={save.mutate}
          />
        )}
      </Box>
      {save.error && (
        <Callout tone="error" title="The session was not changed" testId="triage-error">
          {asApiError(save.error).message}
          <TraceId error={asApiError(save.error)} />
        </Callout>
      )}
      {lacksToken && (
        <Secondary>
          To take this session, open the address that <code>tarsy open</code> prints.
        </Secondary>
      )}
      {mayTriage && (
        <Disclosure
          summary={<Secondary component="span">Add a note or assign</Secondary>}
          testId="triage-more"
        >
          <NoteForm key={session.id} session={session.id} isHeld={triage !== 'new'} />
        </Disclosure>
      )}
      <Box sx={{ minHeight: 24 }}>
        {wanted && <LoadState query={query} noun="notes" heightPx={24} />}
        {session.triage_entries === 0 && <Secondary>No notes yet.</Secondary>}
        {query.data && <Entries entries={query.data.entries} />}
      </Box>
    </Panel>
  );
}

const lineStyle = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 } as const;

interface ActionsProps {
  readonly triage: string;
  readonly assignee: string | null;
  readonly disabled: boolean;
  readonly onChange: (change: TriageChange) => void;
}

/** What is next: what another person has is taken over first. */
function Actions({ triage, assignee, disabled, onChange }: ActionsProps) {
  const { data: me } = useQuery(meQuery);
  return actionsOf(triage, assignee !== null && assignee === me?.name).map(([title, change]) => (
    <Button
      key={title}
      size="small"
      variant="outlined"
      disabled={disabled}
      onClick={() => onChange(change)}
    >
      {title}
    </Button>
  ));
}

type Action = readonly [title: string, change: TriageChange];

function actionsOf(triage: string, isOwn: boolean): readonly Action[] {
  const done: Action = ['Mark as done', { triage: 'done' }];
  if (triage === 'new') return [['Take', { triage: 'taken' }], done];
  if (triage === 'done') return [['Reopen', { triage: 'new', take_over: true }]];
  if (isOwn) return [done, ['Give back', { triage: 'new' }]];
  return [['Take over', { triage: 'taken', take_over: true }]];
}
