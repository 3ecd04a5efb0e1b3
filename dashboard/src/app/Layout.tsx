import { AppBar, Box, Toolbar } from '@mui/material';
import { Outlet, ScrollRestoration, useNavigation } from 'react-router';
import { ModelBanner } from '../features/system/ModelBanner';
import { WarningBanner } from '../features/system/WarningBanner';
import { ConnectionBanner } from './ConnectionBanner';
import { ModeToggle } from './ModeToggle';
import { Brand, Nav } from './Nav';
import { SkipLink } from './SkipLink';
import { useFocusOnNavigation } from './useFocusOnNavigation';

/** The frame of every page. */
export function Layout() {
  const loading = useNavigation().state === 'loading';
  useFocusOnNavigation('main');
  return (
    <>
      <SkipLink />
      <AppBar
        position="sticky"
        elevation={0}
        color="default"
        sx={{ bgcolor: 'background.paper', borderBottom: 1, borderColor: 'divider' }}
      >
        <Toolbar
          variant="dense"
          sx={{ gap: { xs: 1, sm: 2 }, minHeight: 54, px: { xs: 1.5, sm: 3 } }}
        >
          <Brand />
          <Nav />
          <Box sx={{ flexGrow: 1 }} />
          <ModeToggle />
        </Toolbar>
        <ConnectionBanner />
      </AppBar>
      <WarningBanner />
      <ModelBanner />
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
