import { Box, Typography } from '@mui/material';
import type { TriageEntry } from '../../api/triage';
import { showBidiControls } from '../../lib/text/bidi';
import { Secondary } from '../../ui/layout/Secondary';
import { RelativeTime } from '../../ui/numbers/times';
import { plainList, preWrap } from '../../ui/theme/tokens';

/** Changes and notes, the newest first. */
export function Entries({ entries }: { readonly entries: readonly TriageEntry[] }) {
  return (
    <Box component="ul" aria-label="Notes and changes" sx={plainList}>
      {entries.map((entry) => (
        <Box component="li" key={entry.id} sx={{ py: 0.5 }} data-testid="triage-entry">
          <Secondary component="span">
            <bdi>{showBidiControls(describeEntry(entry))}</bdi>,{' '}
            <RelativeTime at={entry.created_at} updateEveryMs={30_000} />
          </Secondary>
          {entry.note !== null && (
            <Typography dir="auto" sx={preWrap}>
              {showBidiControls(entry.note)}
            </Typography>
          )}
        </Box>
      ))}
    </Box>
  );
}

/** Who did what, such as `Taken by ann`. */
function describeEntry({ triage, assignee, author }: TriageEntry): string {
  if (author === null) return 'New again: the alert came back';
  if (triage === 'taken' && assignee !== author) return `Assigned to ${assignee} by ${author}`;
  if (triage === 'taken') return `Taken by ${author}`;
  if (triage === 'done') return `Marked as done by ${author}`;
  if (triage === 'new') return `Set to new by ${author}`;
  return author;
}
