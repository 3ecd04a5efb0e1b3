import { Box, Button, Typography } from '@mui/material';
import { useMutation } from '@tanstack/react-query';
import { useMay } from '../../../api/access';
import { decideApproval, type Decision } from '../../../api/approvals';
import { asApiError } from '../../../api/errors';
import { plural, printValue } from '../../../lib/format';
import type { TimelineItem } from '../../../live/reduce';
import { Callout } from '../../../ui/Callout';
import { CodeBlock } from '../../../ui/CodeBlock';
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
      title={`${waiting ? 'Approval needed' : 'Approval'}: ${toolTitle(meta)}`}
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
  const minutes = meta.timeoutSeconds === null ? null : Math.ceil(meta.timeoutSeconds / 60);
  return (
    <Box data-testid="approval-request">
      <Notice tone="warning">
        {`The agent wants to call this tool, and ${meta.reason ?? 'a person has to decide'}.`}
      </Notice>
      {hasArguments(meta.arguments) && (
        <Box sx={{ mt: 1 }}>
          <CodeBlock text={printValue(meta.arguments)} label="Arguments" lines={20} />
        </Box>
      )}
      {minutes !== null && (
        <Typography sx={{ mt: 1, fontSize: '0.8125rem' }}>
          {`Without a decision within ${plural(minutes, 'minute')} the call is not made.`}
        </Typography>
      )}
      {meta.approvalId !== null && <Decide session={item.session_id} id={meta.approvalId} />}
    </Box>
  );
}

interface DecideProps {
  /** Session id. */
  readonly session: string;
  readonly id: string;
}

/** The buttons of a request. Hidden from users who may not decide. */
function Decide({ session, id }: DecideProps) {
  const mayDecide = useMay('approve_call');
  const decide = useMutation({
    mutationFn: (decision: Decision) => decideApproval(session, id, decision),
  });
  if (!mayDecide) return null;
  const disabled = decide.isPending || decide.isSuccess;
  return (
    <Box sx={{ display: 'flex', gap: 1, mt: 1, alignItems: 'center' }}>
      <Button
        size="small"
        variant="contained"
        disabled={disabled}
        onClick={() => decide.mutate('approve')}
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
      {decide.error !== null && (
        <Callout tone="error" testId="approval-error">
          {asApiError(decide.error).message}
          <TraceId error={decide.error} />
        </Callout>
      )}
    </Box>
  );
}
