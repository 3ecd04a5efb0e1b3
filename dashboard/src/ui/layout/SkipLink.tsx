import { Box } from '@mui/material';
import { useSyncExternalStore, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

const PLACE_ID = 'skip-links-of-page';
const FIRST_PLACE_ID = 'first-skip-links-of-page';

interface SkipLinkProps {
  /** Id of the element to which it skips. */
  readonly to: string;
  readonly children: string;
}

/** Visible while it has the focus; skips what is before its target in the tab order. */
export function SkipLink({ to, children }: SkipLinkProps) {
  return (
    <Box
      component="a"
      href={`#${to}`}
      sx={{
        position: 'fixed',
        top: 8,
        left: 8,
        zIndex: 'tooltip',
        px: 2,
        py: 1,
        borderRadius: 1,
        bgcolor: 'primary.main',
        color: 'primary.contrastText',
        fontWeight: 600,
        transform: 'translateY(-200%)',
        '&:focus': { transform: 'none' },
      }}
    >
      {children}
    </Box>
  );
}

/** Where the skip links of a page stand: before the navigation, which they skip, too. */
export function SkipLinkPlace() {
  return (
    <>
      <div id={FIRST_PLACE_ID} />
      <div id={PLACE_ID} />
    </>
  );
}

const neverChanges = () => () => undefined;

interface PageSkipLinksProps {
  readonly children: ReactNode;
  /** Before the others of the page, whenever it is rendered. */
  readonly first?: boolean;
}

/** Skip links of a page, rendered by what they lead to, so that none leads nowhere while that is loaded. */
export function PageSkipLinks({ children, first = false }: PageSkipLinksProps) {
  const id = first ? FIRST_PLACE_ID : PLACE_ID;
  const place = useSyncExternalStore(neverChanges, () => document.getElementById(id));
  return place && createPortal(children, place);
}
