import { Box, Button } from '@mui/material';
import { lazy, Suspense, useState } from 'react';
import { plural } from '../../../lib/format';
import { describeReview, REVIEWS } from '../../../lib/review';
import { LazyMenu } from '../../../ui/LazyMenu';
import { Secondary } from '../../../ui/Secondary';
import { ChevronIcon } from '../../../ui/icons';
import { cancel, markReviewed, rerun } from './actions';
import type { Bulk } from './useBulk';

const ConfirmDialog = lazy(() => import('./ConfirmDialog'));

export interface BulkPermissions {
  readonly cancel: boolean;
  readonly rerun: boolean;
  readonly review: boolean;
}

interface BulkBarProps {
  readonly bulk: Bulk;
  /** The actions that the list offers and the user may do. */
  readonly offers: BulkPermissions;
}

/** The actions on the selected sessions, and what became of them. */
export default function BulkBar({ bulk, offers }: BulkBarProps) {
  const [asking, setAsking] = useState<'cancel' | 'rerun' | null>(null);
  const count = bulk.selected.size;
  const disabled = bulk.busy || count === 0;

  function confirm(): void {
    void bulk.start(asking === 'cancel' ? cancel : rerun);
    setAsking(null);
  }

  return (
    <Box role="group" aria-label="Selected sessions" data-testid="bulk-bar" sx={barStyles}>
      <Secondary component="span" role="status">
        {describe(bulk)}
      </Secondary>
      {offers.cancel && (
        <Button size="small" color="error" disabled={disabled} onClick={() => setAsking('cancel')}>
          Cancel sessions
        </Button>
      )}
      {offers.rerun && (
        <Button size="small" disabled={disabled} onClick={() => setAsking('rerun')}>
          Re-run
        </Button>
      )}
      {offers.review && <ReviewMenu bulk={bulk} disabled={disabled} />}
      <Button size="small" color="inherit" disabled={disabled} onClick={() => bulk.select([])}>
        Clear selection
      </Button>
      {asking !== null && (
        <Suspense fallback={null}>
          <ConfirmDialog
            action={asking}
            count={count}
            onClose={() => setAsking(null)}
            onConfirm={confirm}
          />
        </Suspense>
      )}
    </Box>
  );
}

const barStyles = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 1,
  p: 1,
  mb: 1,
  borderRadius: 1,
  bgcolor: 'action.selected',
} as const;

interface ReviewMenuProps {
  readonly bulk: Bulk;
  readonly disabled: boolean;
}

function ReviewMenu({ bulk, disabled }: ReviewMenuProps) {
  return (
    <LazyMenu
      entries={REVIEWS.map((review) => ({
        title: describeReview(review).label,
        onClick: () => bulk.start(markReviewed(review)),
      }))}
      renderButton={(opening) => (
        <Button {...opening} size="small" disabled={disabled} endIcon={<ChevronIcon />}>
          Mark reviewed
        </Button>
      )}
    />
  );
}

function describe({ selected, outcomes, busy }: Bulk): string {
  const states = [...outcomes.values()].map(({ state }) => state);
  const failed = states.filter((state) => state === 'failed').length;
  const done = states.filter((state) => state === 'done').length;
  if (busy) return `${done + failed} of ${done + selected.size} sessions done`;
  const result = states.length === 0 ? '' : `${plural(done, 'session')} done, ${failed} failed. `;
  return `${result}${plural(selected.size, 'session')} selected`;
}
