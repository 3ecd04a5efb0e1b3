import { Box } from '@mui/material';
import { useState, type ReactNode } from 'react';
import { readDryRun, readPlan } from '../../api/actions';
import type { Decision } from '../../api/approvals';
import { showBidiControls } from '../../lib/text/bidi';
import { inlineValue } from '../../lib/text/format';
import { showExactly } from '../../lib/text/visible';
import { CallArguments } from '../../ui/text/CallArguments';
import { Secondary } from '../../ui/layout/Secondary';
import { Countdown } from '../../ui/numbers/times';
import { Decide } from './Decide';
import { Plan } from './Plan';

/** A tool call that waits for a person. */
export interface PendingCall {
  /** Session id. */
  readonly session: string;
  readonly id: string;
  /** `server.tool`. */
  readonly tool: string;
  readonly arguments: unknown;
  /** Why a person has to decide, as the end of a sentence. */
  readonly reason: string | null;
  /** What it is meant to do, and its dry run, as the API has them. */
  readonly action?: unknown;
  readonly dryRun?: unknown;
  /** RFC 3339. */
  readonly expiresAt: string | null;
}

interface RequestProps {
  readonly call: PendingCall;
  /** What speaks against the call, above the buttons. */
  readonly warning?: ReactNode;
  readonly onDecided: (decision: Decision) => void;
}

/** A call with its arguments, its effect, the time that is left, and the decision. */
export function Request({ call, warning, onDecided }: RequestProps) {
  const plan = readPlan(call.action);
  const hasArguments = inlineValue(call.arguments) !== '';
  const [read, setRead] = useState(!hasArguments);
  return (
    <Box
      data-testid="approval-request"
      sx={{ display: 'grid', gap: 0.75, gridTemplateColumns: 'minmax(0, 1fr)' }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1.5, alignItems: 'baseline' }}>
        <Box
          component="code"
          sx={{ fontFamily: 'var(--tarsy-mono)', fontWeight: 650, overflowWrap: 'anywhere' }}
        >
          {showExactly(call.tool)}
        </Box>
        {call.expiresAt !== null && (
          <Secondary component="span" testId="approval-expiry">
            <Countdown to={call.expiresAt} />
          </Secondary>
        )}
      </Box>
      {hasArguments && (
        <CallArguments
          value={call.arguments}
          maxHeight="clamp(8.5rem, 30vh, 16rem)"
          onRead={() => setRead(true)}
        />
      )}
      {plan && <Plan plan={plan} dryRun={readDryRun(call.dryRun)} />}
      <Secondary>
        {`Needs approval: ${showBidiControls(call.reason ?? 'a person has to decide')}. `}
        Anyone with the role responder or above can decide; if nobody does, the call is denied.
      </Secondary>
      {warning}
      <Decide session={call.session} id={call.id} read={read} onDecided={onDecided} />
    </Box>
  );
}
