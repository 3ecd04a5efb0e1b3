import { Button } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { getReviews, type Review } from '../../api/reviews';
import type { SessionDetail } from '../../api/sessions';
import { download } from '../../lib/download';
import { pages } from '../../lib/paths';
import { urlOf } from '../../lib/share';
import type { TimelineItem } from '../../live/reduce';
import { useChecks } from '../../ui/checks';
import { LazyMenu } from '../../ui/LazyMenu';
import { ChevronIcon } from '../../ui/icons';

interface ExportMenuProps {
  readonly session: SessionDetail;
  /** Null until they are loaded. */
  readonly items: readonly TimelineItem[] | null;
}

/** The review that counts. A draft without it is better than none. */
async function reviewOf({ id, review }: SessionDetail): Promise<Review | null> {
  if (review === null) return null;
  const reviews = await getReviews(id).catch(() => null);
  return reviews?.review ?? null;
}

/** Saves the session as a file, or opens its report. */
export function ExportMenu({ session, items: loaded }: ExportMenuProps) {
  const items = loaded ?? [];
  const { analysis, summary } = useChecks();
  const name = `tarsy-${session.id}`;
  const url = urlOf(pages.session(session.id));
  return (
    <LazyMenu
      entries={[
        {
          title: 'Markdown',
          onClick: async () => {
            const { toMarkdown } = await import('./exports');
            download(`${name}.md`, 'text/markdown', toMarkdown(session, items, url));
          },
        },
        {
          title: 'Postmortem draft',
          onClick: async () => {
            const [{ toPostmortem }, review] = await Promise.all([
              import('./postmortem'),
              reviewOf(session),
            ]);
            const checks = [summary, analysis].filter((check) => check !== undefined);
            const text = toPostmortem({ session, items, checks, review, url });
            download(`${name}-postmortem.md`, 'text/markdown', text);
          },
        },
        {
          title: 'JSON',
          onClick: async () => {
            const { toJson } = await import('./exports');
            download(`${name}.json`, 'application/json', toJson(session, items));
          },
        },
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
  );
}
