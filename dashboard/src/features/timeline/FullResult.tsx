import { Box, Button, Skeleton } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../api/keys';
import { getFullResult } from '../../api/trace';
import { ErrorState } from '../../ui/notices/ErrorState';
import { TextDialog } from '../../ui/text/TextDialog';
import { ReportIcon } from '../../ui/theme/icons';

interface FullResultProps {
  /** Session id. */
  readonly session: string;
  readonly callNumber: number;
  readonly toolName: string;
}

/** A button that opens the full result of a call, of which the card shows the beginning. */
export function FullResult(props: FullResultProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        startIcon={<ReportIcon />}
        onClick={() => setOpen(true)}
        data-testid="open-result"
      >
        View full result
      </Button>
      {open && <ResultDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ResultDialogProps extends FullResultProps {
  readonly onClose: () => void;
}

function ResultDialog({ session, callNumber, toolName, onClose }: ResultDialogProps) {
  const { data, error, refetch } = useQuery({
    queryKey: keys.fullResult(session, callNumber),
    queryFn: ({ signal }) => getFullResult(session, callNumber, signal),
    staleTime: Infinity,
    gcTime: 60_000,
  });
  return (
    <TextDialog
      title={`Result of call ${callNumber}: ${toolName}`}
      label={`Result of call ${callNumber}`}
      text={data?.text}
      href={data?.path}
      onClose={onClose}
      testId="full-result"
    >
      {error ? (
        <ErrorState title="Could not load result" error={error} onRetry={() => void refetch()} />
      ) : (
        <Box role="status" aria-label="Loading result">
          <Skeleton variant="rounded" height={240} />
        </Box>
      )}
    </TextDialog>
  );
}
