import { Button } from '@mui/material';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link as RouterLink } from 'react-router';
import { meQuery, signOut, type Me } from '../api/access';
import { deleteDrafts } from '../lib/browser/drafts';
import { addressOf, pages } from '../lib/browser/paths';
import { LazyMenu } from '../ui/layout/LazyMenu';
import { ChevronIcon, SlidersIcon } from '../ui/theme/icons';
import { UserName } from './UserName';

/** The signed-in user with a menu; where nobody signs in, the settings alone. */
export function UserMenu() {
  const { data } = useQuery(meQuery);
  if (data === undefined) return null;
  return data.mode === 'local' ? <SettingsLink /> : <MenuOf me={data} />;
}

function SettingsLink() {
  return (
    <Button
      component={RouterLink}
      to={pages.settings}
      color="inherit"
      aria-label="Settings"
      title="Settings"
      data-testid="settings-link"
      sx={{ minWidth: 36, px: 0.75, color: 'text.secondary', flexShrink: 0 }}
    >
      <SlidersIcon sx={{ fontSize: 20 }} />
    </Button>
  );
}

function MenuOf({ me }: { readonly me: Me }) {
  const ending = useMutation({
    mutationFn: signOut,
    // Also after a failure: the sign-in may have ended already.
    onSettled: () => {
      deleteDrafts();
      window.location.assign(addressOf(pages.signIn));
    },
  });
  const settings = { title: 'Settings', link: { component: RouterLink, to: pages.settings } };
  // A proxy has its own way to sign out.
  const signOutEntry =
    me.mode === 'oidc'
      ? [{ title: 'Sign out', disabled: ending.isPending, onClick: ending.mutate }]
      : [];
  return (
    <LazyMenu
      entries={[settings, ...signOutEntry]}
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
