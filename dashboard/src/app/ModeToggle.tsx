import { Box } from '@mui/material';
import { useColorScheme } from '@mui/material/styles';
import { MoonIcon, ScreenIcon, SunIcon } from '../ui/icons';
import { ToggleFilter } from '../ui/ToggleFilter';

const size = { fontSize: 18 } as const;

const modes = [
  { id: 'light', label: 'Light', icon: <SunIcon sx={size} /> },
  { id: 'system', label: 'System', icon: <ScreenIcon sx={size} /> },
  { id: 'dark', label: 'Dark', icon: <MoonIcon sx={size} /> },
] as const;

/** The color scheme, stored in the browser. */
export function ModeToggle() {
  const { mode, setMode } = useColorScheme();
  return (
    // Its buttons stay in one row, however many links stand beside them.
    <Box sx={{ flexShrink: 0 }}>
      <ToggleFilter
        label="Color scheme"
        options={modes}
        value={mode ?? 'system'}
        onChange={setMode}
      />
    </Box>
  );
}
