import {
  Alert,
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
} from '@mui/material';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { asApiError } from '../../api/errors';
import type { SessionDetail } from '../../api/sessions';
import { shareFinding } from '../../api/share';
import { systemInfoQuery } from '../../api/system';
import { LoadState } from '../../ui/notices/LoadState';

interface ShareDialogProps {
  readonly session: SessionDetail;
  readonly onClose: () => void;
}

/** Sends the finding to a destination of notifications. */
export default function ShareDialog({ session, onClose }: ShareDialogProps) {
  const heading = useId();
  const query = useQuery(systemInfoQuery);
  const names = query.data?.destinations;
  return (
    <Dialog open onClose={onClose} aria-labelledby={heading} data-testid="share-dialog">
      <DialogTitle id={heading}>Share the finding</DialogTitle>
      <DialogContent>
        <LoadState query={query} noun="destinations" heightPx={48} />
        {names && (
          <DialogContentText sx={{ mb: 1.5 }}>
            {names.length > 0
              ? 'The message has the cause, the next step and a link to this session. Each destination gets it once.'
              : 'No destination is configured. Add one to tarsy.yaml: system.slack, or notifications.destinations.'}
          </DialogContentText>
        )}
        <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {names?.map((name) => (
            <Destination key={name} name={name} session={session.id} />
          ))}
        </Box>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

function Destination({ name, session }: { readonly name: string; readonly session: string }) {
  const share = useMutation({ mutationFn: () => shareFinding(session, name) });
  const outcome = share.error ? asApiError(share.error).message : `It is on its way to ${name}.`;
  return (
    <Box component="li" sx={{ mb: 1 }}>
      <Button
        variant="outlined"
        fullWidth
        disabled={share.isPending || share.isSuccess}
        onClick={() => share.mutate()}
        sx={{ justifyContent: 'flex-start', overflowWrap: 'anywhere' }}
      >
        Send to {name}
      </Button>
      <Box role="status">
        {(share.isSuccess || share.isError) && (
          <Alert severity={share.isError ? 'warning' : 'success'} sx={{ mt: 0.5 }}>
            {outcome}
          </Alert>
        )}
      </Box>
    </Box>
  );
}
