import { Box } from '@mui/material';
import { useEffect } from 'react';
import { useTitle } from '../../lib/browser/useTitle';
import { EmptyState } from '../../ui/notices/EmptyState';
import { CheckIcon } from '../../ui/theme/icons';
import { announceSignIn } from '../signInWindow';

/** Where the small window ends: other pages go on, and the window closes. */
export function SignedInPage() {
  useTitle('Signed in');
  useEffect(() => {
    announceSignIn();
    window.close();
  }, []);
  return (
    <Box component="main" sx={{ maxWidth: 720, mx: 'auto', pt: 10 }}>
      <EmptyState icon={<CheckIcon />} title="You are signed in" page testId="signed-in">
        You can close this window; the other one goes on.
      </EmptyState>
    </Box>
  );
}
