import { Box, LinearProgress, Typography } from '@mui/material';
import type { Execution, SessionDetail, Stage } from '../../api/sessions';
import { formatCount } from '../../lib/format';
import { describeStatus, isTerminal } from '../../lib/status';
import { elapsed, formatDuration } from '../../lib/time';
import { useNow } from '../../lib/useNow';
import { Panel } from '../../ui/Panel';
import { StatusChip } from '../../ui/StatusChip';
import { toneText } from '../../ui/tones';

interface StageProgressProps {
  readonly session: SessionDetail;
  /** The providers that executions work with after a switch. */
  readonly providers: ReadonlyMap<string, string>;
}

/** The stages of the chain, the current one marked, with the agents of each. */
export function StageProgress({ session, providers }: StageProgressProps) {
  const now = useNow(!isTerminal(session.status));
  const stages = session.stages.filter((stage) => stage.chat_id === null);
  const total = Math.max(session.total_stages, stages.length);
  const done = stages.filter((stage) => stage.status === 'completed').length;
  const missing = Math.max(0, total - stages.length);
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
      <Box component="ol" aria-label="Stages" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {stages.map((stage, index) => (
          <StageRow
            key={stage.id}
            stage={stage}
            number={index + 1}
            now={now}
            providers={providers}
          />
        ))}
        {missing > 0 && !isTerminal(session.status) && (
          <Typography
            component="li"
            sx={{ color: 'text.secondary', fontSize: '0.8125rem', pt: 0.75, pl: 1.75 }}
          >
            {missing === 1 ? '1 more stage to come' : `${missing} more stages to come`}
          </Typography>
        )}
      </Box>
    </Panel>
  );
}

interface StageRowProps {
  readonly stage: Stage;
  readonly number: number;
  readonly now: number;
  readonly providers: ReadonlyMap<string, string>;
}

function StageRow({ stage, number, now, providers }: StageRowProps) {
  const { tone } = describeStatus(stage.status);
  const current = stage.status === 'active';
  const took = elapsed(stage.started_at, stage.completed_at, now);
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
          {number}. {stage.stage_name}
        </Typography>
        <StatusChip status={stage.status} />
        {took !== null && (
          <Typography
            sx={{
              color: 'text.secondary',
              fontSize: '0.75rem',
              fontVariantNumeric: 'tabular-nums',
            }}
          >
            {formatDuration(took)}
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
          execution={execution}
          provider={providers.get(execution.execution_id) ?? execution.llm_provider}
        />
      ))}
    </Box>
  );
}

interface ExecutionLineProps {
  readonly execution: Execution;
  readonly provider: string | null;
}

function ExecutionLine({ execution, provider }: ExecutionLineProps) {
  const { label } = describeStatus(execution.status);
  const tokens = execution.total_tokens;
  const facts = [
    execution.agent_name,
    label,
    provider,
    tokens > 0 ? `${formatCount(tokens)} tokens` : null,
  ];
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
