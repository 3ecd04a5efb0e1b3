import { Box, Button, Typography } from '@mui/material';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useLacksToken, useMay } from '../../../api/access';
import { decideApproval, type Decision } from '../../../api/approvals';
import { asApiError } from '../../../api/errors';
import { plural } from '../../../lib/format';
import { showExactly } from '../../../lib/visible';
import type { TimelineItem } from '../../../live/reduce';
import { Callout } from '../../../ui/Callout';
import { CallArguments } from '../../../ui/CallArguments';
import { LocalTokenHint } from '../../../ui/LocalTokenHint';
import { ToolIcon } from '../../../ui/icons';
import { TraceId } from '../../../ui/TraceId';
import { Item } from '../Item';
import { hasArguments, readMeta, toolTitle, type ItemMeta } from '../itemMeta';
import type { KindProps } from '../kinds';
import { Notice } from '../Notice';

/** A tool call that waits, or waited, for a person's decision. */
export function ToolApproval({ item }: KindProps) {
  const meta = readMeta(item);
  const waiting = item.status === 'streaming';
  return (
    <Item
      item={item}
      icon={<ToolIcon />}
      tone={waiting ? 'warning' : 'neutral'}
      title={`${waiting ? 'Approval needed' : 'Approval'}: ${showExactly(toolTitle(meta))}`}
    >
      {waiting ? (
        <Request item={item} meta={meta} />
      ) : (
        <Notice tone={meta.decision === 'approved' ? 'success' : 'neutral'}>
          {item.content || 'The investigation ended before anybody decided.'}
        </Notice>
      )}
    </Item>
  );
}

interface RequestProps {
  readonly item: TimelineItem;
  readonly meta: ItemMeta;
}

function Request({ item, meta }: RequestProps) {
  const [read, setRead] = useState(!hasArguments(meta.arguments));
  const minutes = meta.timeoutSeconds === null ? null : Math.ceil(meta.timeoutSeconds / 60);
  return (
    <Box data-testid="approval-request">
      <Notice tone="warning">
        {`The agent wants to call this tool, and ${meta.reason ?? 'a person has to decide'}.`}
      </Notice>
      {hasArguments(meta.arguments) && (
        <Box sx={{ mt: 1 }}>
          <CallArguments value={meta.arguments} onRead={() => setRead(true)} />
        </Box>
      )}
      {minutes !== null && (
        <Typography sx={{ mt: 1, fontSize: '0.8125rem' }}>
          {`Without a decision within ${plural(minutes, 'minute')} the call is not made.`}
        </Typography>
      )}
      {meta.approvalId !== null && (
        <Decide session={item.session_id} id={meta.approvalId} read={read} />
      )}
    </Box>
  );
}

interface DecideProps {
  /** Session id. */
  readonly session: string;
  readonly id: string;
  /** Whether the whole call was on the screen: nobody approves what they have not seen. */
  readonly read: boolean;
}

/** The buttons of a request. Hidden from users who may not decide; who only lacks the token is told how to get it. */
function Decide({ session, id, read }: DecideProps) {
  const explanation = useId();
  const mayDecide = useMay('approve_call');
  const lacksToken = useLacksToken('approve_call');
  const decide = useMutation({
    mutationFn: (decision: Decision) => decideApproval(session, id, decision),
  });
  if (lacksToken) return <LocalTokenHint activity="approve or deny this call" />;
  if (!mayDecide) return null;
  const disabled = decide.isPending || decide.isSuccess;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 1, alignItems: 'center' }}>
      <Button
        size="small"
        variant="contained"
        disabled={disabled}
        // It keeps the focus, so that its explanation is read out.
        aria-disabled={!read || disabled}
        aria-describedby={read ? undefined : explanation}
        sx={read ? undefined : { opacity: 0.5, cursor: 'not-allowed' }}
        onClick={() => {
          if (read) decide.mutate('approve');
        }}
        data-testid="approve-call"
      >
        Approve
      </Button>
      <Button
        size="small"
        variant="outlined"
        color="error"
        disabled={disabled}
        onClick={() => decide.mutate('deny')}
        data-testid="deny-call"
      >
        Deny
      </Button>
      {!read && (
        <Typography
          id={explanation}
          sx={{ fontSize: '0.8125rem' }}
          data-testid="approve-explanation"
        >
          Approve works once all arguments were shown: scroll them to their end, or show all of
          them.
        </Typography>
      )}
      {decide.error !== null && (
        <Callout tone="error" testId="approval-error">
          {asApiError(decide.error).message}
          <TraceId error={decide.error} />
        </Callout>
      )}
    </Box>
  );
}
