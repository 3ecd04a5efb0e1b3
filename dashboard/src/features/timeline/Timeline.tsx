import { Box, Fab } from '@mui/material';
import { lazy, Suspense, useMemo, useState, type RefObject } from 'react';
import type { Stage } from '../../api/sessions';
import type { Progress, TimelineItem } from '../../live/reduce';
import { EmptyState } from '../../ui/notices/EmptyState';
import { ArrowDownIcon, PulseIcon, SearchIcon } from '../../ui/theme/icons';
import { Column } from '../../ui/layout/layout';
import { CollapseContext, expanded, type Collapse } from './collapse';
import { StagesContext } from './dispatched';
import { callsOfFindings } from './evidence';
import { createStageGrouper, joinedStage, type StageGroup } from './groups';
import { LAZY_THRESHOLD, LazyContext } from './lazyTimeline';
import { WaitingCalls, waitingKeys } from './pending';
import { ProgressContext } from './progress';
import {
  conclusionOf,
  ConclusionContext,
  useRepeatedStep,
  withoutRepetition,
  type ShownAbove,
} from './repetition';
import { StageSection } from './StageSection';
import { useAutoScroll } from './useAutoScroll';
import { useTimelineFilter } from './useTimelineFilter';

const TimelineFilter = lazy(async () => ({
  default: (await import('./TimelineFilter')).TimelineFilter,
}));

/** Shorter timelines have no filter. */
const MIN_FILTERABLE = 13;

interface TimelineProps {
  readonly items: readonly TimelineItem[];
  /** While these are the first steps of a long timeline, the number of calls that it has; null when these are all steps. */
  readonly pendingCalls?: number | null;
  readonly stages: readonly Stage[];
  /** Texts that the page shows above the timeline. */
  readonly shownAbove: ShownAbove;
  /** Progress by execution id. */
  readonly progress: Readonly<Record<string, Progress>>;
  /** True while items may be added. */
  readonly live: boolean;
  /** Scrolls to the end from the start, without waiting for the user to scroll there. */
  readonly follow?: boolean;
  /** The element that ends with the timeline; by default the page. */
  readonly container?: RefObject<Element | null>;
}

export function Timeline(props: TimelineProps) {
  const {
    stages,
    progress,
    live,
    shownAbove,
    pendingCalls = null,
    follow = false,
    container,
  } = props;
  const items = useMemo(
    () => withoutRepetition(props.items, shownAbove),
    [props.items, shownAbove],
  );
  useRepeatedStep(props.items, shownAbove);
  const { detached, jumpToEnd } = useAutoScroll(live, follow, container);
  const conclusion = useMemo(() => conclusionOf(items, shownAbove), [items, shownAbove]);
  const [groupByStage] = useState(createStageGrouper);
  const waiting = useMemo(() => waitingKeys(props.items), [props.items]);
  const cited = useMemo(() => callsOfFindings(shownAbove), [shownAbove]);
  const filter = useTimelineFilter(items, cited);
  const [collapse, setCollapse] = useState<Collapse>(expanded);
  const { matching, active } = filter;
  const complete = pendingCalls === null;
  const groups = groupByStage(matching, stages);
  if (groups.length === 0 && !active) return <EmptyTimeline live={live} />;
  return (
    <WaitingCalls value={waiting}>
      <ProgressContext value={progress}>
        {(active || items.length >= MIN_FILTERABLE) && (
          <Suspense fallback={<Box sx={{ height: 56 }} />}>
            <TimelineFilter
              filter={filter}
              total={items.length}
              pendingCalls={pendingCalls}
              live={live}
              collapse={collapse}
              onCollapse={setCollapse}
            />
          </Suspense>
        )}
        {active && matching.length === 0 && (
          <EmptyState icon={<SearchIcon />} title="No matching steps" testId="timeline-no-match">
            Try another search or show all steps.
          </EmptyState>
        )}
        <ConclusionContext value={conclusion}>
          <CollapseContext value={collapse}>
            <Stages groups={groups} stages={stages} itemCount={items.length} complete={complete} />
          </CollapseContext>
        </ConclusionContext>
        {detached && <JumpButton onClick={jumpToEnd} />}
      </ProgressContext>
    </WaitingCalls>
  );
}

interface StagesProps {
  readonly groups: readonly StageGroup[];
  readonly stages: readonly Stage[];
  readonly itemCount: number;
  readonly complete: boolean;
}

function Stages({ groups, stages, itemCount, complete }: StagesProps) {
  // Decided once: rendered items must not disappear when a growing timeline reaches the threshold.
  const [long] = useState(!complete || itemCount > LAZY_THRESHOLD);
  const lists = long ? (complete ? 'complete' : 'partial') : 'off';
  return (
    <LazyContext value={lists}>
      <StagesContext value={stages}>
        <Column gap={1} testId="timeline">
          {groups.map((group) => (
            <StageSection
              key={group.key}
              group={group}
              joins={group.stage && joinedStage(group.stage, stages)}
            />
          ))}
        </Column>
      </StagesContext>
    </LazyContext>
  );
}

function JumpButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Fab
      variant="extended"
      color="primary"
      size="medium"
      onClick={onClick}
      data-testid="jump-to-latest"
      sx={{
        position: 'fixed',
        bottom: 'calc(24px + var(--tarsy-notices-height))',
        left: '50%',
        transform: 'translateX(-50%)',
        gap: 0.75,
      }}
    >
      <ArrowDownIcon fontSize="small" /> Jump to latest
    </Fab>
  );
}

function EmptyTimeline({ live }: { readonly live: boolean }) {
  return (
    <EmptyState
      icon={<PulseIcon />}
      title={live ? 'Waiting for the first step' : 'No steps were recorded'}
      testId="timeline-empty"
    >
      {live
        ? 'Reasoning, tool calls and responses appear here live.'
        : 'This session ended before its investigation started.'}
    </EmptyState>
  );
}
