import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { wholeConversation, type LlmDetail, type TraceMessage } from '../../api/trace';
import { firstLine, formatExact, inlineValue, plural, printValue } from '../../lib/format';
import { formatDateTime, formatDuration } from '../../lib/time';
import { CodeBlock } from '../../ui/CodeBlock';
import { CopyButton } from '../../ui/CopyButton';
import { Disclosure } from '../../ui/Disclosure';
import { Facts } from '../../ui/Facts';
import { Folded, Heading, Pending, TextPart } from './parts';
import { llmQuery } from './queries';

interface LlmDetailViewProps {
  readonly session: string;
  readonly id: string;
}

/** One call of a model: what it cost, thought, and the conversation up to its answer. */
export function LlmDetailView({ session, id }: LlmDetailViewProps) {
  const { data, error, refetch } = useQuery(llmQuery(session, id));
  if (!data) return <Pending error={error} retry={() => void refetch()} />;
  const messages = wholeConversation(data);
  return (
    <Box data-testid="llm-detail">
      <Facts facts={facts(data)} />
      {data.thinking_content !== null && data.thinking_content !== '' && (
        <TextPart
          title="Reasoning"
          text={data.thinking_content}
          label="Reasoning of the model"
          wrap
        />
      )}
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        <Heading>Conversation ({plural(messages.length, 'message')})</Heading>
        <CopyButton text={printValue(data)} label="Copy as JSON, the whole call">
          Copy as JSON
        </CopyButton>
      </Box>
      {data.conversation.length === 0 && (
        <Box sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
          It was asked outside a conversation; see the request.
        </Box>
      )}
      <Conversation messages={messages} />
      <Folded title="Request">
        <CodeBlock text={printValue(data.llm_request)} label="Request" lines={30} />
      </Folded>
      <Folded title="Response">
        <CodeBlock text={printValue(data.llm_response)} label="Response" lines={30} />
      </Folded>
      {data.response_metadata !== null && (
        <Folded title="What the provider added">
          <CodeBlock
            text={printValue(data.response_metadata)}
            label="What the provider added"
            lines={30}
          />
        </Folded>
      )}
    </Box>
  );
}

function facts(call: LlmDetail) {
  const tokens = [
    call.input_tokens === null ? null : `${formatExact(call.input_tokens)} in`,
    call.output_tokens === null ? null : `${formatExact(call.output_tokens)} out`,
  ].filter((part) => part !== null);
  return [
    { term: 'Model', value: call.model_name || '–', mono: true },
    {
      term: 'Tokens',
      value: tokens.length > 0 ? `${formatExact(call.total_tokens)} (${tokens.join(', ')})` : '–',
    },
    { term: 'Took', value: formatDuration(call.duration_ms) },
    { term: 'Recorded', value: formatDateTime(call.created_at) },
    { term: 'Record', value: call.id, mono: true },
  ];
}

const speakers: Readonly<Record<string, string>> = {
  system: 'Instructions',
  user: 'To the model',
  assistant: 'Model',
  tool: 'Tool',
};

/** All messages, each closed to its first line but for the last: the answer, if there was one. */
function Conversation({ messages }: { readonly messages: readonly TraceMessage[] }) {
  if (messages.length === 0) return null;
  return (
    <Box component="ol" aria-label="Conversation" sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {messages.map((message, index) => (
        <Message key={index} message={message} open={index === messages.length - 1} />
      ))}
    </Box>
  );
}

interface MessageProps {
  readonly message: TraceMessage;
  readonly open: boolean;
}

function Message({ message, open }: MessageProps) {
  const { role, content, tool_calls: calls, tool_name: tool } = message;
  const speaker = speakers[role] ?? role;
  const words = firstLine(content, 120) || calls.map(({ name }) => name).join(', ');
  return (
    <Box
      component="li"
      data-testid="trace-message"
      data-role={role}
      sx={{ borderTop: 1, borderColor: 'divider' }}
    >
      <Disclosure
        open={open}
        summary={
          <Box sx={{ display: 'flex', gap: 1, minWidth: 0, fontSize: '0.8125rem' }}>
            <Box component="span" sx={{ fontWeight: 600, flexShrink: 0 }}>
              {tool === null ? speaker : `${speaker}: ${tool}`}
            </Box>
            <Box
              component="span"
              sx={{
                color: 'text.secondary',
                overflow: 'hidden',
                textOverflow: 'ellipsis',
                whiteSpace: 'nowrap',
              }}
            >
              {words}
            </Box>
          </Box>
        }
      >
        {content !== '' && (
          <TextPart title="Text" text={content} label={`Message of: ${speaker}`} wrap />
        )}
        {calls.length > 0 && (
          <>
            <Heading>Tools that it asks for</Heading>
            <Box component="ul" sx={{ m: 0, pl: 2.5, fontSize: '0.8125rem' }}>
              {calls.map((call, index) => (
                <Box
                  component="li"
                  key={call.id ?? index}
                  sx={{ overflowWrap: 'anywhere', '& code': { fontFamily: 'var(--tarsy-mono)' } }}
                >
                  <code>{call.name}</code> <code>{inlineValue(call.arguments)}</code>
                </Box>
              ))}
            </Box>
          </>
        )}
      </Disclosure>
    </Box>
  );
}
