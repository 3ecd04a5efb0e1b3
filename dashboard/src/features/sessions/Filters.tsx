import { Box, Button, ButtonBase, InputAdornment, TextField } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { filterOptionsQuery } from '../../api/filterOptions';
import type { SessionItem } from '../../api/sessions';
import { bySeverity, SEVERITIES } from '../../lib/session/alert';
import { present } from '../../lib/values/present';
import { reviewOptions } from '../../lib/session/review';
import { LEAST_SCORES } from '../../lib/session/score';
import { viewStore } from '../../lib/browser/savedViews';
import { describeStatus } from '../../lib/session/status';
import { triageOptions } from '../../lib/session/triageLabels';
import { asOptions, SelectField } from '../../ui/fields/filterFields';
import { FoldedFilters } from '../../ui/fields/FoldedFilters';
import { SearchIcon } from '../../ui/theme/icons';
import { SuggestedField } from '../../ui/fields/SuggestedField';
import { TimeFilter } from '../../ui/fields/TimeFilter';
import { toneColors } from '../../ui/badges/tones';
import { ViewMenu } from '../../ui/fields/ViewMenu';
import { FilterChips } from './FilterChips';
import {
  FILTERS,
  isFiltered,
  MIN_SEARCH,
  noFilter,
  readParams,
  writeParams,
  type ListChange,
  type ListParams,
} from './params';

const SEARCH_DEBOUNCE_MS = 300;
const views = viewStore('tarsy-views');
const leastScores = LEAST_SCORES.map((value) => ({ value, label: `${value} or more` }));

interface FiltersProps {
  readonly list: ListParams;
  /** The sessions that are listed: their authors and severities are suggested. */
  readonly found: readonly SessionItem[];
  readonly change: (change: ListChange, replace?: boolean) => void;
}

