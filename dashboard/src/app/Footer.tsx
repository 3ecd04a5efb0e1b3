import { Box, Button } from '@mui/material';
import { lazy, Suspense } from 'react';
import { Link as RouterLink } from 'react-router';
import { useNotificationsEnabled } from '../lib/browser/notifications';
import { pages } from '../lib/browser/paths';
import { useShortcuts } from './useShortcuts';

const CommandPalette = lazy(() => import('./CommandPalette'));
const HelpSheet = lazy(() => import('./HelpSheet'));
const Notifier = lazy(() => import('./Notifier'));

/** What concerns every page: settings, commands and the notifications of the browser. */
export function Footer() {
  const notifies = useNotificationsEnabled();
  const { overlay, setOverlay } = useShortcuts();
  const close = () => setOverlay(null);
  return (
    <Box component="footer" sx={styles}>
      <Button component={RouterLink} to={pages.settings} size="small" color="inherit">
        Settings
      </Button>
      <Button size="small" color="inherit" onClick={() => setOverlay('commands')}>
        Commands
      </Button>
      <Button size="small" color="inherit" onClick={() => setOverlay('help')}>
        Keyboard shortcuts
      </Button>
      <Suspense fallback={null}>
        {overlay === 'commands' && (
          <CommandPalette onClose={close} onHelp={() => setOverlay('help')} />
        )}
        {overlay === 'help' && <HelpSheet onClose={close} />}
        {notifies && <Notifier />}
      </Suspense>
    </Box>
  );
}

const styles = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 2,
  rowGap: 1,
  maxWidth: 1320,
  // As wide as what stands above it.
  'main:has([data-wide="true"]) ~ &': { maxWidth: 1840 },
  mx: 'auto',
  px: { xs: 1.5, sm: 3 },
  pb: 2,
  color: 'text.secondary',
} as const;
