import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  FormControlLabel,
  Switch,
} from '@mui/material';
import { useId } from 'react';
import { setShortcutsEnabled, useShortcutsEnabled } from '../lib/browser/shortcuts';
import { usePages } from './navigation';

const actions: readonly (readonly [string, string])[] = [
  ['?', 'Show this help'],
  ['Ctrl K or ⌘ K', 'Search commands and pages'],
  ['/', 'Search the page'],
  ['j', 'Next session, step or call'],
  ['k', 'Previous session, step or call'],
  ['x', 'Select the session in the list'],
  ['f', 'Session: go to the findings'],
  ['t', 'Session: go to the timeline'],
  ['r', 'Session: go to the review'],
  ['w', 'Session: go to Work; list: Work of the selected sessions'],
  ['a', 'Session: ask a question'],
  ['p', 'Session: go to the call that waits for approval'],
  ['Ctrl Enter or ⌘ Enter', 'Send the form'],
  ['Esc', 'Close a dialog'],
];

/** All keyboard shortcuts. */
export default function HelpSheet({ onClose }: { readonly onClose: () => void }) {
  const heading = useId();
  const enabled = useShortcutsEnabled();
  const pages = usePages().map(({ key, title }) => [`g ${key}`, `Go to ${title}`] as const);
  return (
    <Dialog open onClose={onClose} aria-labelledby={heading} data-testid="help-sheet">
      <DialogTitle id={heading}>Keyboard shortcuts</DialogTitle>
      <DialogContent>
        <Box
          component="dl"
          sx={{
            m: 0,
            mb: 2,
            display: 'grid',
            gridTemplateColumns: 'auto 1fr',
            columnGap: 3,
            rowGap: 0.75,
            '& dd': { m: 0 },
            '& kbd': { fontFamily: 'var(--tarsy-mono)', fontSize: '0.8125rem', fontWeight: 600 },
          }}
        >
          {[...actions, ...pages].map(([keys, action]) => (
            <Box key={keys} sx={{ display: 'contents' }}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{action}</dd>
            </Box>
          ))}
        </Box>
        <FormControlLabel
          control={
            <Switch checked={enabled} onChange={(_, on) => setShortcutsEnabled(on)} size="small" />
          }
          label="Single-key shortcuts"
        />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
