import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Link,
} from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Link as RouterLink, useNavigate } from 'react-router';
import type { SessionDetail, SessionItem } from '../../api/sessions';
import { shortId } from '../../lib/text/format';
import { pages } from '../../lib/browser/paths';
import { LoadState } from '../../ui/notices/LoadState';
import { Secondary } from '../../ui/layout/Secondary';
import { StatusChip } from '../../ui/badges/StatusChip';
import { RelativeTime } from '../../ui/numbers/times';
import { plainList } from '../../ui/theme/tokens';
import { sameAlertQuery } from './queries';
import { SessionIdForm } from './SessionIdForm';

interface CompareDialogProps {
  readonly session: SessionDetail;
  readonly onClose: () => void;
}

/** Offers the other sessions of the same alert, and any session by its id. */
export default function CompareDialog({ session, onClose }: CompareDialogProps) {
  const heading = useId();
  const navigate = useNavigate();
  const query = useQuery(sameAlertQuery(session));
  const { id, replay_of: original } = session;
  const others = (query.data ?? []).filter((other) => other.id !== original);
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      aria-labelledby={heading}
      data-testid="compare-dialog"
    >
      <DialogTitle id={heading}>Compare with</DialogTitle>
      <DialogContent>
        {original !== null && (
          <Link component={RouterLink} to={pages.compare(original, id)}>
            The session that this one replays
          </Link>
        )}
        <LoadState query={query} noun="sessions of the same alert" heightPx={96} />
        {query.data !== undefined && others.length === 0 && original === null && (
          <Secondary>No other session of this alert was found. Enter an ID.</Secondary>
        )}
        <Box component="ul" aria-label="Sessions of the same alert" sx={plainList}>
          {others.map((other) => (
            <Candidate key={other.id} first={id} other={other} />
          ))}
        </Box>
        <SessionIdForm
          label="Another session's ID"
          onChoose={(other) => void navigate(pages.compare(id, other))}
        />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

interface CandidateProps {
  /** Id of the session that it is compared with. */
  readonly first: string;
  readonly other: SessionItem;
}

function Candidate({ first, other }: CandidateProps) {
  return (
    <Box
      component="li"
      data-testid="compare-candidate"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1, py: 0.75 }}
    >
      <StatusChip status={other.status} />
      <Link component={RouterLink} to={pages.compare(first, other.id)}>
        Session {shortId(other.id)}
      </Link>
      <Secondary component="span">
        {other.chain_id} · <RelativeTime at={other.created_at} updateEveryMs={30_000} />
      </Secondary>
    </Box>
  );
}
