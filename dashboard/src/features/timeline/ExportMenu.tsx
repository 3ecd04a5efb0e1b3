import { Button } from '@mui/material';
import { lazy, Suspense, useState } from 'react';
import { Link as RouterLink } from 'react-router';
import type { SessionDetail } from '../../api/sessions';
import { pages } from '../../lib/browser/paths';
import type { TimelineItem } from '../../live/reduce';
import { LazyMenu } from '../../ui/layout/LazyMenu';
import { ChevronIcon } from '../../ui/theme/icons';

const PostmortemDialog = lazy(() => import('./PostmortemDialog'));

interface ExportMenuProps {
  readonly session: SessionDetail;
  /** Null until they are loaded. */
  readonly items: readonly TimelineItem[] | null;
}

/** Saves the session as a file, or opens its postmortem or its report. */
export function ExportMenu({ session, items: loaded }: ExportMenuProps) {
  const items = loaded ?? [];
  const [hasPostmortem, setHasPostmortem] = useState(false);
  const save = async (format: 'saveMarkdown' | 'saveJson') =>
    (await import('./exports'))[format](session, items);
  return (
    <>
      <LazyMenu
        entries={[
          { title: 'Markdown', onClick: () => save('saveMarkdown') },
          {
            title: 'Postmortem',
            onClick: () => setHasPostmortem(true),
            disabled: session.completed_at === null,
          },
          { title: 'JSON', onClick: () => save('saveJson') },
          {
            title: 'Printable report',
            link: { component: RouterLink, to: pages.report(session.id) },
          },
        ]}
        renderButton={(opening) => (
          <Button
            {...opening}
            disabled={loaded === null}
            size="small"
            color="inherit"
            endIcon={<ChevronIcon />}
            sx={{ color: 'text.secondary' }}
          >
            Export
          </Button>
        )}
      />
      {hasPostmortem && (
        <Suspense fallback={null}>
          <PostmortemDialog session={session.id} onClose={() => setHasPostmortem(false)} />
        </Suspense>
      )}
    </>
  );
}
