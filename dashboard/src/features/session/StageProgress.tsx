import { Box, Typography } from '@mui/material';
import type { Execution, SessionDetail, Stage } from '../../api/sessions';
import { describeStatus, isTerminal } from '../../lib/status';
import { elapsed, formatDuration } from '../../lib/time';
import { useNow } from '../../lib/useNow';
import { Panel } from '../../ui/Panel';
import { StatusChip } from '../../ui/StatusChip';
import { toneText } from '../../ui/tones';

/** The stages of the chain, the current one marked, with the agents of each. */
export function StageProgress({ session }: { readonly session: SessionDetail }) {
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
      <Box component="ol" aria-label="Stages" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {stages.map((stage, index) => (
          <StageRow key={stage.id} stage={stage} number={index + 1} now={now} />
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
}

function StageRow({ stage, number, now }: StageRowProps) {
  const { tone } = describeStatus(stage.status);
  const current = stage.status === 'active';
  const took = elapsed(stage.started_at, stage.completed_at, now);
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
      {stage.executions.map((execution) => (
        <ExecutionLine key={execution.execution_id} execution={execution} />
      ))}
    </Box>
  );
}

function ExecutionLine({ execution }: { readonly execution: Execution }) {
  const { label } = describeStatus(execution.status);
  return (
    <Box sx={{ fontSize: '0.75rem', color: 'text.secondary', mt: 0.25, overflowWrap: 'anywhere' }}>
      {execution.agent_name} · {label}
      {execution.llm_provider && ` · ${execution.llm_provider}`}
      {execution.error_message && (
        <Box sx={{ color: toneText('error') }}>{execution.error_message}</Box>
      )}
    </Box>
  );
}
