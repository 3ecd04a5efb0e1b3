import { Button } from '@mui/material';
import { lazy, Suspense, useState } from 'react';
import { useMay } from '../../api/access';
import { TrashIcon } from '../../ui/theme/icons';

const DeleteDialog = lazy(() => import('./DeleteDialog'));

/** Deletes a session that has ended, after a confirmation with a reason. Hidden from users who may not. */
export function DeleteButton({ id }: { readonly id: string }) {
  const [open, setOpen] = useState(false);
  if (!useMay('delete_session')) return null;
  return (
    <>
      <Button
        size="small"
        color="inherit"
        startIcon={<TrashIcon />}
        onClick={() => setOpen(true)}
        data-testid="delete-session"
        sx={{ color: 'text.secondary' }}
      >
        Delete session…
      </Button>
      {open && (
        <Suspense fallback={null}>
          <DeleteDialog id={id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
