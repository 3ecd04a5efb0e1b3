import { Button } from '@mui/material';
import { lazy, Suspense, useState } from 'react';
import { PlusIcon } from '../../ui/theme/icons';

const CreateDialog = lazy(() => import('./CreateDialog'));

/** The button that opens the form for a new token. */
export function CreateToken() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="contained"
        startIcon={<PlusIcon />}
        onClick={() => setOpen(true)}
        data-testid="create-token"
      >
        Create token
      </Button>
      {open && (
        <Suspense fallback={null}>
          <CreateDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
