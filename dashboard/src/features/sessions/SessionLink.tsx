import { Link } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { showBidiControls } from '../../lib/text/bidi';
import { pages } from '../../lib/browser/paths';
import { coversRow } from '../../ui/theme/tokens';

interface SessionLinkProps {
  readonly id: string;
  /** What the alert is about. */
  readonly title: string;
}

/** The title of a row, linked to its session. The link covers the whole row. */
export function SessionLink({ id, title }: SessionLinkProps) {
  return (
    <Link
      component={RouterLink}
      to={pages.session(id)}
      underline="hover"
      data-step
      color="text.primary"
      sx={{ fontWeight: 600, ...coversRow }}
    >
      <bdi>{showBidiControls(title)}</bdi>
    </Link>
  );
}
