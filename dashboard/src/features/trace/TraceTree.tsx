import { Box, Typography } from '@mui/material';
import { useDeferredValue, useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import type { Trace } from '../../api/trace';
import { approximate, formatCount, plural } from '../../lib/text/format';
import { EmptyState } from '../../ui/notices/EmptyState';
import { LazyRows } from '../../ui/layout/LazyRows';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { ToggleFilter } from '../../ui/fields/ToggleFilter';
import { QueueIcon } from '../../ui/theme/icons';
import { Column } from '../../ui/layout/layout';
import { plainList } from '../../ui/theme/tokens';
import {
  CATEGORIES,
  readTrace,
  totals,
  type Category,
  type TraceAgent,
  type TraceStage,
} from './entries';
import { TraceRow } from './TraceRow';
import { WaterfallView } from './WaterfallView';

const VIEWS = [
  { id: 'list', label: 'List' },
  { id: 'waterfall', label: 'Waterfall' },
] as const;

type View = (typeof VIEWS)[number]['id'];

interface TraceTreeProps {
  /** Session id. */
  readonly session: string;
  readonly trace: Trace;
  /** True while calls may be added. */
  readonly live: boolean;
}

/** The calls of a session by stage and agent. */
export function TraceTree({ session, trace, live }: TraceTreeProps) {
  const [view, setView] = useView();
  const [category, setCategory] = useState<Category>('all');
  const applied = useDeferredValue(category);
  const stages = useMemo(() => readTrace(trace, applied), [trace, applied]);
  const empty = stages.every(({ agents }) => agents.every(({ entries }) => entries.length === 0));
  return (
    <Box data-testid="trace" aria-busy={applied !== category}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5, mb: 2 }}>
        <ToggleFilter label="View" options={VIEWS} value={view} onChange={setView} />
        {view === 'list' && (
          <ToggleFilter
            label="Call category"
            options={CATEGORIES}
            value={category}
            onChange={setCategory}
          />
        )}
        <TraceTotals trace={trace} />
      </Box>
      {view === 'waterfall' ? (
        <WaterfallView session={session} trace={trace} live={live} />
      ) : empty ? (
        <EmptyTrace live={live} filtered={applied !== 'all'} />
      ) : (
        <Column>
          {stages.map((stage) => (
            <StagePanel key={`${stage.key} ${applied}`} session={session} stage={stage} />
          ))}
        </Column>
      )}
    </Box>
  );
}

/** The view in the URL, so that a link leads to it. */
function useView() {
  const [search, setSearch] = useSearchParams();
  const view: View = search.get('view') === 'waterfall' ? 'waterfall' : 'list';
  const setView = (next: View) =>
    setSearch(next === 'list' ? {} : { view: next }, { replace: true });
  return [view, setView] as const;
}

function TraceTotals({ trace }: { readonly trace: Trace }) {
  const { llm, tools, tokens, estimated, failed } = useMemo(() => totals(trace), [trace]);
  return (
    <Secondary component="div" role="status" testId="trace-totals">
      {plural(llm, 'LLM call')}, {plural(tools, 'tool call')},{' '}
      {approximate(formatCount(tokens), estimated)} tokens
      {failed > 0 && `, ${formatCount(failed)} failed or refused`}
    </Secondary>
  );
}

interface EmptyTraceProps {
  readonly live: boolean;
  readonly filtered: boolean;
}

function EmptyTrace({ live, filtered }: EmptyTraceProps) {
  if (filtered) {
    return <EmptyState icon={<QueueIcon />} title="No matching calls" testId="trace-empty" />;
  }
  return (
    <EmptyState
      icon={<QueueIcon />}
      title={live ? 'No calls yet' : 'No calls were recorded'}
      testId="trace-empty"
    >
      {live ? 'LLM and tool calls appear here live.' : 'The session ended before its first call.'}
    </EmptyState>
  );
}

interface StagePanelProps {
  readonly session: string;
  readonly stage: TraceStage;
}

function StagePanel({ session, stage }: StagePanelProps) {
  const title = stage.name === '' ? 'Session' : stage.name;
  return (
    <Panel title={title} testId="trace-stage">
      {stage.agents.length === 0 && <Secondary>No agent has started.</Secondary>}
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
  const target = hash.slice(1);
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
      <Box component="ol" aria-label={`Calls of ${agent.name || stage}`} sx={plainList}>
        <LazyRows
          items={agent.entries}
          keyOf={({ item }) => item.id}
          render={(entry) => (
            <TraceRow session={session} entry={entry} targeted={entry.item.id === target} />
          )}
          isTarget={({ item }) => item.id === target}
          rowHeightPx={46}
          noun="Calls"
        />
      </Box>
    </Box>
  );
}
