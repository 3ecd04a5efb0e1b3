import { Alert, Box, Button, TextField } from '@mui/material';
import { useEffect, useMemo, useState, type FormEvent } from 'react';
import { useLacksToken, useMay } from '../../api/access';
import { asApiError } from '../../api/errors';
import type { SessionDetail } from '../../api/sessions';
import { deleteDraft, readDraft, storeDraft } from '../../lib/browser/drafts';
import { QUESTION_ID } from '../../lib/browser/paths';
import { isSendKey } from '../../lib/browser/sendKey';
import type { TimelineItem } from '../../live/reduce';
import { ChatIcon, StopIcon } from '../../ui/theme/icons';
import { LocalTokenHint } from '../../ui/notices/LocalTokenHint';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { PageSkipLinks, SkipLink } from '../../ui/layout/SkipLink';
import { TraceId } from '../../ui/text/TraceId';
import { readExchanges } from './exchanges';
import { Suggestions } from './Suggestions';
import { Transcript } from './Transcript';
import { activeTurn, lastTurn } from './turns';
import { useChat } from './useChat';

/** Characters; the API rejects longer questions. */
const MAX_QUESTION_LENGTH = 100_000;

interface ChatPanelProps {
  readonly session: SessionDetail;
  readonly items: readonly TimelineItem[];
  /** What the investigation left open, as questions. */
  readonly openPoints: readonly string[];
}

/** Questions about a finished session and their answers; hidden from users who may not ask. The timeline has the steps. */
export function ChatPanel(props: ChatPanelProps) {
  const mayAsk = useMay('ask_question');
  if (useLacksToken('ask_question')) return <LocalTokenHint activity="ask a question" />;
  return mayAsk ? <Chat {...props} /> : null;
}

function Chat({ session, items, openPoints }: ChatPanelProps) {
  const [question, setQuestion] = useQuestion(session.id);
  const { ask, stop } = useChat(session.id, () => setQuestion(''));
  const turn = activeTurn(session);
  const content = question.trim();
  const disabled = turn !== undefined || ask.isPending || content === '';

  function send(event?: FormEvent): void {
    event?.preventDefault();
    if (disabled) return;
    stop.reset();
    ask.mutate(content);
    // The button is disabled now, and would lose it.
    focusQuestion();
  }

  const exchanges = useMemo(
    () => readExchanges(session, items, sentQuestion(ask)),
    [session, items, ask],
  );
  return (
    <Panel title="Ask about this investigation" icon={<ChatIcon />} testId="chat">
      <Transcript exchanges={exchanges} />
      {turn === undefined && content === '' && (
        <Suggestions
          openPoints={openPoints}
          asked={new Set(exchanges.map((exchange) => exchange.question))}
          onChoose={(suggested) => {
            setQuestion(suggested);
            focusQuestion();
          }}
        />
      )}
      <Box component="form" onSubmit={send} sx={{ display: 'grid', gap: 1 }}>
        <QuestionField
          value={question}
          readOnly={ask.isPending}
          onChange={setQuestion}
          onSend={send}
        />
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          <Secondary component="div" role="status" testId="chat-status" sx={{ flexGrow: 1 }}>
            {turn ? describeActive(turn.status) : describeLast(lastTurn(session)?.status)}
          </Secondary>
          {turn && (
            <StopButton
              stopping={stop.isPending || (stop.isSuccess && stop.variables === turn.id)}
              onStop={() => stop.mutate(turn.id)}
            />
          )}
          <SendButton disabled={disabled} />
        </Box>
        <ChatError error={ask.error ?? stop.error} />
      </Box>
    </Panel>
  );
}

/** People go on in the field, wherever they clicked. */
function focusQuestion(): void {
  document.getElementById(QUESTION_ID)?.focus({ preventScroll: true });
}

/** The question of the last request, unless that failed. */
function sentQuestion({ status, variables, data }: ReturnType<typeof useChat>['ask']) {
  if (status !== 'pending' && status !== 'success') return null;
  return { content: variables, turn: data?.stage_id ?? null };
}

/** The text of the question, which survives a reload until it is sent. */
function useQuestion(session: string) {
  const name = `question:${session}`;
  const [question, setQuestion] = useState(() => {
    const stored = readDraft(name);
    return typeof stored === 'string' ? stored : '';
  });
  useEffect(() => {
    if (question === '') deleteDraft(name);
    else storeDraft(name, question);
  }, [name, question]);
  return [question, setQuestion] as const;
}

interface QuestionFieldProps {
  readonly value: string;
  readonly readOnly: boolean;
  readonly onChange: (value: string) => void;
  readonly onSend: () => void;
}

function QuestionField({ value, readOnly, onChange, onSend }: QuestionFieldProps) {
  return (
    <>
      <PageSkipLinks first>
        <SkipLink to={QUESTION_ID}>Skip to question</SkipLink>
      </PageSkipLinks>
      <TextField
        id={QUESTION_ID}
        label="Question"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (isSendKey(event)) onSend();
        }}
        helperText="Press Ctrl+Enter or ⌘+Enter to send."
        multiline
        minRows={2}
        maxRows={10}
        fullWidth
        slotProps={{
          htmlInput: {
            maxLength: MAX_QUESTION_LENGTH,
            readOnly,
            dir: 'auto',
            'data-testid': 'chat-question',
            'data-shortcut': 'a',
          },
        }}
      />
    </>
  );
}

function SendButton({ disabled }: { readonly disabled: boolean }) {
  return (
    <Button
      type="submit"
      variant="contained"
      size="small"
      disabled={disabled}
      data-testid="chat-send"
    >
      Send
    </Button>
  );
}

interface StopButtonProps {
  readonly stopping: boolean;
  readonly onStop: () => void;
}

function StopButton({ stopping, onStop }: StopButtonProps) {
  return (
    <Button
      variant="outlined"
      color="error"
      size="small"
      startIcon={<StopIcon />}
      disabled={stopping}
      onClick={() => {
        onStop();
        focusQuestion();
      }}
      data-testid="chat-stop"
    >
      {stopping ? 'Stopping…' : 'Stop'}
    </Button>
  );
}

function describeActive(status: string): string {
  return status === 'pending' ? 'Queued, waiting for a worker…' : 'Answering…';
}

const outcomes: Readonly<Record<string, string>> = {
  completed: 'Steps are in the timeline.',
  failed: 'The question failed. See the timeline for the error.',
  timed_out: 'The answer timed out.',
  cancelled: 'The answer was cancelled.',
};

function describeLast(status: string | undefined): string {
  return outcomes[status ?? ''] ?? '';
}

function ChatError({ error }: { readonly error: unknown }) {
  if (!error) return null;
  const { status, message, fields } = asApiError(error);
  const [field] = fields;
  return (
    <Alert severity={status === 409 ? 'info' : 'error'} data-testid="chat-error">
      {field ? `The question ${field.message}` : message}
      <TraceId error={error} />
    </Alert>
  );
}
