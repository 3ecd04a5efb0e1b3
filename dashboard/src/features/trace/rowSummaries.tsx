/** The one-line summaries of LLM calls and tool calls. */
import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import type { LlmItem, McpItem } from '../../api/trace';
import { showBidiControls } from '../../lib/text/bidi';
import { approximate, formatCount, humanize, joinParts } from '../../lib/text/format';
import { formatDuration } from '../../lib/time/time';
import { Badge } from '../../ui/badges/Badge';
import { Secondary } from '../../ui/layout/Secondary';
import { StatusChip } from '../../ui/badges/StatusChip';
import { ChatIcon, QueueIcon, ToolIcon } from '../../ui/theme/icons';
import { ClockTime } from '../../ui/numbers/times';
import { CallTitle, RefusedBadge } from '../../ui/findings/toolCalls';
import { toneText } from '../../ui/badges/tones';
import { titleOfCall, type LlmEntry } from './entries';

interface SummaryProps {
  readonly icon: ReactNode;
  readonly title: ReactNode;
  readonly badges?: ReactNode;
  readonly facts: readonly (string | null)[];
  /** RFC 3339. */
  readonly time: string;
  readonly error: string | null;
}

function Summary({ icon, title, badges, facts, time, error }: SummaryProps) {
  return (
    <Box
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1, rowGap: 0.25 }}
    >
      <SummaryTitle icon={icon}>{title}</SummaryTitle>
      {badges}
      <Secondary component="span" size="small" sx={{ ml: 'auto' }}>
        {joinParts(facts)}
        {' · '}
        <ClockTime at={time} />
      </Secondary>
      {error !== null && (
        <Box
          component="span"
          sx={{
            flexBasis: '100%',
            color: toneText('error'),
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

interface SummaryTitleProps {
  readonly icon: ReactNode;
  readonly children: ReactNode;
}

function SummaryTitle({ icon, children }: SummaryTitleProps) {
  return (
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
        {children}
      </Box>
    </Box>
  );
}

function duration(millis: number | null): string | null {
  return millis === null ? null : formatDuration(millis);
}

export function LlmSummary({ entry }: { readonly entry: LlmEntry }) {
  const { item, turn } = entry;
  // What every turn but the conclusion is for needs no word.
  const purpose =
    turn === null || item.interaction_type === 'iteration' ? '' : item.interaction_type;
  const { input_tokens: input, output_tokens: output } = item;
  const tokens =
    input === null && output === null
      ? null
      : approximate(`${formatCount(input)} in, ${formatCount(output)} out`, item.tokens_estimated);
  return (
    <Summary
      icon={<ChatIcon />}
      title={joinParts([titleOfCall(entry), humanize(purpose)])}
      badges={<LlmBadges item={item} />}
      facts={[item.model_name, tokens, duration(item.duration_ms)]}
      time={item.created_at}
      error={item.error_message}
    />
  );
}

const finishReasons: Readonly<Record<string, string>> = {
  length: 'Truncated at the model’s output limit',
  content_filter: 'Stopped by the content filter',
};

/** The failure of a call, or an unusual finish reason; and whether its request was compacted. */
function LlmBadges({ item }: { readonly item: LlmItem }) {
  if (item.timed_out && item.error_message !== null) return <StatusChip status="timed_out" />;
  if (item.error_message !== null) return <StatusChip status="failed" />;
  const reason = finishReasons[item.finish_reason ?? ''];
  return (
    <>
      {item.compaction && <Badge tone="info">Compacted</Badge>}
      {item.timed_out && <Badge tone="warning">Cut off when its time was up</Badge>}
      {reason !== undefined && <Badge tone="warning">{reason}</Badge>}
    </>
  );
}

export function McpSummary({ item }: { readonly item: McpItem }) {
  return item.interaction_type === 'tool_list' ? (
    <ListingSummary item={item} />
  ) : (
    <ToolCallSummary item={item} />
  );
}

function ListingSummary({ item }: { readonly item: McpItem }) {
  const ended = ['completed', ''].includes(item.status);
  return (
    <Summary
      icon={<QueueIcon />}
      title={showBidiControls(`Tools of ${item.server_name}`)}
      badges={ended ? null : <StatusChip status={item.status} />}
      facts={['listed for the agent', duration(item.duration_ms)]}
      time={item.created_at}
      error={item.error_message}
    />
  );
}

function ToolCallSummary({ item }: { readonly item: McpItem }) {
  const name = [item.server_name, item.tool_name].filter(Boolean).join('.');
  return (
    <Summary
      icon={<ToolIcon />}
      title={<CallTitle name={name || 'tool call'} number={item.call_number} />}
      badges={
        <>
          <StatusChip status={item.status || 'completed'} />
          {item.refused_by_policy && <RefusedBadge />}
        </>
      }
      facts={[duration(item.duration_ms)]}
      time={item.created_at}
      error={item.error_message}
    />
  );
}
