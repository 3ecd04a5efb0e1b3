import { Box, Link, Typography } from '@mui/material';
import { memo, useEffect, useRef, type ReactNode } from 'react';
import type { Execution, SessionDetail, Stage } from '../../api/sessions';
import { showBidiControls } from '../../lib/text/bidi';
import { agentError, agentName, describeTokens, ofStage } from '../../lib/session/agents';
import { joinParts, plural } from '../../lib/text/format';
import { stageAnchor } from '../../lib/browser/paths';
import { describeStatus, isTerminal } from '../../lib/session/status';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { StatusChip } from '../../ui/badges/StatusChip';
import { scrollToAnchor } from '../../ui/layout/scroll';
import { Elapsed } from '../../ui/numbers/times';
import { plainList } from '../../ui/theme/tokens';
import { toneText } from '../../ui/badges/tones';

/** Longer lists scroll inside their panel. */
const MAX_UNSCROLLED_STAGES = 12;

/** The stages of the chain with their agents. The running stage is highlighted. */
export function StageProgress({ session }: { readonly session: SessionDetail }) {
  const stages = session.stages.filter((stage) => stage.chat_id === null);
  const total = Math.max(session.total_stages, stages.length);
  const completed = stages.filter((stage) => stage.status === 'completed').length;
  const pending = Math.max(0, total - stages.length);
  const current = stages.find(({ status }) => status === 'active')?.id;
  return (
    <Panel title={total > 0 ? `Stages (${completed} of ${total})` : 'Stages'} testId="stages">
      {total === 0 && <Secondary>No stage has started yet.</Secondary>}
      {total > 1 && (
        <Box
          component="progress"
          max={total}
          value={completed}
          aria-label="Completed stages"
          sx={{ width: '100%', height: 6, mb: 1.5, accentColor: 'var(--mui-palette-primary-main)' }}
        />
      )}
      <StageList scrollable={stages.length > MAX_UNSCROLLED_STAGES} current={current}>
        {stages.map((stage, index) => (
          <StageRow key={stage.id} stage={stage} number={index + 1} />
        ))}
        {pending > 0 && !isTerminal(session.status) && (
          <Secondary component="li" sx={{ pt: 0.75, pl: 1.75 }}>
            {plural(pending, 'pending stage')}
          </Secondary>
        )}
      </StageList>
    </Panel>
  );
}

interface StageListProps {
  readonly scrollable: boolean;
  /** Id of the running stage, which is scrolled into view. */
  readonly current: string | undefined;
  readonly children: ReactNode;
}

function StageList({ scrollable, current, children }: StageListProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (!scrollable || current === undefined || list.current === null) return;
    const row = list.current.querySelector<HTMLElement>('[aria-current]');
    if (row) list.current.scrollTop = row.offsetTop - 40;
  }, [scrollable, current]);
  return (
    <Box
      component="ol"
      ref={list}
      aria-label="Stages"
      data-testid="stage-list"
      tabIndex={scrollable ? 0 : undefined}
      sx={[
        plainList,
        scrollable && { position: 'relative', maxHeight: 'min(480px, 50vh)', overflowY: 'auto' },
      ]}
    >
      {children}
    </Box>
  );
}

interface StageRowProps {
  readonly stage: Stage;
  readonly number: number;
}

const StageRow = memo(function StageRow({ stage, number }: StageRowProps) {
  const current = stage.status === 'active';
  const own = ofStage(stage.executions);
  const agents = Math.max(stage.expected_agent_count, own.length);
  const finished = own.filter(({ status }) => isTerminal(status)).length;
  return (
    <Box
      component="li"
      data-testid="stage"
      data-status={stage.status}
      aria-current={current ? 'step' : undefined}
      sx={{
        borderLeft: 3,
        borderColor: toneText(describeStatus(stage.status).tone),
        pl: 1.25,
        py: 0.5,
        mb: 1,
      }}
    >
      <StageTitle stage={stage} number={number} />
      {agents > 1 && (
        <Secondary size="small">
          {agents} parallel agents{current && `, ${finished} finished`}
        </Secondary>
      )}
      {stage.executions.map((execution) => (
        <ExecutionLine
          key={execution.execution_id}
          name={agentName(execution, stage.executions)}
          execution={execution}
          status={statusIn(stage, execution)}
        />
      ))}
    </Box>
  );
});

function StageTitle({ stage, number }: StageRowProps) {
  const anchor = stageAnchor(stage.id);
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
      <Typography sx={{ fontWeight: 600, fontSize: '0.875rem', flexGrow: 1 }}>
        {number}.{' '}
        <Link
          href={`#${anchor}`}
          onClick={(event) => {
            if (scrollToAnchor(anchor)) event.preventDefault();
          }}
          color="inherit"
          underline="hover"
        >
          {showBidiControls(stage.stage_name)}
        </Link>
      </Typography>
      <StatusChip status={stage.status} />
      {stage.started_at !== null && (
        <Secondary size="small">
          <Elapsed from={stage.started_at} to={stage.completed_at} />
        </Secondary>
      )}
    </Box>
  );
}

interface ExecutionLineProps {
  readonly name: string;
  readonly execution: Execution;
  readonly status: string;
}

/** An agent has ended with its stage, also before the next read says how. */
function statusIn(stage: Stage, execution: Execution): string {
  return isTerminal(stage.status) && !isTerminal(execution.status)
    ? stage.status
    : execution.status;
}

function ExecutionLine({ name, execution, status }: ExecutionLineProps) {
  const { label } = describeStatus(status);
  const provider = execution.active_provider ?? execution.llm_provider;
  const tokens = describeTokens(execution);
  const error = agentError(execution);
  return (
    <Box
      data-testid="execution"
      sx={{ fontSize: '0.75rem', color: 'text.secondary', mt: 0.25, overflowWrap: 'anywhere' }}
    >
      {joinParts([name, label, provider, tokens])}
      {error && <Box sx={{ color: toneText('error') }}>{showBidiControls(error)}</Box>}
    </Box>
  );
}
