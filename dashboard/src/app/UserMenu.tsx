import { Button } from '@mui/material';
import { useMutation, useQuery } from '@tanstack/react-query';
import { meQuery, signOut, type Me } from '../api/access';
import { deleteDrafts } from '../lib/drafts';
import { addressOf, pages } from '../lib/paths';
import { LazyMenu } from '../ui/LazyMenu';
import { ChevronIcon } from '../ui/icons';
import { UserName } from './UserName';

/** The signed-in user; where people sign in to TARSy itself, with a menu to sign out. */
export function UserMenu() {
  const { data } = useQuery(meQuery);
  if (data === undefined || data.mode === 'local') return null;
  return data.mode === 'oidc' ? <SignOutMenu me={data} /> : <UserName me={data} />;
}

function SignOutMenu({ me }: { readonly me: Me }) {
  const ending = useMutation({
    mutationFn: signOut,
    // Also after a failure: the sign-in may have ended already.
    onSettled: () => {
      deleteDrafts();
      window.location.assign(addressOf(pages.signIn));
    },
  });
  return (
    <LazyMenu
      entries={[{ title: 'Sign out', disabled: ending.isPending, onClick: ending.mutate }]}
      renderButton={(opening) => (
        <Button
          {...opening}
          color="inherit"
          size="small"
          endIcon={<ChevronIcon />}
          data-testid="user-menu"
          sx={{ minWidth: 0, textTransform: 'none' }}
        >
          <UserName me={me} />
        </Button>
      )}
    />
  );
}
