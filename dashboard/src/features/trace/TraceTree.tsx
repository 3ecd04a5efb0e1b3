import { Box, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material';
import { useDeferredValue, useMemo, useState } from 'react';
import { useLocation } from 'react-router';
import type { Trace } from '../../api/trace';
import { formatCount, plural } from '../../lib/format';
import { Blocks } from '../../ui/Blocks';
import { EmptyState } from '../../ui/EmptyState';
import { Panel } from '../../ui/Panel';
import { QueueIcon } from '../../ui/icons';
import {
  readTrace,
  SHOWN,
  totals,
  type Shown,
  type TraceAgent,
  type TraceEntry,
  type TraceStage,
} from './entries';
import { TraceRow } from './TraceRow';

interface TraceTreeProps {
  readonly session: string;
  readonly trace: Trace;
  /** Whether more may come. */
  readonly live: boolean;
}

/** All calls of a session by stage and agent. */
export function TraceTree({ session, trace, live }: TraceTreeProps) {
  const [shown, setShown] = useState<Shown>('all');
  const drawn = useDeferredValue(shown);
  const stages = useMemo(() => readTrace(trace, drawn), [trace, drawn]);
  const sums = useMemo(() => totals(trace), [trace]);
  const any = stages.some(({ agents }) => agents.some(({ entries }) => entries.length > 0));
  return (
    <Box data-testid="trace" aria-busy={drawn !== shown}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5, mb: 2 }}>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={shown}
          onChange={(_, next: Shown | null) => setShown(next ?? shown)}
          aria-label="Which calls are shown"
        >
          {SHOWN.map(({ id, label }) => (
            <ToggleButton key={id} value={id} sx={{ px: 1.25, py: 0.5 }}>
              {label}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <Typography
          role="status"
          data-testid="trace-totals"
          sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}
        >
          {plural(sums.llm, 'model call')}, {plural(sums.tools, 'tool call')},{' '}
          {formatCount(sums.tokens)} tokens
          {sums.failed > 0 && `, ${formatCount(sums.failed)} failed or refused`}
        </Typography>
      </Box>
      {any ? (
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
          {stages.map((stage) => (
            <StagePanel key={`${stage.key} ${drawn}`} session={session} stage={stage} />
          ))}
        </Box>
      ) : (
        <Nothing live={live} shown={drawn} />
      )}
    </Box>
  );
}

function Nothing({ live, shown }: { readonly live: boolean; readonly shown: Shown }) {
  if (shown !== 'all') {
    return <EmptyState icon={<QueueIcon />} title="No call of this kind" testId="trace-empty" />;
  }
  return (
    <EmptyState
      icon={<QueueIcon />}
      title={live ? 'No call yet' : 'No call was recorded'}
      testId="trace-empty"
    >
      {live
        ? 'Calls of models and tools appear here as they are made.'
        : 'The session ended before a model or a tool was called.'}
    </EmptyState>
  );
}

interface StagePanelProps {
  readonly session: string;
  readonly stage: TraceStage;
}

function StagePanel({ session, stage }: StagePanelProps) {
  const title = stage.name === '' ? 'The whole session' : stage.name;
  return (
    <Panel title={title} testId="trace-stage">
      {stage.agents.length === 0 && (
        <Typography sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
          No agent has begun.
        </Typography>
      )}
      {stage.agents.map((agent) => (
        <AgentCalls key={agent.key} session={session} agent={agent} stage={title} />
      ))}
    </Panel>
  );
}

interface AgentCallsProps {
  readonly session: string;
  readonly agent: TraceAgent;
  readonly stage: string;
}

function AgentCalls({ session, agent, stage }: AgentCallsProps) {
  const { hash } = useLocation();
  const named = hash.slice(1);
  function drawRow(entry: TraceEntry) {
    return <TraceRow session={session} entry={entry} wanted={entry.item.id === named} />;
  }
  return (
    <Box sx={{ '& + &': { mt: 1.5 } }}>
      {agent.name !== '' && (
        <Typography component="h3" sx={{ fontSize: '0.8125rem', fontWeight: 650, mb: 0.75 }}>
          {agent.name}{' '}
          <Box component="span" sx={{ color: 'text.secondary', fontWeight: 400 }}>
            {plural(agent.entries.length, 'entry', 'entries')}
          </Box>
        </Typography>
      )}
      <Box
        component="ol"
        aria-label={`Calls of ${agent.name || stage}`}
        sx={{ listStyle: 'none', m: 0, p: 0 }}
      >
        <Blocks
          items={agent.entries}
          keyOf={({ item }) => item.id}
          draw={drawRow}
          wanted={({ item }) => item.id === named}
          rowPx={46}
          noun="Calls"
        />
      </Box>
    </Box>
  );
}
