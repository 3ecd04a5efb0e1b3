import { AppBar, Box, Toolbar } from '@mui/material';
import { useEffect, useRef } from 'react';
import { Outlet, ScrollRestoration, useNavigation } from 'react-router';
import { ModelBanner } from '../features/system/ModelBanner';
import { useHealing } from '../features/system/useHealing';
import { WarningBanner } from '../features/system/WarningBanner';
import { ConnectionBanner } from './ConnectionBanner';
import { UpdateBanner } from './UpdateBanner';
import { ModeToggle } from './ModeToggle';
import { Brand, Nav } from './Nav';
import { SkipLink } from './SkipLink';
import { useFocusOnNavigation } from './useFocusOnNavigation';

/** The frame of every page. */
export function Layout() {
  const loading = useNavigation().state === 'loading';
  useFocusOnNavigation('main');
  useHealing();
  const bar = useHeight('--tarsy-bar');
  return (
    <>
      <SkipLink />
      <AppBar
        ref={bar}
        position="sticky"
        elevation={0}
        color="default"
        sx={{ bgcolor: 'background.paper', borderBottom: 1, borderColor: 'divider' }}
      >
        <Toolbar
          variant="dense"
          sx={{ gap: { xs: 0.5, sm: 2 }, minHeight: 54, px: { xs: 1.5, sm: 3 } }}
        >
          <Brand />
          <Nav />
          <Box sx={{ flexGrow: 1 }} />
          <ModeToggle />
        </Toolbar>
        <ConnectionBanner />
        <UpdateBanner />
      </AppBar>
      <aside aria-label="Notices">
        <WarningBanner />
        <ModelBanner />
      </aside>
      <Box
        component="main"
        id="main"
        tabIndex={-1}
        aria-busy={loading}
        sx={{
          maxWidth: 1320,
          mx: 'auto',
          px: { xs: 1.5, sm: 3 },
          py: { xs: 2, sm: 3 },
          outline: 'none',
        }}
      >
        <Outlet />
      </Box>
      <ScrollRestoration />
    </>
  );
}

/** Tells style sheets how high an element is; banners come and go in it. */
function useHeight(name: string) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    const measured = element.current;
    if (measured === null) return undefined;
    const tell = () =>
      document.documentElement.style.setProperty(name, `${measured.offsetHeight}px`);
    const sizes = new ResizeObserver(tell);
    sizes.observe(measured);
    return () => sizes.disconnect();
  }, [name]);
  return element;
}
