import { Box, Typography } from '@mui/material';
import { useContext } from 'react';
import type { Execution } from '../../api/sessions';
import { agentError, describeTokens } from '../../lib/session/agents';
import { showBidiControls } from '../../lib/text/bidi';
import { humanize, joinParts } from '../../lib/text/format';
import { isTerminal } from '../../lib/session/status';
import { elapsed, formatDuration } from '../../lib/time/time';
import { useNow } from '../../lib/time/useNow';
import { Secondary } from '../../ui/layout/Secondary';
import { StatusChip } from '../../ui/badges/StatusChip';
import { toneColors, toneText } from '../../ui/badges/tones';
import { ProgressContext } from './progress';

interface AgentHeaderProps {
  readonly execution: Execution;
  readonly name: string;
}

/** An agent with its status, provider, tokens, duration, activity and error. */
export function AgentHeader({ execution, name }: AgentHeaderProps) {
  const error = agentError(execution);
  return (
    <Box data-testid="agent-header" sx={{ mb: 1 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <Typography
          component="h4"
          sx={{ fontWeight: 650, fontSize: '0.875rem', minWidth: 0, overflowWrap: 'anywhere' }}
        >
          {name}
        </Typography>
        <StatusChip status={execution.status} testId="agent-status" />
      </Box>
      <AgentFacts execution={execution} />
      {execution.task && (
        <Secondary size="small" testId="agent-task">
          {showBidiControls(execution.task)}
        </Secondary>
      )}
      {!isTerminal(execution.status) && <AgentProgress executionId={execution.execution_id} />}
      {error && (
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
          {showBidiControls(error)}
        </Box>
      )}
    </Box>
  );
}

/** Provider, tokens and duration in one line. */
export function AgentFacts({ execution }: Omit<AgentHeaderProps, 'name'>) {
  const now = useNow(!isTerminal(execution.status));
  const duration =
    execution.duration_ms ?? elapsed(execution.started_at, execution.completed_at, now);
  const line = joinParts([
    describeProvider(execution),
    describeTokens(execution),
    duration === null ? null : formatDuration(duration),
  ]);
  if (line === '') return null;
  return (
    <Secondary component="span" size="small" testId="agent-facts" sx={{ overflowWrap: 'anywhere' }}>
      {line}
    </Secondary>
  );
}

/** The provider, or both providers after a fallback; the offline analyst is none. */
function describeProvider({ llm_provider: before, active_provider: active, by_rules }: Execution) {
  const last = active ?? before;
  const now = by_rules && last !== null ? 'rules, no model' : last;
  if (before === null || active === null || before === active) return now;
  return `${before} → ${now}`;
}

function AgentProgress({ executionId }: { readonly executionId: string }) {
  const progress = useContext(ProgressContext)[executionId];
  if (!progress) return null;
  return (
    <Typography
      data-testid="agent-progress"
      sx={{ color: toneText('info'), fontSize: '0.75rem', fontWeight: 600 }}
    >
      {progress.message === '' ? humanize(progress.phase) : progress.message}
    </Typography>
  );
}
