import type { Overview, OverviewBucket } from '../../api/overview';
import { formatDateTime } from '../../lib/time/time';
import { useTimeZone, type TimeZone } from '../../lib/time/timeZone';
import { ChartFigure } from './ChartFigure';
import { LinkedNumber } from '../../ui/numbers/LinkedNumber';
import { listOf, slotsOf, type Slot } from './outcomes';

interface UsageChartProps {
  readonly overview: Overview;
  /** `Tokens`. */
  readonly title: string;
  /** Null without any. */
  readonly valueOf: (bucket: OverviewBucket) => number | null;
  readonly format: (value: number) => string;
  readonly testId: string;
}

/** What the sessions that were submitted in each bucket used. */
export function UsageChart({ overview, title, valueOf, format, testId }: UsageChartProps) {
  const zone = useTimeZone();
  const slots = slotsOf(overview);
  const values = slots.map(({ bucket }) => (bucket ? valueOf(bucket) : null));
  const total = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return (
    <ChartFigure
      testId={testId}
      summary={`${format(total)} in total.`}
      slots={slots}
      bucketSeconds={overview.bucket_seconds}
      format={format}
      series={[
        {
          id: title,
          label: title,
          fill: 'var(--tarsy-info-fg)',
          values,
          listOf: (slot) => listOf(slot),
        },
      ]}
      table={{
        label: title,
        columns: ['From', title],
        rows: slots.flatMap((slot, index) =>
          rowOf(slot, { title, value: values[index] ?? null, format, zone }),
        ),
      }}
    />
  );
}

interface RowValue {
  readonly title: string;
  readonly value: number | null;
  readonly format: (value: number) => string;
  readonly zone: TimeZone;
}

/** The row of a slot; none without sessions. */
function rowOf(slot: Slot, { title, value, format, zone }: RowValue) {
  if (slot.bucket === undefined) return [];
  const time = formatDateTime(slot.from, zone);
  const label = `${title.toLowerCase()}, from ${time}`;
  const number = (
    <LinkedNumber key="value" value={value} format={format} to={listOf(slot)} label={label} />
  );
  return [{ key: slot.from, cells: [time, number] }];
}
