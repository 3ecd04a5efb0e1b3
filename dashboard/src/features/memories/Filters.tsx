import { Box, Button, TextField } from '@mui/material';
import { useEffect, useState } from 'react';
import type { MemoryQuery } from '../../api/memories';
import { ToggleFilter } from '../../ui/fields/ToggleFilter';
import { noFilter } from './params';

const DEBOUNCE_MS = 300;
const MAX_TEXT = 200;

const states = [
  { id: '', label: 'All' },
  { id: 'active', label: 'Active' },
  { id: 'retired', label: 'Retired' },
];

interface FiltersProps {
  readonly list: MemoryQuery;
  readonly change: (changes: Partial<MemoryQuery>) => void;
}

export function Filters({ list, change }: FiltersProps) {
  return (
    <Box
      role="search"
      aria-label="Filter the memories"
      sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', pt: 0.75, mb: 1.5 }}
    >
      <TextFilter key={list.text === '' ? 'empty' : 'given'} text={list.text} change={change} />
      <ToggleFilter
        label="State"
        options={states}
        value={list.state}
        onChange={(state) => change({ state })}
      />
      {(list.text !== '' || list.state !== '') && (
        <Button size="small" onClick={() => change(noFilter)} sx={{ minHeight: 40 }}>
          Clear filters
        </Button>
      )}
    </Box>
  );
}

interface TextFilterProps {
  readonly text: string;
  readonly change: FiltersProps['change'];
}

/** Filters a moment after the last key. */
function TextFilter({ text, change }: TextFilterProps) {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    if (typed === text) return undefined;
    const timer = setTimeout(() => change({ text: typed }), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, text, change]);
  return (
    <TextField
      size="small"
      label="Words"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      slotProps={{ htmlInput: { maxLength: MAX_TEXT } }}
    />
  );
}
