import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  TextField,
} from '@mui/material';
import { useId, useState, type FormEvent } from 'react';
import { MAX_NAME, MAX_VIEWS, useViews, type ViewStore } from '../../lib/browser/savedViews';
import { Secondary } from '../layout/Secondary';
import { plainList } from '../theme/tokens';

interface ViewsDialogProps {
  readonly store: ViewStore;
  /** The current filters and order; empty without any. */
  readonly query: string;
  readonly onClose: () => void;
}

/** Saves the current filters under a name, and deletes saved ones. */
export default function ViewsDialog({ store, query, onClose }: ViewsDialogProps) {
  const heading = useId();
  const views = useViews(store);
  const [name, setName] = useState('');
  const trimmed = name.trim();
  const replaces = views.some((view) => view.name === trimmed);
  const full = views.length >= MAX_VIEWS && !replaces;

  function save(event: FormEvent): void {
    event.preventDefault();
    if (trimmed === '' || full) return;
    store.save({ name: trimmed, query });
    onClose();
  }

  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby={heading}>
      <DialogTitle id={heading}>Saved views</DialogTitle>
      <DialogContent>
        {query === '' ? (
          <Secondary>Set filters to save them as a view.</Secondary>
        ) : (
          <Box component="form" onSubmit={save} sx={{ display: 'flex', gap: 1, pt: 1 }}>
            <TextField
              size="small"
              fullWidth
              label="Name of the current filters"
              value={name}
              onChange={(event) => setName(event.target.value)}
              helperText={describeName(replaces, full)}
              slotProps={{ htmlInput: { maxLength: MAX_NAME, dir: 'auto' } }}
            />
            <Button type="submit" variant="contained" disabled={trimmed === '' || full}>
              Save
            </Button>
          </Box>
        )}
        <ViewList store={store} />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

function ViewList({ store }: { readonly store: ViewStore }) {
  const views = useViews(store);
  return (
    <Box component="ul" aria-label="Saved views" sx={{ ...plainList, mt: 1 }}>
      {views.map((view) => (
        <Box
          component="li"
          key={view.name}
          sx={{ display: 'flex', alignItems: 'center', overflowWrap: 'anywhere' }}
        >
          <Box component="bdi" sx={{ flexGrow: 1 }}>
            {view.name}
          </Box>
          <Button
            size="small"
            color="error"
            aria-label={`Delete the view ${view.name}`}
            onClick={() => store.remove(view.name)}
          >
            Delete
          </Button>
        </Box>
      ))}
    </Box>
  );
}

function describeName(replaces: boolean, full: boolean): string {
  if (full) return `There are ${MAX_VIEWS} views. Delete one first.`;
  return replaces ? 'Replaces the view of this name.' : 'Stored in this browser.';
}
