import { Box, Button, TextField } from '@mui/material';
import { formatExact } from '../../lib/text/format';
import { Secondary } from '../../ui/layout/Secondary';
import { ToggleFilter } from '../../ui/fields/ToggleFilter';
import { toggleAll, type Collapse } from './collapse';
import { CATEGORIES } from './filter';
import type { TimelineFilterState } from './useTimelineFilter';

interface TimelineFilterProps {
  readonly filter: TimelineFilterState;
  /** Number of unfiltered steps. */
  readonly total: number;
  /** While more steps are read, the number of calls that the session has. */
  readonly pendingCalls: number | null;
  /** True while steps may be added. */
  readonly live: boolean;
  readonly collapse: Collapse;
  readonly onCollapse: (collapse: Collapse) => void;
}

export function TimelineFilter(props: TimelineFilterProps) {
  const { filter, total, pendingCalls, live, collapse, onCollapse } = props;
  const count = filter.matching.length;
  return (
    <Box
      role="search"
      aria-label="Filter steps"
      data-testid="timeline-filter"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.25, mb: 1.5, pt: 0.5 }}
    >
      <ToggleFilter
        label="Step category"
        options={CATEGORIES}
        value={filter.category}
        onChange={filter.setCategory}
      />
      <TextField
        size="small"
        type="search"
        label="Search steps"
        value={filter.input}
        onChange={(event) => filter.setInput(event.target.value)}
        sx={{ width: { xs: '100%', sm: 220 } }}
      />
      <Button
        size="small"
        color="inherit"
        onClick={() => onCollapse(toggleAll(collapse))}
        sx={{ color: 'text.secondary' }}
      >
        {collapse.all ? 'Expand all' : 'Collapse all'}
      </Button>
      <Secondary component="div" role="status">
        {count === total ? '' : `${formatExact(count)} of ${formatExact(total)} steps`}
      </Secondary>
      {/* No status: it would be announced with each new step. */}
      {count === total && !live && (
        <Secondary component="div" testId="step-count">
          {pendingCalls === null
            ? `${formatExact(total)} steps`
            : `Reading the steps of ${formatExact(pendingCalls)} calls…`}
        </Secondary>
      )}
    </Box>
  );
}
