import { Box, Link, Typography } from '@mui/material';
import type { Change } from '../../api/changes';
import type { SessionDetail } from '../../api/sessions';
import { showBidiControls } from '../../lib/text/bidi';
import { humanize, plural } from '../../lib/text/format';
import { formatDuration } from '../../lib/time/time';
import { Badge } from '../../ui/badges/Badge';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { TimeStrip } from '../../ui/numbers/TimeStrip';
import { DateTime } from '../../ui/numbers/times';
import { plainList } from '../../ui/theme/tokens';

/** What changed near the alert, as the investigation was given it: on an axis of time, and as a list. */
export function Changes({ session }: { readonly session: SessionDetail }) {
  const { changes, created_at: alertAt, verdict } = session;
  if (changes.length === 0) return null;
  return (
    <Panel title="Changed before the alert" testId="changes">
      <TimeAxis changes={changes} alertAt={alertAt} />
      <Box component="ul" aria-label="Changes before the alert" sx={plainList}>
        {changes.map((change) => (
          <ChangeRow key={change.id} change={change} explains={change.id === verdict?.change?.id} />
        ))}
      </Box>
    </Panel>
  );
}

/** From the first change to the alert, which is at the end. */
function TimeAxis({ changes, alertAt }: TimeAxisProps) {
  const times = changes.map((change) => Date.parse(change.occurred_at));
  const to = Math.max(Date.parse(alertAt), ...times);
  const first = Math.min(...times);
  // The first one does not stand on the edge.
  const from = first - (to - first) / 8;
  const minutes = Math.max(1, Math.round((to - first) / 60_000));
  const marks = changes.map(({ id, occurred_at: at, text }) => ({
    id,
    at: Date.parse(at),
    title: showBidiControls(text),
  }));
  const label = `${plural(changes.length, 'change')} in the ${plural(minutes, 'minute')} before the alert`;
  const ends = [`${formatDuration(to - from)} before`, 'alert'] as const;
  return <TimeStrip from={from} to={to} marks={marks} label={label} ends={ends} />;
}

interface TimeAxisProps {
  readonly changes: readonly Change[];
  readonly alertAt: string;
}

interface ChangeRowProps {
  readonly change: Change;
  /** Whether the finding says that it explains the cause. */
  readonly explains: boolean;
}

function ChangeRow({ change, explains }: ChangeRowProps) {
  const { kind, link, text, occurred_at: at } = change;
  const place = [change.service, change.namespace, change.host, change.environment];
  const about = [change.object, ...place, change.author && `by ${change.author}`, change.source];
  const shown = [...new Set(about.filter((part) => part))].map((part) =>
    showBidiControls(`${part}`),
  );
  return (
    <Box
      component="li"
      data-testid="change"
      sx={{
        py: 0.75,
        '& + &': { borderTop: 1, borderColor: 'divider' },
        overflowWrap: 'anywhere',
      }}
    >
      <Typography dir="auto">
        <bdi>{showBidiControls(text)}</bdi>
        {link !== null && /^https?:/.test(link) && (
          <>
            {' '}
            <Link href={link} target="_blank" rel="noopener noreferrer">
              Open page
            </Link>
          </>
        )}
      </Typography>
      <Secondary component="div">
        {explains && (
          <>
            <Badge tone="info" testId="explaining-change">
              Explains the cause
            </Badge>{' '}
          </>
        )}
        <DateTime at={at} /> · {humanize(kind)}
        {shown.length > 0 && ` · ${shown.join(' · ')}`}
      </Secondary>
    </Box>
  );
}
