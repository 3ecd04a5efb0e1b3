import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  MenuItem,
  TextField,
} from '@mui/material';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { replaySession } from '../../api/replay';
import type { SessionDetail } from '../../api/sessions';
import { pages } from '../../lib/browser/paths';
import { ErrorState } from '../../ui/notices/ErrorState';
import { LoadState } from '../../ui/notices/LoadState';
import { systemInfoQuery } from '../../api/system';

interface ReplayDialogProps {
  readonly session: SessionDetail;
  readonly onClose: () => void;
}

/** Investigates the alert again with the recorded results, by the model of a provider that is chosen here. */
export default function ReplayDialog({ session, onClose }: ReplayDialogProps) {
  const heading = useId();
  const navigate = useNavigate();
  const [provider, setProvider] = useState('');
  const replay = useMutation({
    mutationFn: () => replaySession(session.id, provider === '' ? null : provider),
    onSuccess: ({ session_id: id }) => navigate(pages.session(id), { state: { submitted: true } }),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      aria-labelledby={heading}
      data-testid="replay-dialog"
    >
      <DialogTitle id={heading}>Replay with another model</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ mb: 2 }}>
          The alert is investigated again with the recorded results of its tools: nothing is
          executed, and nobody is notified. The model is called and uses tokens.
        </DialogContentText>
        <ProviderField session={session} value={provider} onChange={setProvider} />
        {replay.error && <ErrorState title="Could not replay" error={replay.error} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          variant="contained"
          disabled={replay.isPending || replay.isSuccess}
          onClick={() => replay.mutate()}
          data-testid="start-replay"
        >
          {replay.isPending ? 'Starting…' : 'Replay'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface ProviderFieldProps extends Pick<ReplayDialogProps, 'session'> {
  /** Empty for those of the original. */
  readonly value: string;
  readonly onChange: (provider: string) => void;
}

/** The providers that can be called. */
function ProviderField({ session, value, onChange }: ProviderFieldProps) {
  const query = useQuery(systemInfoQuery);
  const used = providersOf(session);
  return (
    <>
      <LoadState query={query} noun="providers" heightPx={56} />
      {query.data && (
        <TextField
          select
          fullWidth
          label="Provider"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          sx={{ mt: 1, mb: 2 }}
          slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
        >
          <MenuItem value="">As in the original{used === '' ? '' : ` (${used})`}</MenuItem>
          {query.data.providers
            .filter(({ usable }) => usable)
            .map(({ name, model }) => (
              <MenuItem key={name} value={name}>
                {model === '' ? name : `${name}: ${model}`}
              </MenuItem>
            ))}
        </TextField>
      )}
    </>
  );
}

function providersOf({ stages }: SessionDetail): string {
  const used = stages.flatMap(({ executions }) =>
    executions.flatMap(({ active_provider: active, llm_provider: first }) => active ?? first ?? []),
  );
  return [...new Set(used)].join(', ');
}
