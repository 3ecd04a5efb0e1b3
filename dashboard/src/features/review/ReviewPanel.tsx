import { Box, Button, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLacksToken, useMay } from '../../api/access';
import type { Review } from '../../api/reviews';
import type { SessionDetail } from '../../api/sessions';
import { showBidiControls } from '../../lib/text/bidi';
import { plural } from '../../lib/text/format';
import { Disclosure } from '../../ui/layout/Disclosure';
import { LoadState } from '../../ui/notices/LoadState';
import { LocalTokenHint } from '../../ui/notices/LocalTokenHint';
import { Panel } from '../../ui/layout/Panel';
import { ReviewBadge } from '../../ui/badges/ReviewBadge';
import { Secondary } from '../../ui/layout/Secondary';
import { RelativeTime } from '../../ui/numbers/times';
import { plainList, preWrap } from '../../ui/theme/tokens';
import { isEmpty, loadDraft } from './draft';
import { reviewsQuery } from './queries';
import { ReviewForm } from './ReviewForm';

/** What people think of the finding. Everybody reads it; the form is for those who may review. */
export function ReviewPanel({ session }: { readonly session: SessionDetail }) {
  const mayReview = useMay('review_session');
  const lacksToken = useLacksToken('review_session');
  const reviewed = session.review !== null;
  const [editing, setEditing] = useState(() => !isEmpty(loadDraft(session.id)));
  const [saved, setSaved] = useState(false);
  return (
    <Panel title="Review" testId="review" shortcut="r">
      {reviewed && <Reviews session={session.id} />}
      {!reviewed && !mayReview && <Secondary>Nobody has reviewed this session yet.</Secondary>}
      {lacksToken && <LocalTokenHint activity="review this session" />}
      {mayReview && (editing || !reviewed) && (
        <ReviewForm
          session={session.id}
          onSaved={() => {
            setEditing(false);
            setSaved(true);
          }}
        />
      )}
      {mayReview && !editing && reviewed && (
        <Button
          size="small"
          onClick={() => {
            setEditing(true);
            setSaved(false);
          }}
          sx={{ mt: 1 }}
        >
          Add another review
        </Button>
      )}
      <Secondary role="status">{saved ? 'The review was saved.' : ''}</Secondary>
    </Panel>
  );
}

function Reviews({ session }: { readonly session: string }) {
  const query = useQuery(reviewsQuery(session));
  const history = query.data?.history ?? [];
  return (
    <Box sx={{ mb: 1 }}>
      <LoadState query={query} noun="reviews" heightPx={48} />
      {query.data?.review && <ReviewEntry review={query.data.review} />}
      {history.length > 0 && (
        <Disclosure
          summary={
            <Secondary component="span">{plural(history.length, 'earlier review')}</Secondary>
          }
          testId="earlier-reviews"
        >
          <Box component="ul" sx={plainList}>
            {history.map((review) => (
              <Box component="li" key={review.reviewed_at} sx={{ py: 0.75 }}>
                <ReviewEntry review={review} />
              </Box>
            ))}
          </Box>
        </Disclosure>
      )}
    </Box>
  );
}

function ReviewEntry({ review }: { readonly review: Review }) {
  const { actual_cause: cause, object, category } = review;
  const about = [object, category].filter((part) => part !== null).map(showBidiControls);
  return (
    <div data-testid="review-entry">
      <ReviewBadge review={review.review} />{' '}
      <Secondary component="span">
        <bdi>{showBidiControls(review.reviewer)}</bdi>,{' '}
        <RelativeTime at={review.reviewed_at} updateEveryMs={30_000} />
      </Secondary>
      {cause !== null && (
        <Typography dir="auto" sx={{ ...preWrap, mt: 0.5 }}>
          {showBidiControls(cause)}
        </Typography>
      )}
      {about.length > 0 && (
        <Secondary sx={{ overflowWrap: 'anywhere' }}>{about.join(' · ')}</Secondary>
      )}
    </div>
  );
}
