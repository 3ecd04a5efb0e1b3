import { Alert, Box, Button, TextField, Typography } from '@mui/material';
import { useState, type FormEvent } from 'react';
import { asApiError } from '../../api/errors';
import type { SessionDetail } from '../../api/sessions';
import { ChatIcon, StopIcon } from '../../ui/icons';
import { Panel } from '../../ui/Panel';
import { lastTurn, openTurn } from './turns';
import { useChat } from './useChat';

const LONGEST = 100_000;

/** Asks about a session that is over; the answer is written on the timeline, under its question. */
export function ChatPanel({ session }: { readonly session: SessionDetail }) {
  const [question, setQuestion] = useState('');
  const { ask, stop } = useChat(session.id, () => setQuestion(''));
  const turn = openTurn(session);
  const busy = turn !== undefined || ask.isPending;
  const stopping = stop.isPending || (stop.isSuccess && stop.variables === turn?.id);
  const content = question.trim();

  function send(event?: FormEvent): void {
    event?.preventDefault();
    if (busy || content === '') return;
    stop.reset();
    ask.mutate(content);
  }

  return (
    <Panel title="Ask about this investigation" icon={<ChatIcon />} testId="chat">
      <Box component="form" onSubmit={send} sx={{ display: 'grid', gap: 1 }}>
        <TextField
          label="Question"
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
          }}
          helperText="Ctrl+Enter or ⌘+Enter asks."
          multiline
          minRows={2}
          maxRows={10}
          fullWidth
          slotProps={{
            htmlInput: {
              maxLength: LONGEST,
              readOnly: ask.isPending,
              'data-testid': 'chat-question',
            },
          }}
        />
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          <Typography
            role="status"
            data-testid="chat-state"
            sx={{ flexGrow: 1, color: 'text.secondary', fontSize: '0.8125rem' }}
          >
            {turn ? describe(turn.status) : outcome(lastTurn(session)?.status)}
          </Typography>
          {turn && (
            <Button
              variant="outlined"
              color="error"
              size="small"
              startIcon={<StopIcon />}
              disabled={stopping}
              onClick={() => stop.mutate(turn.id)}
              data-testid="chat-stop"
            >
              {stopping ? 'Stopping…' : 'Stop the answer'}
            </Button>
          )}
          <Button
            type="submit"
            variant="contained"
            size="small"
            disabled={busy || content === ''}
            data-testid="chat-send"
          >
            Ask
          </Button>
        </Box>
        <Failure error={ask.error ?? stop.error} />
      </Box>
    </Panel>
  );
}

function describe(status: string): string {
  return status === 'pending'
    ? 'The question waits for a worker…'
    : 'The question is being answered…';
}

const outcomes: Readonly<Record<string, string>> = {
  completed: 'The question is answered, at the end of the timeline.',
  failed: 'The question could not be answered; the timeline says why.',
  timed_out: 'The answer took too long and was given up.',
  cancelled: 'The answer was stopped.',
};

/** What became of the last question, told to those who do not see the timeline grow. */
function outcome(status: string | undefined): string {
  return outcomes[status ?? ''] ?? 'The answer appears at the end of the timeline.';
}

function Failure({ error }: { readonly error: unknown }) {
  if (!error) return null;
  const { status, message, fields } = asApiError(error);
  const [field] = fields;
  return (
    <Alert severity={status === 409 ? 'info' : 'error'} data-testid="chat-failure">
      {field ? `The question ${field.message}` : message}
    </Alert>
  );
}
