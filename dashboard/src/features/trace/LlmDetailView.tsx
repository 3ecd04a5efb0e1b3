import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { fullConversation, type Compaction, type LlmDetail } from '../../api/trace';
import { approximate, formatCost, formatExact, plural, printValue } from '../../lib/text/format';
import { endpoints } from '../../lib/browser/paths';
import { formatDuration } from '../../lib/time/time';
import { CodeBlock } from '../../ui/text/CodeBlock';
import { CopyButton } from '../../ui/text/CopyButton';
import { DescriptionList } from '../../ui/layout/DescriptionList';
import { Secondary } from '../../ui/layout/Secondary';
import { DateTime } from '../../ui/numbers/times';
import { Conversation } from './Conversation';
import { Collapsed, CopyAsCurl, Heading, Pending, TextPart } from './parts';
import { llmQuery } from './queries';

interface LlmDetailViewProps {
  /** Session id. */
  readonly session: string;
  /** Interaction id. */
  readonly id: string;
}

/** An LLM call with its usage, reasoning and conversation. */
export function LlmDetailView({ session, id }: LlmDetailViewProps) {
  const { data, error, refetch } = useQuery(llmQuery(session, id));
  if (!data) return <Pending error={error} onRetry={() => void refetch()} />;
  const messages = fullConversation(data);
  return (
    <Box data-testid="llm-detail">
      <DescriptionList items={describe(data)} />
      {data.thinking_content && (
        <TextPart title="Reasoning" text={data.thinking_content} label="Reasoning" wrap />
      )}
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        <Heading>Conversation ({plural(messages.length, 'message')})</Heading>
        <CopyButton text={printValue(data)} label="Copy as JSON, the whole call">
          Copy as JSON
        </CopyButton>
        <CopyAsCurl path={endpoints.llmInteraction(session, id)} label="the LLM call" />
      </Box>
      {data.conversation.length === 0 && (
        <Secondary>This call has no conversation. See the request.</Secondary>
      )}
      <Conversation messages={messages} />
      <JsonPart title="Request" value={data.llm_request} />
      <JsonPart title="Response" value={data.llm_response} />
      {data.response_metadata !== null && (
        <JsonPart title="Provider metadata" value={data.response_metadata} />
      )}
    </Box>
  );
}

function JsonPart({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <Collapsed title={title}>
      <CodeBlock text={printValue(value)} label={title} lines={30} />
    </Collapsed>
  );
}

/** A number of the provider's metadata. */
function reported(call: LlmDetail, name: string): number | null {
  const value = call.response_metadata?.[name];
  return typeof value === 'number' ? value : null;
}

function describe(call: LlmDetail) {
  const cached = reported(call, 'cached_input_tokens');
  const waited = reported(call, 'waited_ms');
  const tokens = [
    call.input_tokens === null ? null : `${formatExact(call.input_tokens)} in`,
    call.output_tokens === null ? null : `${formatExact(call.output_tokens)} out`,
    call.thinking_tokens ? `${formatExact(call.thinking_tokens)} of them reasoning` : null,
    cached === null ? null : `${formatExact(cached)} read from the provider’s cache`,
  ].filter((part) => part !== null);
  return [
    { term: 'Provider', value: call.provider ?? '–', mono: true },
    { term: 'Model', value: call.model_name || '–', mono: true },
    {
      term: 'Tokens',
      value:
        tokens.length > 0
          ? approximate(
              `${formatExact(call.total_tokens)} (${tokens.join(', ')})`,
              call.tokens_estimated,
            )
          : '–',
    },
    ...cost(call),
    ...(call.compaction ? [{ term: 'Request', value: compacted(call.compaction) }] : []),
    { term: 'Finish reason', value: call.finish_reason ?? '–', mono: true },
    ...(waited === null
      ? []
      : [{ term: 'Waited', value: `${formatDuration(waited)} in the provider’s line` }]),
    { term: 'Duration', value: formatDuration(call.duration_ms) },
    ...(call.first_token_ms === null
      ? []
      : [{ term: 'First token', value: `after ${formatDuration(call.first_token_ms)}` }]),
    { term: 'Recorded', value: <DateTime at={call.created_at} /> },
    { term: 'ID', value: call.id, mono: true },
  ];
}

function cost({ cost_micro_usd: amount, total_tokens: tokens }: LlmDetail) {
  if (amount === null && tokens === 0) return [];
  return [{ term: 'Cost', value: amount === null ? 'not priced' : formatCost(amount) }];
}

/** The conversation below is whole; the model was sent less of it. */
function compacted({ shortened_messages, omitted_messages, whole_tokens }: Compaction): string {
  const parts = [
    shortened_messages > 0 ? `${plural(shortened_messages, 'message')} shortened` : null,
    omitted_messages > 0 ? `${plural(omitted_messages, 'message')} left out` : null,
  ].filter((part) => part !== null);
  return `${parts.join(', ')} of about ${formatExact(whole_tokens)} tokens, to fit the context window`;
}
