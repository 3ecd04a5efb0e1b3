import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { filterOptionsQuery } from '../../api/filterOptions';
import type { SearchQuery } from '../../api/search';
import { reviewOptions } from '../../lib/review';
import { describeStatus, TERMINAL } from '../../lib/status';
import { formatInZone, parseInZone, useTimeZone } from '../../lib/timeZone';
import { asOptions, SelectField, TimeField } from '../../ui/filterFields';
import { SuggestedField } from '../../ui/SuggestedField';
import { isBetween, RANGES } from './params';

const HOUR_MS = 3_600_000;
const BETWEEN = 'between';

/** What monitoring systems call them; other words can be typed. */
const severities = ['critical', 'error', 'warning', 'info'];

const statusOptions = TERMINAL.map((value) => ({ value, label: describeStatus(value).label }));

interface SearchFiltersProps {
  readonly query: SearchQuery;
  readonly found: { readonly authors: readonly string[]; readonly severities: readonly string[] };
  readonly change: (changes: Partial<SearchQuery>) => void;
}

export function SearchFilters({ query, found, change }: SearchFiltersProps) {
  return (
    <>
      <TimeFilter query={query} change={change} />
      <SelectField
        label="Status"
        value={query.status[0] ?? ''}
        options={statusOptions}
        onChange={(status) => change({ status: status === '' ? [] : [status] })}
      />
      <ChainFilter chain={query.chain} onChange={(chain) => change({ chain })} />
      <SuggestedField
        label="Severity"
        value={query.severity}
        options={[...severities, ...found.severities]}
        onChange={(severity) => change({ severity })}
      />
      <SuggestedField
        label="Author"
        value={query.author}
        options={found.authors}
        onChange={(author) => change({ author })}
      />
      <SelectField
        label="Review"
        value={query.review}
        options={reviewOptions}
        onChange={(review) => change({ review })}
      />
      <Button
        size="small"
        variant={query.degraded ? 'contained' : 'outlined'}
        color={query.degraded ? 'primary' : 'inherit'}
        aria-pressed={query.degraded}
        onClick={() => change({ degraded: !query.degraded })}
        sx={{ minHeight: 40, ...(query.degraded ? {} : { borderColor: 'divider' }) }}
      >
        Degraded only
      </Button>
    </>
  );
}

interface ChainFilterProps {
  readonly chain: string;
  readonly onChange: (chain: string) => void;
}

/** The chains in use are read when the user turns to the field. */
function ChainFilter({ chain, onChange }: ChainFilterProps) {
  const [wanted, setWanted] = useState(false);
  const { data } = useQuery({ ...filterOptionsQuery, enabled: wanted });
  const read = () => setWanted(true);
  return (
    <Box sx={{ display: 'contents' }} onFocus={read} onPointerEnter={read}>
      <SelectField
        label="Chain"
        value={chain}
        options={asOptions(data?.chain_ids ?? [])}
        onChange={onChange}
      />
    </Box>
  );
}

/** Hours back from now, or between two times. */
function TimeFilter({ query, change }: Pick<SearchFiltersProps, 'query' | 'change'>) {
  const zone = useTimeZone();
  const between = isBetween(query);
  function choose(value: string): void {
    if (value !== BETWEEN) return change({ hours: Number(value), since: '', until: '' });
    const start = Math.floor(Date.now() / HOUR_MS - 24) * HOUR_MS;
    return change({ hours: 0, since: new Date(start).toISOString(), until: '' });
  }
  const read = (text: string) => parseInZone(text, zone)?.toISOString() ?? '';
  return (
    <>
      <SelectField
        label="Time"
        value={between ? BETWEEN : query.hours === 0 ? '' : String(query.hours)}
        all="Any time"
        options={[
          ...RANGES.slice(1).map(({ hours, label }) => ({ value: String(hours), label })),
          { value: BETWEEN, label: 'Between two times' },
        ]}
        onChange={choose}
      />
      {between && (
        <>
          <TimeField
            label="From"
            value={formatInZone(query.since, zone)}
            onChange={(text) => change({ since: read(text) })}
          />
          <TimeField
            label="To"
            value={formatInZone(query.until, zone)}
            onChange={(text) => change({ until: read(text) })}
          />
        </>
      )}
    </>
  );
}
