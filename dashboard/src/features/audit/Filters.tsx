import { Box, Button } from '@mui/material';
import type { AuditEntry } from '../../api/auditLog';
import { SelectField, TimeField } from '../../ui/fields/filterFields';
import { SuggestedField } from '../../ui/fields/SuggestedField';
import { ToggleFilter } from '../../ui/fields/ToggleFilter';
import { describeAction, describeOutcome } from './describe';
import { isFiltered, noFilter, OUTCOMES, type AuditParams } from './params';

interface FiltersProps {
  readonly list: AuditParams;
  /** What is shown: its names are suggestions. */
  readonly entries: readonly AuditEntry[];
  /** What a filter may name. */
  readonly actions: readonly string[];
  readonly change: (changes: Partial<AuditParams>) => void;
}

const outcomes = [
  { id: '', label: 'All' },
  ...OUTCOMES.map((id) => ({ id, label: describeOutcome(id) })),
];

export function Filters({ list, entries, actions, change }: FiltersProps) {
  return (
    <Box
      role="search"
      aria-label="Filter the audit log"
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        gap: 1.5,
        alignItems: 'center',
        pt: 0.75,
        mb: 1.5,
      }}
    >
      <SuggestedField
        label="User"
        value={list.who}
        options={entries.map(({ principal }) => principal)}
        onChange={(who) => change({ who })}
      />
      <SelectField
        label="Action"
        value={list.action}
        options={actions.map((value) => ({ value, label: describeAction(value) }))}
        onChange={(action) => change({ action })}
        testId="filter-action"
      />
      <ToggleFilter
        label="Outcome"
        options={outcomes}
        value={list.outcome}
        onChange={(outcome) => change({ outcome })}
      />
      <TimeField label="From" value={list.from} onChange={(from) => change({ from })} />
      <TimeField label="To" value={list.to} onChange={(to) => change({ to })} />
      {isFiltered(list) && (
        <Button size="small" onClick={() => change(noFilter)} sx={{ minHeight: 40 }}>
          Clear filters
        </Button>
      )}
    </Box>
  );
}
