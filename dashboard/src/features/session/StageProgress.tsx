import { Box, LinearProgress, Link, Typography } from '@mui/material';
import { memo, useEffect, useRef, type ReactNode } from 'react';
import type { Execution, SessionDetail, Stage } from '../../api/sessions';
import { agentName } from '../../lib/agents';
import { formatCount } from '../../lib/format';
import { stageAnchor } from '../../lib/paths';
import { describeStatus, isTerminal } from '../../lib/status';
import { Panel } from '../../ui/Panel';
import { StatusChip } from '../../ui/StatusChip';
import { goTo } from '../../ui/settle';
import { Elapsed } from '../../ui/times';
import { toneText } from '../../ui/tones';

/** Longer lists than this scroll. */
const MANY = 12;

interface StageProgressProps {
  readonly session: SessionDetail;
  /** The providers that executions work with after a switch. */
  readonly providers: ReadonlyMap<string, string>;
}

/** The stages of the chain, the current one marked, with the agents of each. */
export function StageProgress({ session, providers }: StageProgressProps) {
  const stages = session.stages.filter((stage) => stage.chat_id === null);
  const total = Math.max(session.total_stages, stages.length);
  const done = stages.filter((stage) => stage.status === 'completed').length;
  const missing = Math.max(0, total - stages.length);
  const current = stages.find(({ status }) => status === 'active')?.id;
  return (
    <Panel title={total > 0 ? `Stages (${done} of ${total})` : 'Stages'} testId="stages">
      {total === 0 && (
        <Typography sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
          No stage has started yet.
        </Typography>
      )}
      {total > 1 && (
        <LinearProgress
          variant="determinate"
          value={(100 * done) / total}
          aria-label="Stages done"
          sx={{ mb: 1.5, borderRadius: 2 }}
        />
      )}
      <StageList many={stages.length > MANY} current={current}>
        {stages.map((stage, index) => (
          <StageRow key={stage.id} stage={stage} number={index + 1} providers={providers} />
        ))}
        {missing > 0 && !isTerminal(session.status) && (
          <Typography
            component="li"
            sx={{ color: 'text.secondary', fontSize: '0.8125rem', pt: 0.75, pl: 1.75 }}
          >
            {missing === 1 ? '1 more stage to come' : `${missing} more stages to come`}
          </Typography>
        )}
      </StageList>
    </Panel>
  );
}

interface StageListProps {
  readonly many: boolean;
  /** The stage that runs; it is kept in view. */
  readonly current: string | undefined;
  readonly children: ReactNode;
}

/** A long list scrolls within itself, so that what stands below it stays within reach. */
function StageList({ many, current, children }: StageListProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (!many || current === undefined || list.current === null) return;
    const row = list.current.querySelector<HTMLElement>('[aria-current]');
    if (row) list.current.scrollTop = row.offsetTop - 40;
  }, [many, current]);
  return (
    <Box
      component="ol"
      ref={list}
      aria-label="Stages"
      data-testid="stage-list"
      tabIndex={many ? 0 : undefined}
      sx={[
        { listStyle: 'none', m: 0, p: 0 },
        many && { position: 'relative', maxHeight: 'min(480px, 50vh)', overflowY: 'auto' },
      ]}
    >
      {children}
    </Box>
  );
}

interface StageRowProps {
  readonly stage: Stage;
  readonly number: number;
  readonly providers: ReadonlyMap<string, string>;
}

const StageRow = memo(function StageRow({ stage, number, providers }: StageRowProps) {
  const { tone } = describeStatus(stage.status);
  const current = stage.status === 'active';
  const agents = Math.max(stage.expected_agent_count, stage.executions.length);
  const ended = stage.executions.filter(({ status }) => isTerminal(status)).length;
  return (
    <Box
      component="li"
      data-testid="stage"
      data-status={stage.status}
      aria-current={current ? 'step' : undefined}
      sx={{ borderLeft: 3, borderColor: toneText(tone), pl: 1.25, py: 0.5, mb: 1 }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
        <Typography sx={{ fontWeight: 600, fontSize: '0.875rem', flexGrow: 1 }}>
          {number}.{' '}
          <Link
            href={`#${stageAnchor(stage.id)}`}
            onClick={(event) => {
              if (goTo(stageAnchor(stage.id))) event.preventDefault();
            }}
            color="inherit"
            underline="hover"
          >
            {stage.stage_name}
          </Link>
        </Typography>
        <StatusChip status={stage.status} />
        {stage.started_at !== null && (
          <Typography
            sx={{
              color: 'text.secondary',
              fontSize: '0.75rem',
              fontVariantNumeric: 'tabular-nums',
            }}
          >
            <Elapsed from={stage.started_at} to={stage.completed_at} />
          </Typography>
        )}
      </Box>
      {agents > 1 && (
        <Typography sx={{ fontSize: '0.75rem', color: 'text.secondary' }}>
          {agents} agents at once{current && `, ${ended} done`}
        </Typography>
      )}
      {stage.executions.map((execution) => (
        <ExecutionLine
          key={execution.execution_id}
          name={agentName(execution, stage.executions)}
          execution={execution}
          provider={providers.get(execution.execution_id) ?? execution.llm_provider}
        />
      ))}
    </Box>
  );
});

interface ExecutionLineProps {
  readonly name: string;
  readonly execution: Execution;
  readonly provider: string | null;
}

function ExecutionLine({ name, execution, provider }: ExecutionLineProps) {
  const { label } = describeStatus(execution.status);
  const tokens = execution.total_tokens;
  const facts = [name, label, provider, tokens > 0 ? `${formatCount(tokens)} tokens` : null];
  return (
    <Box
      data-testid="execution"
      sx={{ fontSize: '0.75rem', color: 'text.secondary', mt: 0.25, overflowWrap: 'anywhere' }}
    >
      {facts.filter((fact) => fact !== null && fact !== '').join(' · ')}
      {execution.error_message && (
        <Box sx={{ color: toneText('error') }}>{execution.error_message}</Box>
      )}
    </Box>
  );
}
