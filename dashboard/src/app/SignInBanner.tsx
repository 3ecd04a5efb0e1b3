import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/access';
import { Banner } from '../ui/notices/Banner';
import { AlertIcon } from '../ui/theme/icons';
import { openSignInWindow } from './signInWindow';
import { useSignedOut } from './useSignIn';

/** Shown when the sign-in ended. The page stays: a small window signs in again. */
export function SignInBanner() {
  const signedOut = useSignedOut();
  const { data } = useQuery(meQuery);
  return (
    <Box role="status" aria-live="polite">
      {signedOut && data !== undefined && (
        <Banner
          tone="warning"
          icon={<AlertIcon />}
          testId="sign-in-banner"
          action={
            <Button color="inherit" size="small" onClick={() => openSignInWindow(data.mode)}>
              Sign in again
            </Button>
          }
        >
          <strong>Your sign-in ended.</strong> This page stays as it is.
        </Banner>
      )}
    </Box>
  );
}
