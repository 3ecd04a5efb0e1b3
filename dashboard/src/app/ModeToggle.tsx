import { ToggleButton, ToggleButtonGroup } from '@mui/material';
import { useColorScheme } from '@mui/material/styles';
import { MoonIcon, ScreenIcon, SunIcon } from '../ui/icons';

const modes = [
  { value: 'light', label: 'Light', Icon: SunIcon },
  { value: 'system', label: 'System', Icon: ScreenIcon },
  { value: 'dark', label: 'Dark', Icon: MoonIcon },
] as const;

/** The color scheme, stored in the browser. */
export function ModeToggle() {
  const { mode, setMode } = useColorScheme();
  return (
    <ToggleButtonGroup exclusive size="small" value={mode ?? 'system'} aria-label="Color scheme">
      {modes.map(({ value, label, Icon }) => (
        <ToggleButton
          key={value}
          value={value}
          aria-label={label}
          title={label}
          onClick={() => setMode(value)}
          data-testid={`mode-${value}`}
          sx={{ p: 0.5, border: 1, borderColor: 'divider' }}
        >
          <Icon sx={{ fontSize: 18 }} />
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
