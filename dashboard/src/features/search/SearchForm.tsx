import { Box, Button, Chip, InputAdornment, MenuItem, TextField } from '@mui/material';
import { useEffect, useRef, useState } from 'react';
import type { SearchQuery } from '../../api/search';
import { describeStatus, TERMINAL } from '../../lib/status';
import { SearchIcon } from '../../ui/icons';
import { RANGES } from './params';

const DEBOUNCE_MS = 300;

interface SearchFormProps {
  readonly query: SearchQuery;
  readonly change: (changes: Partial<SearchQuery>) => void;
}

export function SearchForm({ query, change }: SearchFormProps) {
  return (
    <Box
      role="search"
      sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', pt: 0.75, mb: 1 }}
    >
      <TextInput text={query.text} change={change} />
      <Choice
        label="Time"
        value={String(query.hours)}
        onChange={(hours) => change({ hours: Number(hours) })}
        options={RANGES.map(({ hours, label }) => ({ value: String(hours), label }))}
      />
      <Choice
        label="Status"
        value={query.status}
        onChange={(status) => change({ status })}
        options={[
          { value: '', label: 'All' },
          ...TERMINAL.map((value) => ({ value, label: describeStatus(value).label })),
        ]}
      />
      <Button
        size="small"
        variant={query.degraded ? 'contained' : 'outlined'}
        aria-pressed={query.degraded}
        onClick={() => change({ degraded: !query.degraded })}
        sx={{ minHeight: 40 }}
      >
        Degraded only
      </Button>
      {query.failedServer !== '' && (
        <Chip
          label={`Failed calls of ${query.failedServer} ${query.failedTool}`}
          onDelete={() => change({ failedServer: '', failedTool: '' })}
          sx={{ maxWidth: 320 }}
        />
      )}
    </Box>
  );
}

interface TextInputProps {
  readonly text: string;
  readonly change: SearchFormProps['change'];
}

/** Searches shortly after the last key. */
function TextInput({ text, change }: TextInputProps) {
  const [input, setInput] = useState(text);
  const [shown, setShown] = useState(text);
  const field = useRef<HTMLInputElement>(null);
  // The address changed: a link to another search.
  if (text !== shown) {
    setShown(text);
    setInput(text);
  }
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (input === text) return;
    const timer = setTimeout(() => change({ text: input }), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [input, text, change]);
  return (
    <TextField
      type="search"
      size="small"
      label="Search alerts, findings, tool calls and chats"
      value={input}
      inputRef={field}
      onChange={(event) => setInput(event.target.value)}
      sx={{ flex: '1 1 320px', minWidth: 0 }}
      slotProps={{
        htmlInput: { maxLength: 200, 'data-testid': 'search-text' },
        input: {
          startAdornment: (
            <InputAdornment position="start">
              <SearchIcon />
            </InputAdornment>
          ),
        },
      }}
    />
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <TextField
      select
      size="small"
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      sx={{ minWidth: 140 }}
      slotProps={{
        select: { displayEmpty: true, SelectDisplayProps: { 'aria-label': label } },
        inputLabel: { shrink: true },
      }}
    >
      {options.map((option) => (
        <MenuItem key={option.value} value={option.value}>
          {option.label}
        </MenuItem>
      ))}
    </TextField>
  );
}
