import { Box, Button } from '@mui/material';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLacksToken, useMay } from '../../api/access';
import { decideApproval, type Decision } from '../../api/approvals';
import { asApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import { Callout } from '../../ui/notices/Callout';
import { LocalTokenHint } from '../../ui/notices/LocalTokenHint';
import { TraceId } from '../../ui/text/TraceId';
import { ReadFirst } from './ReadFirst';

interface DecideProps {
  /** Session id. */
  readonly session: string;
  readonly id: string;
  /** Whether the whole call was on the screen: nobody approves what they have not seen. */
  readonly read: boolean;
  readonly onDecided: (decision: Decision) => void;
}

/** The buttons of a request: to deny is safe. Hidden from users who may not decide; who only lacks the token reads how to get it. */
export function Decide({ session, id, read, onDecided }: DecideProps) {
  const client = useQueryClient();
  const mayDecide = useMay('approve_call');
  const lacksToken = useLacksToken('approve_call');
  const decide = useMutation({
    mutationFn: (decision: Decision) => decideApproval(session, id, decision),
    onSuccess: (_, decision) => {
      void client.invalidateQueries({ queryKey: keys.approvals });
      void client.invalidateQueries({ queryKey: keys.active });
      onDecided(decision);
    },
  });
  if (lacksToken) return <LocalTokenHint activity="approve or deny this call" />;
  if (!mayDecide) return null;
  const disabled = decide.isPending || decide.isSuccess;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
      <Button
        size="small"
        variant="contained"
        disabled={disabled}
        onClick={() => decide.mutate('deny')}
        data-testid="deny-call"
      >
        Deny
      </Button>
      <ReadFirst
        label="Approve"
        verb="approve"
        read={read}
        disabled={disabled}
        onClick={() => decide.mutate('approve')}
        testId="approve-call"
      />
      {decide.error !== null && (
        <Callout tone="error" testId="approval-error">
          {asApiError(decide.error).message}
          <TraceId error={decide.error} />
        </Callout>
      )}
    </Box>
  );
}
