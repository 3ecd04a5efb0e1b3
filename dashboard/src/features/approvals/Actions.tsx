import { Box } from '@mui/material';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { readActions, rollBack, type Action } from '../../api/actions';
import { useLacksToken, useMay } from '../../api/access';
import { asApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import type { Tone } from '../../lib/session/status';
import { showBidiControls } from '../../lib/text/bidi';
import { inlineValue } from '../../lib/text/format';
import { Badge } from '../../ui/badges/Badge';
import { Callout } from '../../ui/notices/Callout';
import { LocalTokenHint } from '../../ui/notices/LocalTokenHint';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { CallArguments } from '../../ui/text/CallArguments';
import { TraceId } from '../../ui/text/TraceId';
import { lineOf, Plan } from './Plan';
import { ReadFirst } from './ReadFirst';

interface ActionsProps {
  /** Session id. */
  readonly session: string;
  /** As the API has them. */
  readonly actions: readonly unknown[];
}

/** The calls of a session that change something, with what became of them. */
export default function Actions({ session, actions }: ActionsProps) {
  return (
    <Panel title="Actions" testId="actions">
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        {readActions(actions).map((action) => (
          <Entry key={action.id} session={session} action={action} />
        ))}
      </Box>
    </Panel>
  );
}

const outcomes: Readonly<Record<string, readonly [string, Tone]>> = {
  worked: ['Worked', 'success'],
  did_not_work: ['Did not work', 'error'],
  unknown: ['Unknown', 'warning'],
};

function stateOf({ state, outcome }: Action): readonly [string, Tone] {
  if (state === 'not_made') return ['Not made', 'neutral'];
  return outcomes[outcome ?? ''] ?? ['Open', 'neutral'];
}

interface EntryProps {
  readonly session: string;
  readonly action: Action;
}

function Entry({ session, action }: EntryProps) {
  const [label, tone] = stateOf(action);
  const number = action.call_number === null ? '' : `[call ${action.call_number}] `;
  return (
    <Box data-testid="action" sx={{ display: 'grid', gap: 0.5 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'baseline' }}>
        <Box component="code" sx={{ fontFamily: 'var(--tarsy-mono)', overflowWrap: 'anywhere' }}>
          {showBidiControls(`${number}${lineOf(action.call)}`)}
        </Box>
        <Badge tone={tone} testId="action-outcome">
          {label}
        </Badge>
      </Box>
      <Plan plan={action} dryRun={action.dry_run} />
      <Values action={action} />
      {action.reason !== null && <Secondary>{showBidiControls(action.reason)}</Secondary>}
      {action.alert_answer !== null && (
        <Secondary>{`The alert: ${showBidiControls(action.alert_answer)}`}</Secondary>
      )}
      {action.rollback_by !== null && (
        <Secondary>{`${showBidiControls(action.rollback_by)} asked for its rollback`}</Secondary>
      )}
      {action.may_roll_back && <RollBack session={session} action={action} />}
    </Box>
  );
}

/** What the check read before the call and afterwards. */
function Values({ action: { before, observed } }: { readonly action: Action }) {
  const values = [
    ['Before', before?.observed ?? null],
    ['After', observed],
  ] as const;
  const known = values.flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${showBidiControls(value)}`],
  );
  if (known.length === 0) return null;
  return <Secondary testId="action-values">{known.join(' · ')}</Secondary>;
}

/** The button that takes an action back, below the call that it approves. */
function RollBack({ session, action }: EntryProps) {
  const client = useQueryClient();
  const may = useMay('approve_call');
  const lacksToken = useLacksToken('approve_call');
  const call = action.rollback?.call;
  const hasArguments = inlineValue(call?.arguments) !== '';
  const [read, setRead] = useState(!hasArguments);
  const begin = useMutation({
    mutationFn: () => rollBack(session, action.id),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.detail(session) }),
  });
  if (lacksToken) return <LocalTokenHint activity="roll this call back" />;
  if (!may) return null;
  return (
    <>
      {call && hasArguments && (
        <CallArguments
          value={call.arguments}
          maxHeight="clamp(8.5rem, 30vh, 16rem)"
          onRead={() => setRead(true)}
        />
      )}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
        <ReadFirst
          label="Roll back"
          verb="roll it back"
          read={read}
          disabled={begin.isPending || begin.isSuccess}
          onClick={() => begin.mutate()}
          testId="roll-back"
        />
        {begin.error !== null && (
          <Callout tone="error" testId="rollback-error">
            {asApiError(begin.error).message}
            <TraceId error={begin.error} />
          </Callout>
        )}
      </Box>
    </>
  );
}
