import { Button, Menu, MenuItem } from '@mui/material';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { meQuery, signOut, type Me } from '../api/access';
import { deleteDrafts } from '../lib/drafts';
import { pages } from '../lib/paths';
import { ChevronIcon } from '../ui/icons';
import { UserName } from './UserName';

/** The signed-in user; where people sign in to TARSy itself, with a menu to sign out. */
export function UserMenu() {
  const { data } = useQuery(meQuery);
  if (data === undefined || data.mode === 'local') return null;
  return data.mode === 'oidc' ? <SignOutMenu me={data} /> : <UserName me={data} />;
}

function SignOutMenu({ me }: { readonly me: Me }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const id = useId();
  const open = anchor !== null;
  const ending = useMutation({
    mutationFn: signOut,
    // Also after a failure: the sign-in may have ended already.
    onSettled: () => {
      deleteDrafts();
      window.location.assign(pages.signIn);
    },
  });
  return (
    <>
      <Button
        color="inherit"
        size="small"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={(event) => setAnchor(event.currentTarget)}
        endIcon={<ChevronIcon />}
        data-testid="user-menu"
        sx={{ minWidth: 0, textTransform: 'none' }}
      >
        <UserName me={me} />
      </Button>
      <Menu id={id} anchorEl={anchor} open={open} onClose={() => setAnchor(null)}>
        <MenuItem disabled={ending.isPending} onClick={() => ending.mutate()}>
          Sign out
        </MenuItem>
      </Menu>
    </>
  );
}
