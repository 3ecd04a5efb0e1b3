import { Box } from '@mui/material';
import type { Overview, OverviewBucket } from '../../api/overview';
import { formatDateTime } from '../../lib/time';
import { useTimeZone } from '../../lib/timeZone';
import { OUTCOMES, outcomeLabels, outcomePattern, totalOf } from './outcomes';

const HEIGHT_PX = 180;

/** Sessions by outcome over time. The table below it has the same numbers. */
export function OutcomeChart({ overview }: { readonly overview: Overview }) {
  const most = Math.max(1, ...overview.buckets.map(totalOf));
  return (
    <Box component="figure" sx={{ m: 0 }} aria-hidden data-testid="outcome-chart">
      <Legend />
      <Box
        sx={{
          display: 'flex',
          alignItems: 'flex-end',
          gap: '2px',
          height: HEIGHT_PX,
          borderBottom: 1,
          borderColor: 'divider',
        }}
      >
        {slots(overview).map(({ start, bucket }) => (
          <Bar key={start} start={start} bucket={bucket} most={most} />
        ))}
      </Box>
    </Box>
  );
}

interface Slot {
  readonly start: number;
  readonly bucket: OverviewBucket | undefined;
}

/** One after the other, also those without sessions. */
function slots({ from, to, bucket_seconds: seconds, buckets }: Overview): readonly Slot[] {
  const known = new Map(buckets.map((bucket) => [new Date(bucket.start).getTime(), bucket]));
  const first = new Date(from).getTime();
  const step = Math.max(1, seconds) * 1000;
  const length = Math.min(200, Math.ceil((new Date(to).getTime() - first) / step));
  return Array.from({ length }, (_, index) => {
    const start = first + index * step;
    return { start, bucket: known.get(start) };
  });
}

interface BarProps extends Slot {
  /** The sessions of the highest bar. */
  readonly most: number;
}

function Bar({ start, bucket, most }: BarProps) {
  const zone = useTimeZone();
  const time = formatDateTime(new Date(start).toISOString(), zone);
  return (
    <Box
      title={`${time}: ${bucket ? totalOf(bucket) : 0} sessions`}
      sx={{ flex: '1 1 0', minWidth: 0, display: 'flex', flexDirection: 'column-reverse' }}
    >
      {bucket &&
        OUTCOMES.filter((outcome) => bucket[outcome] > 0).map((outcome) => (
          <Box
            key={outcome}
            style={{
              height: Math.max(2, (bucket[outcome] / most) * (HEIGHT_PX - 12)),
              background: outcomePattern(outcome),
            }}
          />
        ))}
    </Box>
  );
}

function Legend() {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, mb: 1, fontSize: '0.8125rem' }}>
      {OUTCOMES.map((outcome) => (
        <Box key={outcome} sx={{ display: 'flex', alignItems: 'center', gap: 0.75 }}>
          <Box
            sx={{ width: 16, height: 12, border: 1, borderColor: 'divider' }}
            style={{ background: outcomePattern(outcome) }}
          />
          {outcomeLabels[outcome]}
        </Box>
      ))}
    </Box>
  );
}
