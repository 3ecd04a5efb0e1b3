import { Button } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import type { SessionDetail } from '../../api/sessions';
import { download } from '../../lib/download';
import { pages } from '../../lib/paths';
import type { TimelineItem } from '../../live/reduce';
import { LazyMenu } from '../../ui/LazyMenu';
import { ChevronIcon } from '../../ui/icons';
import { toJson, toMarkdown } from './exports';

interface ExportMenuProps {
  readonly session: SessionDetail;
  readonly items: readonly TimelineItem[];
}

/** Saves the session as a file, or opens its report. */
export function ExportMenu({ session, items }: ExportMenuProps) {
  const name = `tarsy-${session.id}`;
  return (
    <LazyMenu
      entries={[
        {
          title: 'Markdown',
          onClick: () => {
            const url = `${window.location.origin}${pages.session(session.id)}`;
            download(`${name}.md`, 'text/markdown', toMarkdown(session, items, url));
          },
        },
        {
          title: 'JSON',
          onClick: () => download(`${name}.json`, 'application/json', toJson(session, items)),
        },
        {
          title: 'Report to print',
          link: { component: RouterLink, to: pages.report(session.id) },
        },
      ]}
      renderButton={(opening) => (
        <Button
          {...opening}
          size="small"
          color="inherit"
          endIcon={<ChevronIcon />}
          sx={{ color: 'text.secondary' }}
        >
          Export
        </Button>
      )}
    />
  );
}
