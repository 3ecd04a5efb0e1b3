import { Dialog } from '@mui/material';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { keys } from '../../api/keys';
import { createToken } from '../../api/tokens';
import { CreatedTokenView } from './CreatedTokenView';
import { TokenForm } from './TokenForm';

/**
 * The form, then the text of the new token. The text is only in the state of this dialog: `gcTime` keeps it out of the
 * cache of mutations once the dialog is closed.
 */
export default function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const heading = useId();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: createToken,
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: keys.tokens }),
  });
  return (
    <Dialog
      open
      fullWidth
      maxWidth="sm"
      // The text cannot be shown again, so that only its button closes it.
      onClose={create.data || create.isPending ? undefined : onClose}
      aria-labelledby={heading}
      data-testid="token-dialog"
    >
      {create.data ? (
        <CreatedTokenView token={create.data} heading={heading} onClose={onClose} />
      ) : (
        <TokenForm
          heading={heading}
          sending={create.isPending}
          error={create.error}
          send={create.mutate}
          onChange={create.reset}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}
