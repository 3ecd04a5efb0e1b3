import { Box, Typography } from '@mui/material';
import { memo, useEffect, useRef } from 'react';
import type { Stage } from '../../api/sessions';
import { ofStage } from '../../lib/session/agents';
import { showBidiControls } from '../../lib/text/bidi';
import { firstLine, plural } from '../../lib/text/format';
import { stageAnchor } from '../../lib/browser/paths';
import { isTerminal } from '../../lib/session/status';
import { Secondary } from '../../ui/layout/Secondary';
import { StatusChip } from '../../ui/badges/StatusChip';
import { JoinIcon } from '../../ui/theme/icons';
import { focusInView } from '../../ui/layout/scroll';
import { belowAppBar } from '../../ui/theme/tokens';
import { AgentFacts } from './AgentHeader';
import { isParallel, type StageGroup } from './groups';
import { ItemList } from './ItemList';
import { ParallelStage } from './ParallelStage';

interface StageSectionProps {
  readonly group: StageGroup;
  /** The parallel stage that this stage synthesizes; null for other stages. */
  readonly joins: Stage | null;
}

/** A stage with its timeline items. Memoized: a live update changes one stage. */
export const StageSection = memo(function StageSection({ group, joins }: StageSectionProps) {
  const { stage, items } = group;
  const parallel = isParallel(group);
  const section = useRef<HTMLElement>(null);
  const anchor = stage === null ? null : stageAnchor(stage.id);
  useEffect(() => {
    // Only for the initial URL; later clicks are handled by the link.
    if (anchor === null || window.location.hash !== `#${anchor}`) return undefined;
    return section.current ? focusInView(section.current) : undefined;
  }, [anchor]);
  if (stage === null && !parallel) return <ItemList items={items} label="Session events" />;
  return (
    <Box
      component="section"
      ref={section}
      id={anchor ?? undefined}
      tabIndex={-1}
      aria-label={sectionLabel(group)}
      sx={{ scrollMarginTop: belowAppBar(56), outlineOffset: 4 }}
    >
      {joins && <SynthesisHeader stage={joins} />}
      {stage && <StageHeader stage={stage} parallel={parallel} />}
      {parallel ? (
        <ParallelStage group={group} />
      ) : (
        <ItemList
          items={items}
          label={showBidiControls(`Steps of ${stage?.stage_name ?? 'the stage'}`)}
        />
      )}
    </Box>
  );
});

/** The stage name; for a chat turn, the first line of its question. */
function sectionLabel({ stage, items }: StageGroup): string {
  if (stage === null) return 'Unknown stage';
  if (stage.chat_id === null) return showBidiControls(`Stage ${stage.stage_name}`);
  const question = items.find(({ event_type }) => event_type === 'user_question');
  return `Question: ${question ? firstLine(question.content, 80) : stage.stage_name}`;
}

interface StageHeaderProps {
  readonly stage: Stage;
  readonly parallel: boolean;
}

function StageHeader({ stage, parallel }: StageHeaderProps) {
  const [agent] = stage.executions;
  return (
    <Box
      data-testid="timeline-stage"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1, pb: 1, pt: 0.5 }}
    >
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
        {stage.chat_id === null
          ? showBidiControls(`Stage: ${stage.stage_name}`)
          : 'Question and answer'}
      </Typography>
      {parallel && <StatusChip status={stage.status} />}
      {parallel && <AgentCount stage={stage} />}
      {!parallel && agent && (
        <>
          <Secondary component="span" size="small">
            {agent.agent_name}
          </Secondary>
          <AgentFacts execution={agent} />
        </>
      )}
    </Box>
  );
}

function agentTotal(stage: Stage): number {
  return Math.max(stage.expected_agent_count, ofStage(stage.executions).length);
}

function AgentCount({ stage }: { readonly stage: Stage }) {
  const total = agentTotal(stage);
  const finished = ofStage(stage.executions).filter(({ status }) => isTerminal(status)).length;
  return (
    <Secondary component="span" size="small" testId="agent-count">
      {finished === total ? plural(total, 'agent') : `${finished} of ${total} agents finished`}
    </Secondary>
  );
}

const bracket = { content: '""', flexGrow: 1, height: 10, borderBottom: 2, borderColor: 'divider' };

/** Marks the transition from a parallel stage to its synthesis. */
function SynthesisHeader({ stage }: { readonly stage: Stage }) {
  return (
    <Box
      data-testid="synthesis-header"
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        color: 'text.secondary',
        fontSize: '0.8125rem',
        mb: 1,
        '&::before': {
          ...bracket,
          borderLeft: '2px solid',
          borderLeftColor: 'divider',
          borderRadius: '0 0 0 8px',
        },
        '&::after': {
          ...bracket,
          borderRight: '2px solid',
          borderRightColor: 'divider',
          borderRadius: '0 0 8px 0',
        },
      }}
    >
      <JoinIcon sx={{ fontSize: 18 }} />
      <span>
        Synthesis of {plural(agentTotal(stage), 'agent')} in “{showBidiControls(stage.stage_name)}”
      </span>
    </Box>
  );
}
