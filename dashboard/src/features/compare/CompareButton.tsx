import { Button } from '@mui/material';
import { lazy, Suspense, useState } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { SwitchIcon } from '../../ui/icons';

const CompareDialog = lazy(() => import('./CompareDialog'));

/** Opens the choice of the session to compare with. */
export function CompareButton({ session }: { readonly session: SessionDetail }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        color="inherit"
        startIcon={<SwitchIcon />}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        sx={{ color: 'text.secondary' }}
      >
        Compare with…
      </Button>
      {open && (
        <Suspense fallback={null}>
          <CompareDialog session={session} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
