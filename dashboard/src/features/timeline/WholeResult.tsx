import { Box, Button, Skeleton } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import { getWholeResult } from '../../api/trace';
import { ErrorState } from '../../ui/ErrorState';
import { TextDialog } from '../../ui/TextDialog';
import { ReportIcon } from '../../ui/icons';

interface WholeResultProps {
  readonly session: string;
  readonly number: number;
  readonly name: string;
}

/** Opens the whole result of a call, of which the card shows the beginning. */
export function WholeResult({ session, number, name }: WholeResultProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        startIcon={<ReportIcon />}
        onClick={() => setOpen(true)}
        data-testid="open-result"
      >
        Open the whole result
      </Button>
      {open && (
        <ResultDialog
          session={session}
          number={number}
          name={name}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface ResultDialogProps extends WholeResultProps {
  readonly onClose: () => void;
}

function ResultDialog({ session, number, name, onClose }: ResultDialogProps) {
  const { data, error, refetch } = useQuery({
    queryKey: keys.wholeResult(session, number),
    queryFn: ({ signal }) => getWholeResult(session, number, signal),
    staleTime: Infinity,
    gcTime: 60_000,
  });
  return (
    <TextDialog
      title={`Result of call ${number}: ${name}`}
      label={`Result of call ${number}`}
      text={data?.text}
      href={data?.path}
      onClose={onClose}
      testId="whole-result"
    >
      {error ? (
        <ErrorState
          title="The result could not be loaded"
          message={asApiError(error).message}
          onRetry={() => void refetch()}
        />
      ) : (
        <Box role="status" aria-label="Loading the result">
          <Skeleton variant="rounded" height={240} />
        </Box>
      )}
    </TextDialog>
  );
}
