import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Link as RouterLink, useSearchParams } from 'react-router';
import { meQuery } from '../../api/access';
import { pages } from '../../lib/browser/paths';
import { useTitle } from '../../lib/browser/useTitle';
import { EmptyState } from '../../ui/notices/EmptyState';
import { PersonIcon } from '../../ui/theme/icons';
import { signInUrl } from '../signInWindow';

/** What the server says about an attempt that failed. */
const reasons: Readonly<Record<string, string>> = {
  attempt: 'The attempt took too long, or began under another address. Sign in again.',
  denied:
    'The identity provider cancelled or refused the sign-in. Try again, or ask its administrator.',
  failed:
    'The response of the identity provider was rejected. An administrator finds the cause in the log.',
  no_role:
    'The identity provider knows you, but none of your groups has a role in TARSy. Ask an administrator for one.',
  unavailable: 'The identity provider does not respond. Try again in a moment.',
};

/** The page for a user whom the server does not know. */
export function SignInPage() {
  useTitle('Sign in');
  const [search] = useSearchParams();
  const { data: me } = useQuery(meQuery);
  const returnTo = search.get('return_to') ?? pages.sessions;
  const reason = reasons[search.get('reason') ?? ''];
  return (
    <Box component="main" sx={{ maxWidth: 720, mx: 'auto', pt: { xs: 4, sm: 10 } }}>
      {me === undefined ? (
        <EmptyState
          icon={<PersonIcon />}
          title="Sign in to TARSy"
          page
          testId="sign-in-page"
          action={
            <Button href={signInUrl(returnTo)} variant="contained">
              Sign in
            </Button>
          }
        >
          <span role="status">{reason}</span>
        </EmptyState>
      ) : (
        <EmptyState
          icon={<PersonIcon />}
          title="You are signed in"
          page
          testId="signed-in"
          action={
            <Button component={RouterLink} to={pages.sessions} variant="contained">
              All sessions
            </Button>
          }
        >
          {me.name}
        </EmptyState>
      )}
    </Box>
  );
}
