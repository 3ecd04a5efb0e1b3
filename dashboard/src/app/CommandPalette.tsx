import { Autocomplete, Dialog, TextField } from '@mui/material';
import { useColorScheme } from '@mui/material/styles';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { setDensity } from '../lib/browser/density';
import { pages } from '../lib/browser/paths';
import { setTimeZone } from '../lib/time/timeZone';
import { usePages } from './navigation';

interface Command {
  readonly title: string;
  readonly run: () => void;
}

interface CommandPaletteProps {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

const sessionId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Pages and commands, found by their names, and sessions by their ids. */
export default function CommandPalette({ onClose, onHelp }: CommandPaletteProps) {
  const [input, setInput] = useState('');
  const commands = useCommands(input.trim(), onHelp);
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      slotProps={{ paper: { 'aria-label': 'Commands', sx: { overflow: 'visible' } } }}
      data-testid="command-palette"
      sx={{ '& .MuiDialog-container': { alignItems: 'flex-start' } }}
    >
      <Autocomplete
        open
        autoHighlight
        disableClearable
        // Inside the dialog: what is outside is hidden from screen readers.
        disablePortal
        forcePopupIcon={false}
        options={commands}
        getOptionLabel={({ title }) => title}
        inputValue={input}
        onInputChange={(_, text, reason) => {
          if (reason === 'input') setInput(text);
        }}
        // The list takes the key before the dialog sees it.
        onClose={(_, reason) => {
          if (reason === 'escape') onClose();
        }}
        onChange={(_, command) => {
          onClose();
          command.run();
        }}
        noOptionsText="No matching commands"
        renderInput={(params) => (
          <TextField
            {...params}
            inputRef={focusInput}
            label="Search commands, or enter a session ID"
          />
        )}
        sx={{ m: 2 }}
      />
    </Dialog>
  );
}

/** A ref: the field exists later than the component, whose content the dialog adds to the page. */
function focusInput(field: HTMLInputElement | null): void {
  field?.focus();
}

function useCommands(input: string, onHelp: () => void): readonly Command[] {
  const navigate = useNavigate();
  const { setMode } = useColorScheme();
  const open = (to: string) => () => void navigate(to);
  const session = sessionId.test(input)
    ? [{ title: `Open session ${input}`, run: open(pages.session(input.toLowerCase())) }]
    : [];
  return [
    ...session,
    ...usePages().map(({ to, title }) => ({ title: `Go to ${title}`, run: open(to) })),
    { title: 'Compare two sessions', run: open(pages.compareAny) },
    { title: 'Use the compact session list', run: () => setDensity('compact') },
    { title: 'Use the comfortable session list', run: () => setDensity('comfortable') },
    { title: 'Show times in UTC', run: () => setTimeZone('utc') },
    { title: 'Show times in local time', run: () => setTimeZone('local') },
    { title: 'Use the light color scheme', run: () => setMode('light') },
    { title: 'Use the dark color scheme', run: () => setMode('dark') },
    { title: 'Use the color scheme of the system', run: () => setMode('system') },
    { title: 'Show keyboard shortcuts', run: onHelp },
    ...(input.length >= 2
      ? [{ title: `Search sessions for ${input}`, run: open(pages.searchFor(input)) }]
      : []),
  ];
}
