import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Skeleton,
} from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import { getWholeResult } from '../../api/trace';
import { CopyButton } from '../../ui/CopyButton';
import { ErrorState } from '../../ui/ErrorState';
import { LongText } from '../../ui/LongText';
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
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="xl"
      aria-labelledby="whole-result-title"
      data-testid="whole-result"
    >
      <DialogTitle id="whole-result-title">
        Result of call {number}: {name}
      </DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column' }}>
        {data && <LongText text={data.text} label={`Result of call ${number}`} />}
        {!data && !error && (
          <Box role="status" aria-label="Loading the result">
            <Skeleton variant="rounded" height={240} />
          </Box>
        )}
        {error && !data && (
          <ErrorState
            title="The result could not be loaded"
            message={asApiError(error).message}
            onRetry={() => void refetch()}
          />
        )}
      </DialogContent>
      <DialogActions>
        {data && (
          <>
            <CopyButton text={data.text} label="Copy the whole result">
              Copy
            </CopyButton>
            <Button component="a" href={data.path} target="_blank" rel="noopener noreferrer">
              Open in a new tab
            </Button>
          </>
        )}
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
