import { Box, Button, Link } from '@mui/material';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { plural, shortId } from '../../../lib/text/format';
import { pages } from '../../../lib/browser/paths';
import { describeReview, REVIEWS } from '../../../lib/session/review';
import { LazyMenu } from '../../../ui/layout/LazyMenu';
import { Secondary } from '../../../ui/layout/Secondary';
import { ChevronIcon } from '../../../ui/theme/icons';
import { plainList } from '../../../ui/theme/tokens';
import { cancel, markReviewed, rerun, triageAs } from './actions';
import { Sharing } from './Sharing';
import type { Bulk } from './useBulk';

const ConfirmDialog = lazy(() => import('./ConfirmDialog'));

export interface BulkPermissions {
  readonly cancel: boolean;
  readonly rerun: boolean;
  readonly review: boolean;
  readonly triage: boolean;
  readonly compare: boolean;
}

interface BulkBarProps {
  readonly bulk: Bulk;
  /** The actions that the list offers and the user may do. */
  readonly offers: BulkPermissions;
}

/** The actions on the selected sessions, and what became of them. */
export default function BulkBar({ bulk, offers }: BulkBarProps) {
  const [asking, setAsking] = useState<'cancel' | 'rerun' | null>(null);
  const bar = useKeptFocus(bulk.busy);
  const count = bulk.selected.size;
  const disabled = bulk.busy || count === 0;

  function confirm(): void {
    void bulk.start(asking === 'cancel' ? cancel : rerun);
    setAsking(null);
  }

  /** The bar disappears: the focus moves to the list below it. */
  function clear(): void {
    focusListBelow(bar.current);
    bulk.clear();
  }

  return (
    <Box
      role="group"
      aria-label="Selected sessions"
      ref={bar}
      tabIndex={-1}
      data-testid="bulk-bar"
      sx={barStyles}
    >
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
      {offers.triage && <TriageMenu bulk={bulk} disabled={disabled} />}
      {offers.review && <ReviewMenu bulk={bulk} disabled={disabled} />}
      {count > 0 && <Sharing sessions={[...bulk.selected]} compares={offers.compare} />}
      <Button size="small" color="inherit" disabled={bulk.busy} onClick={clear}>
        {count === 0 ? 'Close' : 'Clear selection'}
      </Button>
      <Failures bulk={bulk} />
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

/** Of the sessions without a row. */
function Failures({ bulk }: { readonly bulk: Bulk }) {
  if (bulk.failedUnlisted.length === 0) return null;
  return (
    <Box component="ul" aria-label="Failures" sx={{ ...plainList, width: '100%' }}>
      {bulk.failedUnlisted.map((session) => (
        <li key={session}>
          <Link component={RouterLink} to={pages.session(session)}>
            Session {shortId(session)}
          </Link>
          : {bulk.outcomes.get(session)?.text}
        </li>
      ))}
    </Box>
  );
}

function focusListBelow(bar: HTMLElement | null): void {
  const next = bar?.parentElement?.querySelector<HTMLElement>('input[type="checkbox"]');
  (next ?? document.getElementById('main'))?.focus({ preventScroll: true });
}

/** A ref of the bar. A button that is disabled loses the focus, also one that a menu or dialog returns it to: the bar takes it. */
function useKeptFocus(busy: boolean) {
  const bar = useRef<HTMLElement>(null);
  const wasBusy = useRef(busy);
  useEffect(() => {
    if (wasBusy.current !== busy && isFocusLost()) bar.current?.focus({ preventScroll: true });
    wasBusy.current = busy;
  }, [busy]);
  return bar;
}

function isFocusLost(): boolean {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body || activeElement.matches(':disabled');
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

interface MenuProps {
  readonly bulk: Bulk;
  readonly disabled: boolean;
}

const triageActions = [
  ['Take', { triage: 'taken' }],
  ['Take over', { triage: 'taken', take_over: true }],
  ['Mark as done', { triage: 'done' }],
  ['Give back', { triage: 'new' }],
] as const;

function TriageMenu({ bulk, disabled }: MenuProps) {
  return (
    <LazyMenu
      entries={triageActions.map(([title, change]) => ({
        title,
        onClick: () => bulk.start(triageAs(change)),
      }))}
      renderButton={(opening) => (
        <Button
          {...opening}
          size="small"
          disabled={disabled}
          endIcon={<ChevronIcon />}
          data-shortcut="w"
        >
          Work
        </Button>
      )}
    />
  );
}

function ReviewMenu({ bulk, disabled }: MenuProps) {
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
  if (busy) return `${done + failed} of ${plural(states.length, 'session')} done`;
  const result = states.length === 0 ? '' : `${plural(done, 'session')} done, ${failed} failed. `;
  return `${result}${plural(selected.size, 'session')} selected`;
}
