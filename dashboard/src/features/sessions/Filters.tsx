import { Box, Button, ButtonBase, InputAdornment, MenuItem, TextField } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { describeStatus } from '../../lib/status';
import { SearchIcon } from '../../ui/icons';
import { toneColors } from '../../ui/tones';
import {
  FILTERS,
  isFiltered,
  MIN_SEARCH,
  noFilter,
  type ListChange,
  type ListParams,
} from './params';
import { filterOptionsQuery } from './queries';

const TYPING_PAUSE_MS = 300;

interface FiltersProps {
  readonly list: ListParams;
  readonly change: (change: ListChange, replace?: boolean) => void;
}

export function Filters({ list, change }: FiltersProps) {
  function toggle(status: string): void {
    change((now) => ({
      status: FILTERS.filter((other) => now.status.includes(other) !== (other === status)),
    }));
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
      <TypeField value={list.alertType} change={change} />
      <DayField label="From" value={list.from} onPick={(from) => change({ from })} />
      <DayField label="To" value={list.to} onPick={(to) => change({ to })} />
      {isFiltered(list) && (
        <Button
          size="small"
          onClick={() => change(noFilter)}
          data-testid="clear-filters"
          sx={{ minHeight: 40 }}
        >
          Clear the filters
        </Button>
      )}
    </Box>
  );
}

interface TypeFieldProps {
  readonly value: string;
  readonly change: FiltersProps['change'];
}

function TypeField({ value, change }: TypeFieldProps) {
  const { data } = useQuery(filterOptionsQuery);
  const types = data?.alert_types ?? [];
  if (types.length === 0 && value === '') return null;
  return (
    <TextField
      select
      size="small"
      label="Alert type"
      value={value}
      onChange={(event) => change({ alertType: event.target.value })}
      sx={{ minWidth: 160 }}
      slotProps={{
        select: { displayEmpty: true, SelectDisplayProps: { 'aria-label': 'Alert type' } },
        inputLabel: { shrink: true },
        htmlInput: { 'data-testid': 'filter-type' },
      }}
    >
      <MenuItem value="">Any</MenuItem>
      {value !== '' && !types.includes(value) && <MenuItem value={value}>{value}</MenuItem>}
      {types.map((type) => (
        <MenuItem key={type} value={type}>
          {type}
        </MenuItem>
      ))}
    </TextField>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onPick: (day: string) => void;
}

/** A day of the calendar; half a date, while it is typed, changes nothing. */
function DayField({ label, value, onPick }: DayFieldProps) {
  return (
    <TextField
      size="small"
      type="date"
      label={label}
      value={value}
      onChange={(event) => onPick(event.target.value)}
      sx={{ width: 150 }}
      slotProps={{ inputLabel: { shrink: true } }}
    />
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
