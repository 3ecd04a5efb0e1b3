import { Box, Typography } from '@mui/material';
import { useContext } from 'react';
import type { Execution } from '../../api/sessions';
import { formatCount, humanize } from '../../lib/format';
import { isTerminal } from '../../lib/status';
import { elapsed, formatDuration } from '../../lib/time';
import { useNow } from '../../lib/useNow';
import { StatusChip } from '../../ui/StatusChip';
import { toneColors, toneText } from '../../ui/tones';
import { ProgressContext } from './progress';

interface AgentHeadProps {
  readonly execution: Execution;
  readonly name: string;
  /** What it works with after a switch of providers. */
  readonly switchedTo: string | null;
}

/** Who works here and how it goes: state, provider, tokens, time, the error if there is one. */
export function AgentHead({ execution, name, switchedTo }: AgentHeadProps) {
  return (
    <Box data-testid="agent-head" sx={{ mb: 1 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <Typography
          component="h4"
          sx={{ fontWeight: 650, fontSize: '0.875rem', minWidth: 0, overflowWrap: 'anywhere' }}
        >
          {name}
        </Typography>
        <StatusChip status={execution.status} testId="agent-status" />
      </Box>
      <AgentFacts execution={execution} switchedTo={switchedTo} />
      {!isTerminal(execution.status) && <Doing executionId={execution.execution_id} />}
      {execution.error_message && (
        <Box
          data-testid="agent-error"
          sx={{
            ...toneColors('error'),
            borderRadius: 1,
            px: 1,
            py: 0.5,
            mt: 0.5,
            fontSize: '0.8125rem',
            overflowWrap: 'anywhere',
          }}
        >
          {execution.error_message}
        </Box>
      )}
    </Box>
  );
}

export function AgentFacts({ execution, switchedTo }: Omit<AgentHeadProps, 'name'>) {
  const running = !isTerminal(execution.status);
  const now = useNow(running);
  const took = execution.duration_ms ?? elapsed(execution.started_at, execution.completed_at, now);
  const provider = execution.llm_provider;
  const facts = [
    switchedTo !== null && switchedTo !== provider
      ? `${provider ?? 'provider'} → ${switchedTo}`
      : provider,
    execution.total_tokens > 0 ? `${formatCount(execution.total_tokens)} tokens` : null,
    took === null ? null : formatDuration(took),
  ];
  const words = facts.filter((fact) => fact !== null && fact !== '').join(' · ');
  if (words === '') return null;
  return (
    <Typography
      component="span"
      data-testid="agent-facts"
      sx={{
        color: 'text.secondary',
        fontSize: '0.75rem',
        fontVariantNumeric: 'tabular-nums',
        overflowWrap: 'anywhere',
      }}
    >
      {words}
    </Typography>
  );
}

function Doing({ executionId }: { readonly executionId: string }) {
  const progress = useContext(ProgressContext)[executionId];
  if (!progress) return null;
  return (
    <Typography
      data-testid="agent-doing"
      sx={{ color: toneText('info'), fontSize: '0.75rem', fontWeight: 600 }}
    >
      {progress.message === '' ? humanize(progress.phase) : progress.message}
    </Typography>
  );
}
