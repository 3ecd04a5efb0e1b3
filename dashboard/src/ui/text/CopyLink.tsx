import { urlOf } from '../../lib/session/share';
import { CopyButton } from './CopyButton';
import { LinkIcon } from '../theme/icons';

interface CopyLinkProps {
  /** A path of the dashboard, such as `/sessions/ID`. */
  readonly page: string;
  /** What the link leads to, such as `the session`. */
  readonly to: string;
}

/** Copies the address of a page, for somebody else. */
export function CopyLink({ page, to }: CopyLinkProps) {
  return (
    <CopyButton text={urlOf(page)} label={`Copy link to ${to}`} icon={<LinkIcon />}>
      Copy link
    </CopyButton>
  );
}
