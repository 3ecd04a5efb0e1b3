import { Box, Fab, Skeleton } from '@mui/material';
import { useState, type RefObject } from 'react';
import type { Stage } from '../../api/sessions';
import type { Progress, TimelineItem } from '../../live/reduce';
import { EmptyState } from '../../ui/EmptyState';
import { ArrowDownIcon, PulseIcon, SearchIcon } from '../../ui/icons';
import { createGrouper, joinedStage } from './groups';
import { LONG_TIMELINE, LongContext } from './long';
import { ProgressContext } from './progress';
import { StageSection } from './StageSection';
import { TimelineFilter } from './TimelineFilter';
import { useFollow } from './useFollow';
import { useTimelineFilter } from './useTimelineFilter';

/** So many steps are seen at a glance; more can be searched. */
const GLANCE = 12;

interface TimelineProps {
  readonly items: readonly TimelineItem[];
  readonly stages: readonly Stage[];
  readonly progress: Readonly<Record<string, Progress>>;
  /** Whether more may come. */
  readonly live: boolean;
  /** Whether the reader came to watch: its end is kept in view from the start. */
  readonly follow?: boolean;
  /** The part of the page whose end that is; else it is the end of the page. */
  readonly place?: RefObject<Element | null>;
}

export function Timeline(props: TimelineProps) {
  const { items, stages, progress, live, follow = false, place } = props;
  const { away, jump } = useFollow(live, follow, place);
  const [group] = useState(createGrouper);
  // Decided once: what stands on the page does not vanish because more came.
  const [long] = useState(items.length > LONG_TIMELINE);
  const filter = useTimelineFilter(items);
  const { found, narrowed } = filter;
  const groups = group(found, stages);
  if (groups.length === 0 && !narrowed) return <NothingYet live={live} />;
  return (
    <ProgressContext value={progress}>
      {(narrowed || items.length > GLANCE) && (
        <TimelineFilter
          shown={filter.shown}
          typed={filter.typed}
          found={found.length}
          total={items.length}
          onShow={filter.setShown}
          onType={filter.setTyped}
        />
      )}
      {narrowed && found.length === 0 && (
        <EmptyState icon={<SearchIcon />} title="No step fits" testId="timeline-no-match">
          Try other words, or all kinds of steps.
        </EmptyState>
      )}
      <LongContext value={long}>
        <Box
          data-testid="timeline"
          sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'minmax(0, 1fr)' }}
        >
          {groups.map((one) => (
            <StageSection
              key={one.key}
              group={one}
              joins={one.stage && joinedStage(one.stage, stages)}
            />
          ))}
        </Box>
      </LongContext>
      {away && (
        <Fab
          variant="extended"
          color="primary"
          size="medium"
          onClick={jump}
          data-testid="jump-to-latest"
          sx={{
            position: 'fixed',
            bottom: 24,
            left: '50%',
            transform: 'translateX(-50%)',
            gap: 0.75,
          }}
        >
          <ArrowDownIcon fontSize="small" /> Jump to latest
        </Fab>
      )}
    </ProgressContext>
  );
}

function NothingYet({ live }: { readonly live: boolean }) {
  return (
    <EmptyState
      icon={<PulseIcon />}
      title={live ? 'Waiting for the first step' : 'Nothing was recorded'}
      testId="timeline-empty"
    >
      {live
        ? 'Thoughts, tool calls and answers appear here as they happen.'
        : 'This session ended before its investigation began.'}
    </EmptyState>
  );
}

export function TimelineSkeleton() {
  return (
    <Box aria-hidden data-testid="timeline-skeleton">
      {[72, 120, 56].map((height) => (
        <Box key={height} sx={{ display: 'flex', gap: 1.5, mb: 2 }}>
          <Skeleton variant="circular" width={30} height={30} />
          <Skeleton variant="rounded" height={height} sx={{ flexGrow: 1 }} />
        </Box>
      ))}
    </Box>
  );
}
