import { Box, Button, TableCell, TableRow } from '@mui/material';
import type { ApiToken } from '../../api/tokens';
import { showBidiControls } from '../../lib/text/bidi';
import { parseTime } from '../../lib/time/time';
import { useNow } from '../../lib/time/useNow';
import { Badge } from '../../ui/badges/Badge';
import { Secondary } from '../../ui/layout/Secondary';
import { RelativeTime, TimeUntil } from '../../ui/numbers/times';
import { visibleFrom } from './columns';
import { grantText } from './grants';

const DAY_MS = 86_400_000;
/** A token that expires within this time is marked. */
const SOON_MS = 7 * DAY_MS;

interface TokenRowProps {
  readonly token: ApiToken;
  readonly onRevoke: (token: ApiToken) => void;
}

export function TokenRow({ token, onRevoke }: TokenRowProps) {
  return (
    <TableRow data-testid="token" data-token={token.name}>
      <TableCell component="th" scope="row" sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
        <span dir="auto">{showBidiControls(token.name)}</span>
        <Box sx={{ display: { sm: 'none' }, fontWeight: 400 }}>
          <Secondary>{grantText(token)}</Secondary>
          <Expiry token={token} prefix="Expires " />
        </Box>
      </TableCell>
      <TableCell sx={{ ...visibleFrom('sm'), overflowWrap: 'anywhere' }}>
        {grantText(token)}
      </TableCell>
      <TableCell sx={visibleFrom('lg')}>
        <RelativeTime at={token.created_at} updateEveryMs={30_000} />{' '}
        <Secondary component="span">
          by <span dir="auto">{showBidiControls(token.created_by)}</span>
        </Secondary>
      </TableCell>
      <TableCell sx={visibleFrom('md')}>
        {token.last_used_at === null ? (
          'never'
        ) : (
          <RelativeTime at={token.last_used_at} updateEveryMs={30_000} />
        )}
      </TableCell>
      <TableCell sx={visibleFrom('sm')}>
        <Expiry token={token} />
      </TableCell>
      <TableCell align="right" sx={{ width: 0 }}>
        <Button
          size="small"
          color="error"
          sx={{ mr: -0.625 }}
          onClick={() => onRevoke(token)}
          aria-label={showBidiControls(`Revoke ${token.name}`)}
        >
          Revoke
        </Button>
      </TableCell>
    </TableRow>
  );
}

interface ExpiryProps {
  readonly token: ApiToken;
  /** Before a time in the future, where no heading says what it is. */
  readonly prefix?: string;
}

function Expiry({ token, prefix = '' }: ExpiryProps) {
  const now = useNow(true, 30_000);
  const left = (parseTime(token.expires_at) ?? now) - now;
  const time = (
    <>
      {left > 0 && prefix}
      <TimeUntil at={token.expires_at} afterwards="expired" />
    </>
  );
  if (left > SOON_MS) return <Secondary component="span">{time}</Secondary>;
  return <Badge tone={left > 0 ? 'warning' : 'error'}>{time}</Badge>;
}