export function Filters({ list, found, change }: FiltersProps) {
  return (
    <Box
      role="search"
      aria-label="Filter history"
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        flexGrow: 1,
        columnGap: 1.25,
        rowGap: 1.25,
        alignItems: 'flex-start',
      }}
    >
      <SearchField value={list.search} change={change} />
      <StatusButtons selected={list.status} change={change} />
      <ToggleButton
        on={list.mine && list.triage === 'taken'}
        title="My sessions"
        onToggle={(on) => change(on ? mySessions : noneOfMine)}
      />
      <FoldedFilters always active={isFiltered(list)}>
        <TimeFilter range={list} onChange={change} />
        <ValueFields list={list} found={found} change={change} />
        <ToggleButton
          on={list.degraded}
          title="Degraded only"
          onToggle={(degraded) => change({ degraded })}
        />
      </FoldedFilters>
      <ViewMenu
        store={views}
        query={writeParams({ ...list, page: 1 }).toString()}
        canSave={isFiltered(list)}
        onApply={(query) => change(readParams(query))}
      />
      <FilterChips list={list} change={change} />
      {isFiltered(list) && (
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

/** What the user has taken, running sessions among it. */
const mySessions = { mine: true, triage: 'taken', assignee: '', open: true } as const;
const noneOfMine = { mine: false, triage: '', open: false } as const;

interface StatusButtonsProps {
  readonly selected: readonly string[];
  readonly change: FiltersProps['change'];
}

function StatusButtons({ selected, change }: StatusButtonsProps) {
  function toggle(status: string): void {
    change((current) => ({
      status: FILTERS.filter((other) => current.status.includes(other) !== (other === status)),
    }));
  }
  return (
    <Box
      role="group"
      aria-label="Status"
      sx={{
        display: 'flex',
        gap: { xs: 0.5, sm: 0.75 },
        alignItems: 'center',
        minHeight: 40,
        maxWidth: '100%',
        overflowX: 'auto',
        '& > *': { flexShrink: 0 },
      }}
    >
      {FILTERS.map((status) => (
        <FilterButton
          key={status}
          status={status}
          on={selected.includes(status)}
          onToggle={() => toggle(status)}
        />
      ))}
    </Box>
  );
}

/** The fields with the values in use, which are read when the user turns to the fields. */
function ValueFields({ list, found, change }: FiltersProps) {
  const [wanted, setWanted] = useState(false);
  const { data } = useQuery({ ...filterOptionsQuery, enabled: wanted });
  const read = () => setWanted(true);
  return (
    <Box sx={{ display: 'contents' }} onFocus={read} onPointerEnter={read}>
      <SelectField
        label="Alert type"
        value={list.alertType}
        options={asOptions(data?.alert_types ?? [])}
        onChange={(alertType) => change({ alertType })}
        testId="filter-type"
      />
      <SelectField
        label="Chain"
        value={list.chain}
        options={asOptions(data?.chain_ids ?? [])}
        onChange={(chain) => change({ chain })}
        testId="filter-chain"
      />
      <SuggestedField
        label="Severity"
        value={list.severity}
        options={bySeverity([...SEVERITIES, ...present(found.map(({ severity }) => severity))])}
        onChange={(severity) => change({ severity })}
      />
      <SuggestedField
        label="Author"
        value={list.author}
        options={present(found.map(({ author }) => author))}
        onChange={(author) => change({ author })}
      />
      <PeopleFields list={list} change={change} assignees={data?.assignees ?? []} />
    </Box>
  );
}

interface PeopleFieldsProps extends Omit<FiltersProps, 'found'> {
  readonly assignees: readonly string[];
}

/** What people think of sessions, how well they were investigated, and who works on them. */
function PeopleFields({ list, change, assignees }: PeopleFieldsProps) {
  return (
    <>
      <SelectField
        label="Review"
        value={list.review}
        options={reviewOptions}
        onChange={(review) => change({ review })}
        testId="filter-review"
      />
      <SelectField
        label="Score"
        value={list.scoreMin}
        options={leastScores}
        onChange={(scoreMin) => change({ scoreMin })}
        testId="filter-score"
      />
      <SelectField
        label="Work"
        value={list.triage}
        options={triageOptions}
        onChange={(triage) => change({ triage })}
        testId="filter-triage"
      />
      <SuggestedField
        label="Assignee"
        value={list.assignee}
        options={assignees}
        onChange={(assignee) => change({ assignee, mine: false })}
      />
    </>
  );
}

interface ToggleButtonProps {
  readonly on: boolean;
  readonly title: string;
  readonly onToggle: (on: boolean) => void;
}

function ToggleButton({ on, title, onToggle }: ToggleButtonProps) {
  return (
    <Button
      size="small"
      variant={on ? 'contained' : 'outlined'}
      color={on ? 'primary' : 'inherit'}
      aria-pressed={on}
      onClick={() => onToggle(!on)}
      sx={{ minHeight: 40, ...(on ? {} : { borderColor: 'divider' }) }}
    >
      {title}
    </Button>
  );
}

interface SearchFieldProps {
  readonly value: string;
  readonly change: FiltersProps['change'];
}

/** The debounced input of the search field. */
function useSearchInput({ value, change }: SearchFieldProps) {
  const [input, setInput] = useState(value);
  const [applied, setApplied] = useState(value);
  const [previous, setPrevious] = useState(value);
  if (value !== previous) {
    setPrevious(value);
    // The URL changed by navigation, such as the back button: it replaces the input.
    if (value !== applied) setInput(value);
  }
  const length = input.trim().length;
  const tooShort = length > 0 && length < MIN_SEARCH;
  useEffect(() => {
    if (input === value || tooShort) return undefined;
    const timer = setTimeout(() => {
      setApplied(input);
      change({ search: input }, true);
    }, SEARCH_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [input, value, tooShort, change]);
  return { input, setInput, tooShort };
}

function SearchField(props: SearchFieldProps) {
  const { input, setInput, tooShort } = useSearchInput(props);
  return (
    <TextField
      size="small"
      type="search"
      label="Search history"
      value={input}
      onChange={(event) => setInput(event.target.value)}
      helperText={tooShort ? `Enter at least ${MIN_SEARCH} characters` : undefined}
      sx={{ width: { xs: '100%', sm: 260 } }}
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
        // All of them stand beside each other on a phone.
        px: { xs: 1, sm: 1.5 },
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
