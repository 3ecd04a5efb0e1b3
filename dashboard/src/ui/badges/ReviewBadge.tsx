import { Box } from '@mui/material';
import { describeReview } from '../../lib/session/review';
import { Badge } from './Badge';
import { visuallyHidden } from '../theme/tokens';

/** What a person thinks of the finding of a session. */
export function ReviewBadge({ review }: { readonly review: string }) {
  const { label, tone } = describeReview(review);
  return (
    <Badge tone={tone} tooltip="Review by a person" testId="review-badge">
      <Box component="span" sx={visuallyHidden}>
        Review:
      </Box>
      {label}
    </Badge>
  );
}
