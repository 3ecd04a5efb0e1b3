import { Button } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { pages } from '../../../lib/browser/paths';
import { urlOf } from '../../../lib/session/share';
import { CopyButton } from '../../../ui/text/CopyButton';
import { LinkIcon } from '../../../ui/theme/icons';

interface SharingProps {
  /** Ids of the selected sessions, in the order of the list; at least one. */
  readonly sessions: readonly string[];
  /** Whether two of them can be compared: they have ended. */
  readonly compares: boolean;
}

/** What everybody who reads the list may do with some of its sessions. */
export function Sharing({ sessions, compares }: SharingProps) {
  return (
    <>
      {compares && <CompareButton sessions={sessions} />}
      <CopyButton
        text={sessions.map((session) => urlOf(pages.session(session))).join('\n')}
        label={
          sessions.length === 1
            ? 'Copy link to the selected session'
            : 'Copy links to the selected sessions'
        }
        icon={<LinkIcon />}
      >
        {sessions.length === 1 ? 'Copy link' : 'Copy links'}
      </CopyButton>
    </>
  );
}

/** Of two sessions; the upper one is the first. */
function CompareButton({ sessions }: Pick<SharingProps, 'sessions'>) {
  const [first, second] = sessions;
  if (first === undefined || second === undefined || sessions.length > 2) {
    return (
      <span title="Select two sessions to compare them">
        <Button size="small" disabled>
          Compare
        </Button>
      </span>
    );
  }
  return (
    <Button size="small" component={RouterLink} to={pages.compare(first, second)}>
      Compare
    </Button>
  );
}
