import { Box, Button, Chip, InputAdornment, TextField } from '@mui/material';
import { useEffect, useRef, useState } from 'react';
import type { SearchQuery } from '../../api/search';
import { viewStore } from '../../lib/browser/savedViews';
import { FoldedFilters } from '../../ui/fields/FoldedFilters';
import { SearchIcon } from '../../ui/theme/icons';
import { ViewMenu } from '../../ui/fields/ViewMenu';
import { isFiltered, noFilter, readParams, writeParams } from './params';
import { SearchFilters } from './SearchFilters';

const DEBOUNCE_MS = 300;
const views = viewStore('tarsy-search-views');

interface SearchFormProps {
  readonly query: SearchQuery;
  /** Authors and severities of what was found: suggestions. */
  readonly found: { readonly authors: readonly string[]; readonly severities: readonly string[] };
  readonly change: (changes: Partial<SearchQuery>) => void;
}

export function SearchForm({ query, found, change }: SearchFormProps) {
  const filtered = isFiltered(query);
  return (
    <Box
      role="search"
      aria-label="Search sessions"
      sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', pt: 0.75, mb: 1 }}
    >
      <TextInput text={query.text} change={change} />
      <FoldedFilters active={filtered}>
        <SearchFilters query={query} found={found} change={change} />
      </FoldedFilters>
      {query.failedServer !== '' && (
        <Chip
          label={`Failed calls of ${query.failedServer} ${query.failedTool}`}
          onDelete={() => change({ failedServer: '', failedTool: '' })}
          sx={{ maxWidth: 320 }}
        />
      )}
      <ViewMenu
        store={views}
        query={writeParams(query).toString()}
        canSave={filtered || query.text.trim() !== ''}
        onApply={(saved) => change(readParams(saved))}
      />
      {filtered && (
        <Button
          size="small"
          onClick={() => change(noFilter)}
          data-testid="clear-filters"
          sx={{ minHeight: 40 }}
        >
          Clear filters
        </Button>
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
      sx={{ flex: '1 1 100%', minWidth: 0 }}
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
