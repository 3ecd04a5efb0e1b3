import { Box, Link, Typography } from '@mui/material';
import { memo, useEffect, useRef, type ReactNode } from 'react';
import { Link as RouterLink } from 'react-router';
import type { LlmItem, McpItem } from '../../api/trace';
import { callAnchor } from '../../lib/citations';
import { formatCount, humanize } from '../../lib/format';
import { pages } from '../../lib/paths';
import type { Tone } from '../../lib/status';
import { formatClock, formatDateTime, formatDuration } from '../../lib/time';
import { Disclosure } from '../../ui/Disclosure';
import { Mark } from '../../ui/Mark';
import { StatusChip } from '../../ui/StatusChip';
import { settleAt } from '../../ui/settle';
import { ChatIcon, QueueIcon, StopIcon, ToolIcon } from '../../ui/icons';
import { toneText } from '../../ui/tones';
import { failed, type TraceEntry } from './entries';
import { LlmDetailView } from './LlmDetailView';
import { McpDetailView } from './McpDetailView';

interface TraceRowProps {
  readonly session: string;
  readonly entry: TraceEntry;
  /** Whether the address names it. */
  readonly wanted: boolean;
}

/** One call in a line; opened, all that was asked and answered. */
export const TraceRow = memo(function TraceRow({ session, entry, wanted }: TraceRowProps) {
  const { kind, item } = entry;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!wanted || row.current === null) return undefined;
    row.current.focus({ preventScroll: true });
    return settleAt(row.current);
  }, [wanted]);
  const wrong = failed(entry);
  return (
    <Box
      component="li"
      ref={row}
      id={item.id}
      tabIndex={-1}
      data-testid="trace-row"
      data-kind={kind === 'llm' ? 'llm' : item.interaction_type}
      data-failed={wrong}
      sx={{
        border: 1,
        borderColor: wanted ? 'primary.main' : 'divider',
        borderLeft: 3,
        borderLeftColor: toneText(wrong ? 'error' : kind === 'llm' ? 'info' : 'neutral'),
        borderRadius: 1,
        px: 1,
        mb: 0.75,
        scrollMarginTop: 'calc(var(--tarsy-bar) + 18px)',
        outlineOffset: -2,
      }}
    >
      <Disclosure
        open={wanted}
        summary={kind === 'llm' ? <LlmLine item={item} /> : <McpLine item={item} />}
      >
        <Box sx={{ pl: { xs: 0, sm: 3.25 }, pb: 1 }}>
          <Links session={session} entry={entry} />
          {kind === 'llm' ? (
            <LlmDetailView session={session} id={item.id} />
          ) : (
            <McpDetailView session={session} item={item} />
          )}
        </Box>
      </Disclosure>
    </Box>
  );
});

function Links({ session, entry }: Omit<TraceRowProps, 'wanted'>) {
  const { kind, item } = entry;
  const number = kind === 'mcp' ? item.call_number : null;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, fontSize: '0.8125rem', mb: 1 }}>
      {number !== null && (
        <Link component={RouterLink} to={`${pages.session(session)}#${callAnchor(number)}`}>
          Show call {number} on the timeline
        </Link>
      )}
      <Link href={`#${item.id}`}>Link to this entry</Link>
    </Box>
  );
}

interface LineProps {
  readonly icon: ReactNode;
  readonly title: ReactNode;
  readonly marks?: ReactNode;
  readonly facts: readonly (string | null)[];
  readonly time: string;
  readonly error: string | null;
}

function Line({ icon, title, marks, facts, time, error }: LineProps) {
  return (
    <Box
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'center',
        columnGap: 1,
        rowGap: 0.25,
      }}
    >
      <Box
        component="span"
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1,
          minWidth: 0,
          '& > svg': { fontSize: 17, color: 'text.secondary' },
        }}
      >
        {icon}
        <Box
          component="span"
          sx={{ fontWeight: 600, fontSize: '0.875rem', overflowWrap: 'anywhere', minWidth: 0 }}
        >
          {title}
        </Box>
      </Box>
      {marks}
      <Typography
        component="span"
        sx={{
          ml: 'auto',
          color: 'text.secondary',
          fontSize: '0.75rem',
          fontVariantNumeric: 'tabular-nums',
        }}
      >
        {facts.filter((fact) => fact !== null && fact !== '').join(' · ')}
        {' · '}
        <time dateTime={time} title={formatDateTime(time)}>
          {formatClock(time)}
        </time>
      </Typography>
      {error !== null && <Reason text={error} tone="error" />}
    </Box>
  );
}

function Reason({ text, tone }: { readonly text: string; readonly tone: Tone }) {
  return (
    <Box
      component="span"
      sx={{
        flexBasis: '100%',
        color: toneText(tone),
        fontSize: '0.8125rem',
        overflowWrap: 'anywhere',
      }}
    >
      {text}
    </Box>
  );
}

function took(millis: number | null): string | null {
  return millis === null ? null : formatDuration(millis);
}

function LlmLine({ item }: { readonly item: LlmItem }) {
  const { input_tokens: read, output_tokens: written } = item;
  const tokens =
    read === null && written === null
      ? null
      : `${formatCount(read)} in, ${formatCount(written)} out`;
  return (
    <Line
      icon={<ChatIcon />}
      title={humanize(item.interaction_type) || 'Model call'}
      marks={failedAs(item)}
      facts={[item.model_name, tokens, took(item.duration_ms)]}
      time={item.created_at}
      error={item.error_message}
    />
  );
}

function failedAs(item: LlmItem): ReactNode {
  if (item.timed_out) return <StatusChip status="timed_out" />;
  return item.error_message === null ? null : <StatusChip status="failed" />;
}

function McpLine({ item }: { readonly item: McpItem }) {
  if (item.interaction_type === 'tool_list') {
    return (
      <Line
        icon={<QueueIcon />}
        title={`Tools of ${item.server_name}`}
        marks={['completed', ''].includes(item.status) ? null : <StatusChip status={item.status} />}
        facts={['listed for the agent', took(item.duration_ms)]}
        time={item.created_at}
        error={item.error_message}
      />
    );
  }
  const name = [item.server_name, item.tool_name].filter(Boolean).join('.');
  return (
    <Line
      icon={<ToolIcon />}
      title={
        <>
          {item.call_number !== null && (
            <Box component="span" sx={{ color: 'text.secondary', mr: 0.75, whiteSpace: 'nowrap' }}>
              call {item.call_number}
            </Box>
          )}
          <Box component="code" sx={{ fontFamily: 'var(--tarsy-mono)' }}>
            {name || 'tool call'}
          </Box>
        </>
      }
      marks={
        <>
          <StatusChip status={item.status || 'completed'} />
          {item.refused_by_policy && (
            <Mark tone="warning" testId="refused-mark" hint="The tool policy of the server says no">
              <StopIcon /> Refused by policy
            </Mark>
          )}
        </>
      }
      facts={[took(item.duration_ms)]}
      time={item.created_at}
      error={item.error_message}
    />
  );
}
