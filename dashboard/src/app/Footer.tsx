import { Box, Button } from '@mui/material';
import { lazy, Suspense } from 'react';
import { setTimeZone, useTimeZone } from '../lib/timeZone';
import { Secondary } from '../ui/Secondary';
import { ToggleFilter } from '../ui/ToggleFilter';
import { labelled, NotificationToggle } from './NotificationToggle';
import { useShortcuts } from './useShortcuts';

const CommandPalette = lazy(() => import('./CommandPalette'));
const HelpSheet = lazy(() => import('./HelpSheet'));

const zones = [
  { id: 'local', label: 'Local' },
  { id: 'utc', label: 'UTC' },
] as const;

/** Settings of this browser, and commands, that concern every page. */
export function Footer() {
  const zone = useTimeZone();
  const { overlay, setOverlay } = useShortcuts();
  const close = () => setOverlay(null);
  return (
    <Box component="footer" sx={styles}>
      <Box sx={labelled}>
        <Secondary component="span">Time zone</Secondary>
        <ToggleFilter label="Time zone" options={zones} value={zone} onChange={setTimeZone} />
      </Box>
      <NotificationToggle />
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
  mx: 'auto',
  px: { xs: 1.5, sm: 3 },
  pb: 2,
  color: 'text.secondary',
} as const;
