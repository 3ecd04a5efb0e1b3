import { describe, expect, it } from 'vitest';
import type { TimelineEvent } from '../api/sessions';
import { readMessage, type LiveMessage } from './messages';
import { emptyFeed, mergeTimeline, reduce, reduceAll, type FeedState } from './reduce';

function live(message: object): LiveMessage {
  const read = readMessage(JSON.stringify({ session_id: 's', timestamp: 't', ...message }));
  if (read === null) throw new Error('unreadable message');
  return read;
}

function created(eventId: number, id: string, changes: object = {}): LiveMessage {
  return live({
    type: 'timeline_event.created',
    db_event_id: eventId,
    event_id: id,
    event_type: 'llm_response',
    status: 'streaming',
    content: '',
    sequence_number: eventId,
    ...changes,
  });
}

function completed(
  eventId: number,
  id: string,
  content: string,
  changes: object = {},
): LiveMessage {
  return live({
    type: 'timeline_event.completed',
    db_event_id: eventId,
    event_id: id,
    event_type: 'llm_response',
    status: 'completed',
    content,
    ...changes,
  });
}

function chunk(id: string, offset: number, delta: string): LiveMessage {
  return live({ type: 'stream.chunk', event_id: id, offset, delta });
}

function stored(id: string, changes: Partial<TimelineEvent> = {}): TimelineEvent {
  return {
    id,
    session_id: 's',
    stage_id: null,
    execution_id: null,
    sequence_number: 1,
    event_type: 'llm_response',
    status: 'streaming',
    content: '',
    metadata: null,
    created_at: 't',
    updated_at: null,
    ...changes,
  };
}

function after(...messages: readonly LiveMessage[]): FeedState {
  return reduceAll(emptyFeed, messages).state;
}

function contents(state: FeedState): readonly string[] {
  return state.items.map((item) => item.content);
}

describe('stored events', () => {
  it('are applied in order', () => {
    const state = after(created(1, 'a'), completed(2, 'a', 'done'), created(3, 'b'));
    expect(state.lastEventId).toBe(3);
    expect(state.items.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'a completed',
      'b streaming',
    ]);
  });

  it('of a provider fallback refetch the session, which has the active provider', () => {
    const fallback = created(1, 'a', { event_type: 'provider_fallback', status: 'completed' });
    expect(reduce(emptyFeed, fallback).effects).toEqual(['detail']);
  });

  it('are applied once', () => {
    const state = after(created(1, 'a'), completed(2, 'a', 'done'));
    for (const message of [created(1, 'a'), completed(2, 'a', 'older')]) {
      expect(reduce(state, message)).toEqual({ state, effects: [] });
    }
  });

  it('after a gap are not applied and request a catchup', () => {
    const state = after(created(1, 'a'));
    const { state: next, effects } = reduce(state, created(3, 'c'));
    expect(effects).toEqual(['catchup']);
    expect(next).toBe(state);
    const complete = reduceAll(next, [created(2, 'b'), created(3, 'c')]);
    expect(complete.state.items.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(complete.effects).toEqual([]);
  });

  it('may start at any number, because old ones are deleted', () => {
    expect(reduce(emptyFeed, created(41, 'a')).state.lastEventId).toBe(41);
  });

  it('of an unknown type advance the last event id', () => {
    const state = after(created(1, 'a'), live({ type: 'moon.phase', db_event_id: 2 }));
    expect(state.lastEventId).toBe(2);
    expect(reduce(state, created(3, 'b')).effects).toEqual([]);
  });

  it('are sorted by sequence number', () => {
    const state = after(
      created(1, 'late', { sequence_number: 9 }),
      created(2, 'early', { sequence_number: 2 }),
    );
    expect(state.items.map(({ id }) => id)).toEqual(['early', 'late']);
  });

  it('keep the arguments of a call when its completion has only the outcome', () => {
    const state = after(
      created(1, 'a', {
        event_type: 'llm_tool_call',
        metadata: { tool_name: 'df', arguments: {} },
      }),
      completed(2, 'a', 'out', { metadata: { is_error: false } }),
    );
    expect(state.items[0]?.metadata).toEqual({ tool_name: 'df', arguments: {}, is_error: false });
  });

  it('that complete an unknown item reload the timeline', () => {
    expect(reduce(emptyFeed, completed(5, 'ghost', 'text')).effects).toEqual(['reload']);
  });

  it('may start at any number after an overflow', () => {
    const state = after(created(1, 'a'));
    const overflow = live({ type: 'catchup.overflow', channel: 'session:s', has_more: true });
    const next = reduce(state, overflow);
    expect(next.effects).toEqual(['reload', 'detail', 'claims', 'alerts']);
    expect(reduce(next.state, created(500, 'z')).state.lastEventId).toBe(500);
  });
});

