import { isBetween, RANGES, type TimeRange } from '../../lib/time/timeRanges';
import { formatInZone, parseInZone, useTimeZone } from '../../lib/time/timeZone';
import { SelectField, TimeField } from './filterFields';

const HOUR_MS = 3_600_000;
const BETWEEN = 'between';

interface TimeFilterProps {
  readonly range: TimeRange;
  readonly onChange: (changes: Partial<TimeRange>) => void;
}

/** Hours back from now, or between two times. */
export function TimeFilter({ range, onChange }: TimeFilterProps) {
  const zone = useTimeZone();
  const between = isBetween(range);
  function choose(value: string): void {
    if (value !== BETWEEN) return onChange({ hours: Number(value), since: '', until: '' });
    const start = Math.floor(Date.now() / HOUR_MS - 24) * HOUR_MS;
    return onChange({ hours: 0, since: new Date(start).toISOString(), until: '' });
  }
  const read = (text: string) => parseInZone(text, zone)?.toISOString() ?? '';
  return (
    <>
      <SelectField
        label="Time"
        value={between ? BETWEEN : range.hours === 0 ? '' : String(range.hours)}
        all="Any time"
        options={[
          ...RANGES.slice(1).map(({ hours, label }) => ({ value: String(hours), label })),
          { value: BETWEEN, label: 'Between two times' },
        ]}
        onChange={choose}
        testId="filter-time"
      />
      {between && (
        <>
          <TimeField
            label="From"
            value={formatInZone(range.since, zone)}
            onChange={(text) => onChange({ since: read(text) })}
          />
          <TimeField
            label="To"
            value={formatInZone(range.until, zone)}
            onChange={(text) => onChange({ until: read(text) })}
          />
        </>
      )}
    </>
  );
}
