import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { answer, server } from '../../test/server';
import { openSession, serveSession, SESSION_ID, sessionPath } from '../../test/session';
import { verdict } from '../../test/verdict';

const chainStage = { id: 'stage-1', stage_name: 'Diagnosis', status: 'completed', executions: [] };
const about = { session_id: SESSION_ID, timestamp: '2026-11-22T01:05:03Z' };

function turn(status: string) {
  return { id: 'turn-1', stage_name: 'Chat Response', chat_id: 'chat-1', status, executions: [] };
}

function serve(changes: object = {}, turns: readonly object[] = []) {
  serveSession({ chat_enabled: true, stages: [chainStage, ...turns], ...changes });
}

function reject(problem: object, status: number) {
  server.use(
    http.post(`${sessionPath}/chat/messages`, () => HttpResponse.json({ ...problem }, { status })),
  );
}

async function askFor(text: string) {
  const user = userEvent.setup();
  await user.type(await screen.findByTestId('chat-question'), text);
  await user.click(screen.getByTestId('chat-send'));
  return user;
}

describe('the chat', () => {
  beforeEach(() => serve());

  it('sends a question and streams the answer', async () => {
    const requests: unknown[] = [];
    server.use(
      http.post(`${sessionPath}/chat/messages`, async ({ request }) => {
        requests.push(await request.json());
        serve({}, [turn('active')]);
        const ids = { chat_id: 'chat-1', message_id: 'message-1', stage_id: 'turn-1' };
        return HttpResponse.json(ids, { status: 202 });
      }),
    );
    const { relay } = openSession();
    await waitFor(() => expect(relay.frames('subscribe')).toHaveLength(1));
    await askFor(' Since when? ');
    await waitFor(() => expect(requests).toEqual([{ content: 'Since when?' }]));
    await waitFor(() => expect(screen.getByTestId('chat-status')).toHaveTextContent('Answering…'));
    expect(screen.getByTestId('chat-question')).toHaveValue('');
    await userEvent.setup().type(screen.getByTestId('chat-question'), 'And before?');
    expect(screen.getByTestId('chat-send')).toBeDisabled();

    const created = { ...about, type: 'timeline_event.created', stage_id: 'turn-1' };
    relay.deliver(
      {
        ...created,
        db_event_id: 1,
        event_id: 'q',
        event_type: 'user_question',
        status: 'completed',
        content: 'Since when?',
        sequence_number: 1,
      },
      {
        ...created,
        db_event_id: 2,
        event_id: 'a',
        event_type: 'llm_response',
        status: 'streaming',
        content: '',
        sequence_number: 2,
      },
      { ...about, type: 'stream.chunk', event_id: 'a', offset: 0, delta: 'Since noon' },
    );
    expect(await screen.findByTestId('streaming-text')).toHaveTextContent('Since noon');
    const [question, text] = screen.getAllByTestId('timeline-item');
    expect(question).toHaveTextContent('Since when?');
    expect(text).toHaveTextContent('Since noon');

    serve({}, [turn('completed')]);
    relay.deliver({
      ...about,
      type: 'stage.status',
      db_event_id: 3,
      stage_id: 'turn-1',
      stage_name: 'Chat Response',
      stage_index: 2,
      status: 'completed',
    });
    await waitFor(() => expect(screen.getByTestId('chat-send')).toBeEnabled());
    expect(screen.getByTestId('chat-question')).toHaveValue('And before?');
    expect(screen.getByTestId('chat-status')).toHaveTextContent('Steps are in the timeline.');
    expect(screen.getByTestId('stages')).toHaveTextContent('Stages (1 of 1)');
  });

  it('shows the question at once, and its answer while it streams', async () => {
    let accept = () => {};
    const accepted = new Promise<void>((resolve) => {
      accept = resolve;
    });
    server.use(
      http.post(`${sessionPath}/chat/messages`, async () => {
        await accepted;
        const ids = { chat_id: 'chat-1', message_id: 'message-1', stage_id: 'turn-1' };
        return HttpResponse.json(ids, { status: 202 });
      }),
    );
    const { relay } = openSession();
    await waitFor(() => expect(relay.frames('subscribe')).toHaveLength(1));
    await askFor('Since when?');
    const transcript = within(await screen.findByTestId('chat-transcript'));
    expect(transcript.getByRole('group', { name: 'Question' })).toHaveTextContent('Since when?');
    expect(transcript.getByRole('group', { name: 'Answer' })).toHaveTextContent('Sending…');
    serve({}, [turn('active')]);
    accept();
    const event = { ...about, type: 'timeline_event.created', stage_id: 'turn-1' };
    const question = { event_type: 'user_question', status: 'completed', content: 'Since when?' };
    const answering = { event_type: 'llm_response', status: 'streaming', content: '' };
    relay.deliver(
      { ...event, ...question, db_event_id: 1, event_id: 'q', sequence_number: 1 },
      { ...event, ...answering, db_event_id: 2, event_id: 'a', sequence_number: 2 },
      { ...about, type: 'stream.chunk', event_id: 'a', offset: 0, delta: 'Since **noon**' },
    );
    await waitFor(() =>
      expect(transcript.getByRole('group', { name: 'Answer' })).toHaveTextContent('Since noon'),
    );
    expect(transcript.getAllByRole('group', { name: 'Question' })).toHaveLength(1);
  });

  const rules = 'The disk is full. Written by rules; no LLM was used.';
  it.each([
    ['offline', true, rules, 'Verify before you act.'],
    ['analyst', true, rules, 'Verify before you act.'],
    ['gemini', false, 'The disk is full.', 'AI-generated. Verify before you act.'],
  ])('says once who wrote an answer of the provider %s', async (provider, by_rules, text, note) => {
    const agent = { execution_id: 'exec-1', agent_name: 'Ops', status: 'completed' };
    const executions = [{ ...agent, active_provider: provider, by_rules }];
    serve({}, [{ ...turn('completed'), executions }]);
    const ofTurn = { stage_id: 'turn-1', status: 'completed' };
    server.use(
      answer(`${sessionPath}/timeline`, [
        timelineEvent({
          ...ofTurn,
          id: 'q',
          event_type: 'user_question',
          content: 'What is full?',
        }),
        timelineEvent({ ...ofTurn, id: 'a', sequence_number: 2, content: text }),
      ]),
    );
    openSession();
    const transcript = within(await screen.findByTestId('chat-transcript'));
    await waitFor(() =>
      expect(transcript.getByRole('group', { name: 'Answer' }).textContent).toBe(`${text}${note}`),
    );
  });

  it('suggests questions about open points, which can be changed before they are sent', async () => {
    const metadata = { server_name: 'host', tool_name: 'df', call_number: 2, is_error: true };
    serveSession({ chat_enabled: true, status: 'completed', stages: [chainStage] }, [
      timelineEvent({ event_type: 'llm_tool_call', metadata }),
    ]);
    openSession();
    const suggestions = within(await screen.findByRole('list', { name: 'Suggested questions' }));
    const text = 'Call 2: host.df failed. What can be looked at instead?';
    await userEvent.setup().click(suggestions.getByRole('button', { name: text }));
    expect(screen.getByTestId('chat-question')).toHaveValue(text);
    expect(screen.queryByTestId('chat-suggestions')).not.toBeInTheDocument();
  });

  it('suggests one question about calls with the same outcome', async () => {
    const failing = [1, 2, 3, 4, 5].map((number) => {
      const tool = { server_name: 'host', tool_name: 'df', call_number: number, is_error: true };
      return timelineEvent({
        id: `call-${number}`,
        sequence_number: number,
        event_type: 'llm_tool_call',
        metadata: tool,
      });
    });
    serveSession({ chat_enabled: true, status: 'completed', stages: [chainStage] }, failing);
    openSession();
    const suggestions = within(await screen.findByRole('list', { name: 'Suggested questions' }));
    const buttons = suggestions.getAllByRole('button');
    expect(buttons.map(({ textContent }) => textContent)).toEqual([
      'Calls 1, 2, 3 and 2 more: host.df failed. What can be looked at instead?',
    ]);
  });

  it('suggests what the verdict did not examine, and no question that was asked', async () => {
    const gaps = ['the network', 'the kernel log'].map((what) => ({ what, why: '' }));
    const stages = [chainStage, turn('completed')];
    const session = { status: 'completed', verdict: verdict({ not_examined: gaps }), stages };
    const content = 'Check the network';
    serveSession({ chat_enabled: true, ...session }, [
      timelineEvent({ stage_id: 'turn-1', event_type: 'user_question', content }),
    ]);
    openSession();
    const suggestions = within(await screen.findByRole('list', { name: 'Suggested questions' }));
    expect(suggestions.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'Check the kernel log',
    ]);
  });

  it('labels each turn on the timeline with its question', async () => {
    serve({}, [turn('completed'), { ...turn('completed'), id: 'turn-2' }]);
    const ask = { event_type: 'user_question', execution_id: null };
    server.use(
      answer(`${sessionPath}/timeline`, [
        timelineEvent({ ...ask, id: 'q1', stage_id: 'turn-1', content: 'Since when?\nIn UTC.' }),
        timelineEvent({
          ...ask,
          id: 'q2',
          stage_id: 'turn-2',
          content: 'And why?',
          sequence_number: 2,
        }),
      ]),
    );
    openSession();
    expect(
      await screen.findByRole('region', { name: 'Question: Since when?' }),
    ).toBeInTheDocument();
    expect(screen.getByRole('region', { name: 'Question: And why?' })).toBeInTheDocument();
  });

  it('shows why a question was rejected and keeps its text', async () => {
    reject({ title: 'Conflict', detail: 'another question is being answered' }, 409);
    openSession();
    await askFor('Why?');
    expect(await screen.findByTestId('chat-error')).toHaveTextContent(
      'another question is being answered',
    );
    expect(screen.getByTestId('chat-question')).toHaveValue('Why?');
  });

  it('shows a field error of the question', async () => {
    reject({ errors: [{ field: 'content', message: 'is too long; send less' }] }, 400);
    openSession();
    await askFor('Why?');
    expect(await screen.findByTestId('chat-error')).toHaveTextContent(
      'The question is too long; send less',
    );
  });

  it('stops an answer', async () => {
    serve({}, [turn('active')]);
    let stopped = 0;
    server.use(
      http.post(`${sessionPath}/cancel`, () => {
        stopped += 1;
        return HttpResponse.json({ session_id: SESSION_ID, message: 'ok' });
      }),
    );
    openSession();
    await userEvent.setup().click(await screen.findByTestId('chat-stop'));
    await waitFor(() => expect(stopped).toBe(1));
    await waitFor(() => expect(screen.getByTestId('chat-stop')).toHaveTextContent('Stopping…'));
  });

  it('does not send a blank question', async () => {
    openSession();
    await userEvent.setup().type(await screen.findByTestId('chat-question'), '   ');
    expect(screen.getByTestId('chat-send')).toBeDisabled();
  });

  it.each([
    ['runs', { status: 'in_progress', completed_at: null }],
    ['was cancelled', { status: 'cancelled' }],
    ['has no chat', { chat_enabled: false }],
  ])('is not offered for a session that %s', async (_, changes) => {
    serve(changes);
    server.use(answer(`${sessionPath}/timeline`, [timelineEvent()]));
    openSession();
    expect(await screen.findByTestId('timeline-item')).toBeInTheDocument();
    expect(screen.queryByTestId('chat')).not.toBeInTheDocument();
  });
});
