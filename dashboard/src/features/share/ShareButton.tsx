import { Button } from '@mui/material';
import { lazy, Suspense, useState } from 'react';
import { useMay } from '../../api/access';
import type { SessionDetail } from '../../api/sessions';
import { ShareIcon } from '../../ui/theme/icons';

const ShareDialog = lazy(() => import('./ShareDialog'));

/** Sends the finding of a session that has ended to somebody else. Hidden from users who may not. */
export function ShareButton({ session }: { readonly session: SessionDetail }) {
  const [open, setOpen] = useState(false);
  if (!useMay('share_finding')) return null;
  return (
    <>
      <Button
        size="small"
        color="inherit"
        startIcon={<ShareIcon />}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        sx={{ color: 'text.secondary' }}
      >
        Share…
      </Button>
      {open && (
        <Suspense fallback={null}>
          <ShareDialog session={session} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
