import { Link } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import type { SessionItem } from '../../api/sessions';
import { earlierCount } from '../../lib/session/alert';
import { pages } from '../../lib/browser/paths';
import { aboveRow } from '../../ui/theme/tokens';

interface SeenCountProps {
  readonly session: Pick<SessionItem, 'fingerprint' | 'earlier_sessions'>;
}

/** How many earlier sessions have the same fingerprint, linked to their list; nothing without any. */
export function SeenCount({ session }: SeenCountProps) {
  const { fingerprint, earlier_sessions: earlier } = session;
  if (fingerprint === null || earlier.count === 0) return null;
  return (
    <Link
      component={RouterLink}
      to={pages.sessionsOf(fingerprint)}
      color="text.secondary"
      sx={{ ...aboveRow, fontSize: '0.75rem', whiteSpace: 'nowrap' }}
    >
      seen {earlierCount(earlier.count)}× before
    </Link>
  );
}
