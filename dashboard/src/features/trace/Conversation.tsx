import { Box } from '@mui/material';
import type { TraceMessage } from '../../api/trace';
import { showBidiControls } from '../../lib/text/bidi';
import { firstLine, inlineValue, printValue } from '../../lib/text/format';
import { CodeBlock } from '../../ui/text/CodeBlock';
import { Disclosure } from '../../ui/layout/Disclosure';
import { ellipsis, plainList } from '../../ui/theme/tokens';
import { Heading, TextPart } from './parts';

const roleLabels: Readonly<Record<string, string>> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
};

interface ConversationProps {
  readonly messages: readonly TraceMessage[];
}

/** The messages, each collapsed to its first line except the last one. */
export function Conversation({ messages }: ConversationProps) {
  if (messages.length === 0) return null;
  return (
    <Box component="ol" aria-label="Conversation" sx={plainList}>
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
  const { role, content, tool_calls: calls } = message;
  return (
    <Box
      component="li"
      data-testid="trace-message"
      data-role={role}
      sx={{ borderTop: 1, borderColor: 'divider' }}
    >
      <Disclosure open={open} summary={<MessageSummary message={message} />}>
        {content !== '' && (
          <TextPart
            title="Text"
            text={content}
            label={`${roleLabels[role] ?? role} message`}
            wrap
          />
        )}
        {calls.length > 0 && <RequestedCalls calls={calls} />}
      </Disclosure>
    </Box>
  );
}

function MessageSummary({ message }: { readonly message: TraceMessage }) {
  const { role, content, tool_calls: calls, tool_name: tool } = message;
  const label = roleLabels[role] ?? role;
  return (
    <Box sx={{ display: 'flex', gap: 1, minWidth: 0, fontSize: '0.8125rem' }}>
      <Box component="span" sx={{ fontWeight: 600, flexShrink: 0 }}>
        {tool === null ? label : showBidiControls(`${label}: ${tool}`)}
      </Box>
      <Box component="span" sx={{ ...ellipsis, color: 'text.secondary' }}>
        {firstLine(content, 120) || showBidiControls(calls.map(({ name }) => name).join(', '))}
      </Box>
    </Box>
  );
}

function RequestedCalls({ calls }: { readonly calls: TraceMessage['tool_calls'] }) {
  return (
    <>
      <Heading>Tool calls</Heading>
      <Box component="ul" sx={{ m: 0, pl: 2.5, fontSize: '0.8125rem' }}>
        {calls.map((call, index) => (
          <Box
            component="li"
            key={call.id ?? index}
            sx={{ overflowWrap: 'anywhere', '& code': { fontFamily: 'var(--tarsy-mono)' } }}
          >
            <code>{showBidiControls(call.name)}</code>
            {inlineValue(call.arguments) !== '' && (
              <CodeBlock text={printValue(call.arguments)} label={`Arguments of ${call.name}`} />
            )}
          </Box>
        ))}
      </Box>
    </>
  );
}
