import { Box, Typography } from '@mui/material';
import { memo, useEffect, useRef } from 'react';
import type { Stage } from '../../api/sessions';
import { firstLine, plural } from '../../lib/format';
import { stageAnchor } from '../../lib/paths';
import { isTerminal } from '../../lib/status';
import { StatusChip } from '../../ui/StatusChip';
import { settleAt } from '../../ui/settle';
import { JoinIcon } from '../../ui/icons';
import { AgentFacts } from './AgentHead';
import { isParallel, switchedProviders, type Group } from './groups';
import { ItemList } from './ItemList';
import { ParallelStage } from './ParallelStage';

interface StageSectionProps {
  readonly group: Group;
  /** The stage whose agents it joins, if it is a synthesis. */
  readonly joins: Stage | null;
}

/** One stage with what happened in it. A stage without news is not drawn again. */
export const StageSection = memo(function StageSection({ group, joins }: StageSectionProps) {
  const { stage, items } = group;
  const parallel = isParallel(group);
  const section = useRef<HTMLElement>(null);
  const anchor = stage === null ? null : stageAnchor(stage.id);
  useEffect(() => {
    // An address may name the stage; whoever clicks later is led by the link itself.
    if (anchor === null || window.location.hash !== `#${anchor}`) return undefined;
    return section.current ? settleAt(section.current) : undefined;
  }, [anchor]);
  if (stage === null && !parallel) return <ItemList items={items} label="The whole session" />;
  return (
    <Box
      component="section"
      ref={section}
      id={anchor ?? undefined}
      tabIndex={-1}
      aria-label={nameOf(group)}
      sx={{ scrollMarginTop: 'calc(var(--tarsy-bar) + 56px)', outlineOffset: 4 }}
    >
      {joins && <JoinSign stage={joins} />}
      {stage && <StageHead group={{ ...group, stage }} parallel={parallel} />}
      {parallel ? (
        <ParallelStage group={group} />
      ) : (
        <ItemList items={items} label={`Steps of ${stage?.stage_name ?? 'the stage'}`} />
      )}
    </Box>
  );
});

/** What the section is called; questions are told apart by their words. */
function nameOf({ stage, items }: Group): string {
  if (stage === null) return 'A stage';
  if (stage.chat_id === null) return `Stage ${stage.stage_name}`;
  const question = items.find(({ event_type }) => event_type === 'user_question');
  return `Question: ${question ? firstLine(question.content, 80) : stage.stage_name}`;
}

interface StageHeadProps {
  readonly group: Group & { readonly stage: Stage };
  readonly parallel: boolean;
}

function StageHead({ group, parallel }: StageHeadProps) {
  const { stage, items } = group;
  const [only] = stage.executions;
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
        {stage.chat_id === null ? `Stage: ${stage.stage_name}` : 'Question and answer'}
      </Typography>
      {parallel && <StatusChip status={stage.status} />}
      {parallel && <AgentCount stage={stage} />}
      {!parallel && only && (
        <>
          <Typography component="span" sx={{ fontSize: '0.75rem', color: 'text.secondary' }}>
            {only.agent_name}
          </Typography>
          <AgentFacts
            execution={only}
            switchedTo={switchedProviders(items).get(only.execution_id) ?? null}
          />
        </>
      )}
    </Box>
  );
}

function AgentCount({ stage }: { readonly stage: Stage }) {
  const total = Math.max(stage.expected_agent_count, stage.executions.length);
  const done = stage.executions.filter(({ status }) => isTerminal(status)).length;
  return (
    <Typography
      component="span"
      data-testid="agent-count"
      sx={{ fontSize: '0.75rem', color: 'text.secondary' }}
    >
      {done === total ? plural(total, 'agent') : `${done} of ${total} agents done`}
    </Typography>
  );
}

/** Where the columns of a parallel stage come together. */
function JoinSign({ stage }: { readonly stage: Stage }) {
  const total = Math.max(stage.expected_agent_count, stage.executions.length);
  return (
    <Box
      data-testid="synthesis-join"
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        color: 'text.secondary',
        fontSize: '0.8125rem',
        mb: 1,
        '&::before, &::after': {
          content: '""',
          flexGrow: 1,
          height: 10,
          borderBottom: 2,
          borderColor: 'divider',
        },
        '&::before': {
          borderLeft: '2px solid',
          borderLeftColor: 'divider',
          borderRadius: '0 0 0 8px',
        },
        '&::after': {
          borderRight: '2px solid',
          borderRightColor: 'divider',
          borderRadius: '0 0 8px 0',
        },
      }}
    >
      <JoinIcon sx={{ fontSize: 18 }} />
      <span>
        Joins what {plural(total, 'agent')} of “{stage.stage_name}” found
      </span>
    </Box>
  );
}
