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
import { Secondary } from '../../ui/Secondary';
import { plainList } from '../../ui/tokens';
import { deleteView, MAX_NAME, MAX_VIEWS, saveView, useViews, type View } from './views';

interface ViewsDialogProps {
  /** The current filters and order; empty without any. */
  readonly query: string;
  readonly onClose: () => void;
}

/** Saves the current filters under a name, and deletes saved ones. */
export default function ViewsDialog({ query, onClose }: ViewsDialogProps) {
  const heading = useId();
  const views = useViews();
  const [name, setName] = useState('');
  const trimmed = name.trim();
  const replaces = views.some((view) => view.name === trimmed);
  const full = views.length >= MAX_VIEWS && !replaces;

  function save(event: FormEvent): void {
    event.preventDefault();
    if (trimmed === '' || full) return;
    saveView({ name: trimmed, query });
    onClose();
  }

  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby={heading}>
      <DialogTitle id={heading}>Saved views</DialogTitle>
      <DialogContent>
        {query === '' ? (
          <Secondary>Set filters in the list to save them as a view.</Secondary>
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
        <ViewList views={views} />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

function ViewList({ views }: { readonly views: readonly View[] }) {
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
            onClick={() => deleteView(view.name)}
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
