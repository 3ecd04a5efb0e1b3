import { Button } from '@mui/material';
import { dismiss } from '../../lib/browser/dismissals';

/** Dismisses notices for good. */
export function DismissButton({ notices }: { readonly notices: readonly string[] }) {
  return (
    <Button color="inherit" size="small" onClick={() => dismiss(notices)}>
      Dismiss
    </Button>
  );
}
