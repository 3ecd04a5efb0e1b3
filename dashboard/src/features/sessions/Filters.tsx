import { Box, ButtonBase, InputAdornment, TextField } from '@mui/material';
import { useEffect, useState } from 'react';
import { describeStatus } from '../../lib/status';
import { SearchIcon } from '../../ui/icons';
import { toneColors } from '../../ui/tones';
import { FILTERS, MIN_SEARCH, type ListParams } from './params';

const TYPING_PAUSE_MS = 300;

interface FiltersProps {
  readonly list: ListParams;
  readonly change: (changes: Partial<ListParams>, replace?: boolean) => void;
}

export function Filters({ list, change }: FiltersProps) {
  function toggle(status: string): void {
    const on = list.status.includes(status);
    change({
      status: FILTERS.filter((other) => (other === status ? !on : list.status.includes(other))),
    });
  }
  return (
    <Box
      role="search"
      aria-label="Filter the history"
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        gap: 1.5,
        alignItems: 'flex-start',
        pt: 0.75,
        mb: 1.5,
      }}
    >
      <SearchField value={list.search} change={change} />
      <Box
        role="group"
        aria-label="Status"
        sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.75, alignItems: 'center', minHeight: 40 }}
      >
        {FILTERS.map((status) => (
          <FilterButton
            key={status}
            status={status}
            on={list.status.includes(status)}
            onToggle={() => toggle(status)}
          />
        ))}
      </Box>
    </Box>
  );
}

interface SearchFieldProps {
  readonly value: string;
  readonly change: FiltersProps['change'];
}

function SearchField({ value, change }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const [sent, setSent] = useState(value);
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    // The address changed by another hand, such as the back button: it wins over what was typed.
    if (value !== sent) setTyped(value);
  }
  const length = typed.trim().length;
  const tooShort = length > 0 && length < MIN_SEARCH;
  useEffect(() => {
    if (typed === value || tooShort) return undefined;
    const timer = setTimeout(() => {
      setSent(typed);
      change({ search: typed }, true);
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, tooShort, change]);
  return (
    <TextField
      size="small"
      type="search"
      label="Search the history"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      helperText={tooShort ? `Type at least ${MIN_SEARCH} characters` : undefined}
      sx={{ width: { xs: '100%', sm: 300 } }}
      slotProps={{
        input: {
          startAdornment: (
            <InputAdornment position="start">
              <SearchIcon fontSize="small" />
            </InputAdornment>
          ),
        },
      }}
    />
  );
}

interface FilterButtonProps {
  readonly status: string;
  readonly on: boolean;
  readonly onToggle: () => void;
}

function FilterButton({ status, on, onToggle }: FilterButtonProps) {
  const { label, tone } = describeStatus(status);
  return (
    <ButtonBase
      aria-pressed={on}
      onClick={onToggle}
      sx={{
        ...(on ? toneColors(tone) : { color: 'text.secondary' }),
        border: 1,
        borderColor: on ? 'currentColor' : 'divider',
        borderRadius: 99,
        px: 1.5,
        py: 0.5,
        fontSize: '0.8125rem',
        fontWeight: on ? 650 : 500,
        '&:focus-visible': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: 2 },
      }}
    >
      {label}
    </ButtonBase>
  );
}
