import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { filterOptionsQuery } from '../../api/filterOptions';
import type { SearchQuery } from '../../api/search';
import { reviewOptions } from '../../lib/session/review';
import { SEVERITIES } from '../../lib/session/alert';
import { describeStatus, TERMINAL } from '../../lib/session/status';
import { asOptions, SelectField } from '../../ui/fields/filterFields';
import { SuggestedField } from '../../ui/fields/SuggestedField';
import { TimeFilter } from '../../ui/fields/TimeFilter';

const statusOptions = TERMINAL.map((value) => ({ value, label: describeStatus(value).label }));

interface SearchFiltersProps {
  readonly query: SearchQuery;
  readonly found: { readonly authors: readonly string[]; readonly severities: readonly string[] };
  readonly change: (changes: Partial<SearchQuery>) => void;
}

export function SearchFilters({ query, found, change }: SearchFiltersProps) {
  return (
    <>
      <TimeFilter range={query} onChange={change} />
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
        options={[...SEVERITIES, ...found.severities]}
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
