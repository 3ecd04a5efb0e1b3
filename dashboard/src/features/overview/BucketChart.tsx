import { BarChart } from '@mui/x-charts/BarChart';
import { formatDateTime, formatTick } from '../../lib/time/time';
import { useTimeZone } from '../../lib/time/timeZone';
import type { Slot } from './outcomes';

export interface BucketSeries {
  readonly id: string;
  readonly label: string;
  readonly fill: string;
  /** One for each slot; null without any. */
  readonly values: readonly (number | null)[];
  /** The list of what a bar counts. */
  readonly listOf: (slot: Slot) => string;
}

export interface BucketChartProps {
  readonly slots: readonly Slot[];
  readonly bucketSeconds: number;
  readonly series: readonly BucketSeries[];
  readonly format: (value: number) => string;
  readonly heightPx: number;
  readonly onOpen: (path: string) => void;
}

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

/**
 * Stacked bars over time. A click opens the list of a bar. Screen readers and keyboards have the table below each chart, with
 * the same numbers as links, so that the bars are no stops of theirs.
 */
export default function BucketChart(props: BucketChartProps) {
  const { slots, bucketSeconds, series, format, heightPx, onOpen } = props;
  const zone = useTimeZone();
  // Labels of longer steps than an hour are those of days.
  const daily = bucketSeconds > HOUR_SECONDS;
  const perLabel = daily ? Math.max(1, Math.round(DAY_SECONDS / bucketSeconds)) : 1;
  return (
    <BarChart
      height={heightPx}
      hideLegend
      skipAnimation
      disableKeyboardNavigation
      grid={{ horizontal: true }}
      margin={{ left: 0, right: 20, top: 12, bottom: 0 }}
      xAxis={[
        {
          scaleType: 'band',
          data: slots.map(({ start }) => start),
          height: 28,
          tickInterval: (_: number, index: number) => index % perLabel === 0,
          valueFormatter: (start: number, { location }) =>
            location === 'tick'
              ? formatTick(start, daily, zone)
              : formatDateTime(new Date(start).toISOString(), zone),
        },
      ]}
      yAxis={[{ width: 48, min: 0, tickMinStep: 1, valueFormatter: format }]}
      series={series.map(({ id, label, fill, values }) => ({
        id,
        label,
        data: [...values],
        stack: 'all',
        color: fill,
        valueFormatter: (value: number | null) => (value ? format(value) : null),
      }))}
      onItemClick={(_, { seriesId, dataIndex }) => {
        const slot = slots[dataIndex];
        const opened = series.find(({ id }) => id === seriesId);
        if (slot && opened) onOpen(opened.listOf(slot));
      }}
      sx={{ '& .MuiBarChart-element': { cursor: 'pointer' } }}
    />
  );
}
