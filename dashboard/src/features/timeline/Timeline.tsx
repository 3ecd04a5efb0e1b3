import { Box, Fab, Skeleton, Typography } from '@mui/material';
import { memo, useMemo } from 'react';
import type { Stage } from '../../api/sessions';
import type { TimelineItem } from '../../live/reduce';
import { EmptyState } from '../../ui/EmptyState';
import { ArrowDownIcon, PulseIcon } from '../../ui/icons';
import { AgentNames } from './Item';
import { drawItem } from './registry';
import { useFollow } from './useFollow';

interface TimelineProps {
  readonly items: readonly TimelineItem[];
  readonly stages: readonly Stage[];
  /** Whether more may come. */
  readonly live: boolean;
}

export function Timeline({ items, stages, live }: TimelineProps) {
  const { away, jump } = useFollow(live);
  const names = useAgentNames(stages);
  const stageNames = useMemo(
    () => new Map(stages.map((stage) => [stage.id, stage.stage_name])),
    [stages],
  );
  if (items.length === 0) return <NothingYet live={live} />;
  return (
    <AgentNames value={names}>
      <Box
        component="ol"
        data-testid="timeline"
        aria-label="Timeline"
        sx={{ listStyle: 'none', m: 0, p: 0 }}
      >
        {items.map((item, index) => (
          <Row
            key={item.id}
            item={item}
            stageName={stageStart(items, index) ? stageNames.get(item.stage_id ?? '') : undefined}
          />
        ))}
      </Box>
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
    </AgentNames>
  );
}

function stageStart(items: readonly TimelineItem[], index: number): boolean {
  return index === 0 || items[index - 1]?.stage_id !== items[index]?.stage_id;
}

function useAgentNames(stages: readonly Stage[]): ReadonlyMap<string, string> {
  return useMemo(() => {
    const parallel = stages.filter((stage) => stage.executions.length > 1);
    const pairs = parallel.flatMap((stage) =>
      stage.executions.map(({ execution_id, agent_name, agent_index }): [string, string] => [
        execution_id,
        `${agent_name} ${agent_index}`,
      ]),
    );
    return new Map(pairs);
  }, [stages]);
}

interface RowProps {
  readonly item: TimelineItem;
  readonly stageName: string | undefined;
}

/** Only the item that changed is drawn again. */
const Row = memo(function Row({ item, stageName }: RowProps) {
  return (
    <>
      {stageName && (
        <Box component="li" data-testid="timeline-stage" sx={{ pb: 1, pt: 0.5 }}>
          <Typography
            component="h3"
            sx={{
              fontSize: '0.75rem',
              fontWeight: 700,
              letterSpacing: '0.06em',
              textTransform: 'uppercase',
              color: 'text.secondary',
            }}
          >
            Stage: {stageName}
          </Typography>
        </Box>
      )}
      {drawItem(item)}
    </>
  );
});

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
