import type { Overview } from '../../api/overview';
import { plural } from '../../lib/text/format';
import { formatDateTime } from '../../lib/time/time';
import { useTimeZone } from '../../lib/time/timeZone';
import { ChartFigure } from './ChartFigure';
import { LinkedNumber } from '../../ui/numbers/LinkedNumber';
import { OutcomeLegend, OutcomePatterns } from './OutcomePatterns';
import {
  listOfOutcome,
  OUTCOMES,
  outcomeLabels,
  patternOf,
  slotsOf,
  totalOf,
  type Slot,
} from './outcomes';

/** Sessions by outcome over time. */
export function OutcomeChart({ overview }: { readonly overview: Overview }) {
  const zone = useTimeZone();
  const slots = slotsOf(overview);
  return (
    <>
      <OutcomePatterns />
      <ChartFigure
        testId="outcome-chart"
        summary={summaryOf(overview)}
        legend={<OutcomeLegend />}
        slots={slots}
        bucketSeconds={overview.bucket_seconds}
        format={String}
        series={OUTCOMES.map((outcome) => ({
          id: outcome,
          label: outcomeLabels[outcome],
          fill: patternOf(outcome),
          values: slots.map(({ bucket }) => bucket?.[outcome] || null),
          listOf: (slot) => listOfOutcome(outcome, slot),
        }))}
        table={{
          label: 'Sessions by outcome',
          columns: ['From', ...OUTCOMES.map((outcome) => outcomeLabels[outcome])],
          rows: slots.flatMap((slot) => rowOf(slot, formatDateTime(slot.from, zone))),
        }}
      />
    </>
  );
}

/** The row of a slot; none without sessions. */
function rowOf(slot: Slot, time: string) {
  const { bucket } = slot;
  if (bucket === undefined) return [];
  const cells = OUTCOMES.map((outcome) => (
    <LinkedNumber
      key={outcome}
      value={bucket[outcome]}
      to={listOfOutcome(outcome, slot)}
      label={`${outcomeLabels[outcome]}, from ${time}`}
    />
  ));
  return [{ key: bucket.start, cells: [time, ...cells] }];
}

/** `12 sessions: 9 completed, 3 failed.` */
function summaryOf({ buckets }: Overview): string {
  const total = buckets.reduce((sum, bucket) => sum + totalOf(bucket), 0);
  const parts = OUTCOMES.flatMap((outcome) => {
    const count = buckets.reduce((sum, bucket) => sum + bucket[outcome], 0);
    return count === 0 ? [] : [`${count} ${outcomeLabels[outcome].toLowerCase()}`];
  });
  return `${plural(total, 'session')}: ${parts.join(', ')}.`;
}
