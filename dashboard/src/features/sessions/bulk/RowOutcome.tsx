import { Box, Link } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { pages } from '../../../lib/browser/paths';
import type { Tone } from '../../../lib/session/status';
import { Badge } from '../../../ui/badges/Badge';
import type { Outcome } from './useBulk';

const tones: Readonly<Record<Outcome['state'], Tone>> = {
  running: 'info',
  done: 'success',
  failed: 'error',
};

/** What became of an action on the session of a row. */
export function RowOutcome({ outcome }: { readonly outcome: Outcome | undefined }) {
  if (outcome === undefined) return null;
  const { state, text, created } = outcome;
  return (
    <Box component="span" data-testid="row-outcome" data-state={state} sx={{ ml: 0.75 }}>
      <Badge tone={tones[state]}>{state === 'failed' ? `Failed: ${text}` : text}</Badge>
      {created !== undefined && (
        <Link
          component={RouterLink}
          to={pages.session(created)}
          sx={{ ml: 0.75, position: 'relative', zIndex: 1 }}
        >
          Open the new session
        </Link>
      )}
    </Box>
  );
}