describe('streamed text', () => {
  it('grows by bytes, not by UTF-16 code units', () => {
    const state = after(
      created(1, 'a'),
      chunk('a', 0, 'naïve '),
      chunk('a', 7, '😀 '),
      chunk('a', 12, '日本'),
    );
    expect(contents(state)).toEqual(['naïve 😀 日本']);
    expect(state.items[0]?.bytes).toBe(18);
  });

  it('ignores a duplicate chunk', () => {
    const state = after(created(1, 'a'), chunk('a', 0, 'über'));
    expect(reduce(state, chunk('a', 0, 'üb'))).toEqual({ state, effects: [] });
  });

  it('skips the overlapping bytes of a chunk', () => {
    const state = after(created(1, 'a'), chunk('a', 0, 'über'), chunk('a', 3, 'er alles'));
    expect(contents(state)).toEqual(['über alles']);
  });

  it('requests a catchup when a chunk is missing, and applies the snapshot', () => {
    const state = after(created(1, 'a'), chunk('a', 0, 'one '));
    const gap = reduce(state, chunk('a', 8, 'three'));
    expect(gap.effects).toEqual(['catchup']);
    expect(contents(gap.state)).toEqual(['one ']);
    const complete = reduceAll(gap.state, [chunk('a', 0, 'one two three'), chunk('a', 13, '!')]);
    expect(contents(complete.state)).toEqual(['one two three!']);
    expect(complete.effects).toEqual([]);
  });

  it('reads the claims and the session when a text was checked', () => {
    const state = after(created(1, 'a'));
    const checked = live({ type: 'claims.checked', db_event_id: 2, timeline_event_id: 'a' });
    expect(reduce(state, checked)).toEqual({
      state: { ...state, lastEventId: 2 },
      effects: ['detail', 'claims'],
    });
  });

  it('requests a catchup when a chunk would split a character', () => {
    const state = after(created(1, 'a'), chunk('a', 0, 'x'));
    expect(reduce(state, chunk('a', 0, '😀')).effects).toEqual(['catchup']);
  });

  it('continues after the snapshot of a late subscriber', () => {
    const known = mergeTimeline(emptyFeed, [stored('a')]);
    const { state, effects } = reduceAll(known, [
      created(1, 'a'),
      chunk('a', 0, 'the text so far'),
      chunk('a', 15, ', and more'),
    ]);
    expect(contents(state)).toEqual(['the text so far, and more']);
    expect(effects).toEqual([]);
  });

  it('may arrive before the creation of its event', () => {
    const early = after(chunk('a', 0, 'fast '), chunk('a', 5, 'text'));
    expect(early.items).toEqual([]);
    const state = reduce(early, created(1, 'a')).state;
    expect(contents(state)).toEqual(['fast text']);
    expect(state.orphans).toEqual({});
  });

  it('is replaced by the final text, after which chunks are ignored', () => {
    const state = after(created(1, 'a'), chunk('a', 0, 'dra'), completed(2, 'a', 'final ü'));
    expect(contents(reduce(state, chunk('a', 3, 'ft')).state)).toEqual(['final ü']);
    expect(state.items[0]?.bytes).toBe(8);
  });
});

describe('the timeline over REST', () => {
  it('does not undo live updates', () => {
    const state = after(created(1, 'a'), chunk('a', 0, 'growing'), created(2, 'b'));
    const merged = mergeTimeline(state, [stored('a')]);
    expect(merged.items.map(({ id, content }) => `${id}:${content}`)).toEqual(['a:growing', 'b:']);
  });

  it('completes items that are still streaming', () => {
    const state = after(created(1, 'a'), chunk('a', 0, 'gro'));
    const merged = mergeTimeline(state, [stored('a', { status: 'completed', content: 'grown' })]);
    expect(merged.items[0]).toMatchObject({ status: 'completed', content: 'grown', bytes: 5 });
  });

  it('does not undo a later completion', () => {
    const state = after(created(1, 'a'), completed(2, 'a', 'short'));
    const merged = mergeTimeline(state, [stored('a', { content: 'a longer draft' })]);
    expect(merged.items[0]).toMatchObject({ status: 'completed', content: 'short' });
  });

  it('is not reopened by a replay', () => {
    const known = mergeTimeline(emptyFeed, [stored('a', { status: 'completed', content: 'all' })]);
    const { state, effects } = reduceAll(known, [created(1, 'a'), completed(2, 'a', 'all')]);
    expect(state.items).toHaveLength(1);
    expect(state.items[0]).toMatchObject({ status: 'completed', content: 'all' });
    expect(effects).toEqual([]);
  });
});

describe('progress', () => {
  const progress = live({
    type: 'execution.progress',
    execution_id: 'x',
    phase: 'tool',
    message: 'Calling df',
  });

  it('is stored by execution until its end', () => {
    const state = reduce(emptyFeed, progress).state;
    expect(state.progress).toEqual({ x: { phase: 'tool', message: 'Calling df' } });
    const ended = live({ type: 'execution.status', execution_id: 'x', status: 'completed' });
    expect(reduce(state, ended).state.progress).toEqual({});
  });

  it('is removed at the end of the session, and the detail is refetched', () => {
    const state = reduce(emptyFeed, progress).state;
    const { state: next, effects } = reduce(
      state,
      live({ type: 'session.status', db_event_id: 1, status: 'completed' }),
    );
    expect(next.progress).toEqual({});
    expect(effects).toEqual(['detail']);
  });
});

it('a frame that is not a message is ignored', () => {
  expect(readMessage('not json')).toBeNull();
  expect(readMessage('[1]')).toBeNull();
});
