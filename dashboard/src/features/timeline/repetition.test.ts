import { expect, it } from 'vitest';
import type { TimelineItem } from '../../live/reduce';
import { timelineEvent } from '../../test/builders';
import { conclusionOf } from './repetition';

const analysis = 'The disk is full.';

function items(...kinds: readonly string[]): readonly TimelineItem[] {
  return kinds.map((event_type, index) => ({
    ...timelineEvent({ id: `${index}`, event_type, content: analysis }),
  })) as unknown as readonly TimelineItem[];
}

const shown = { analysis, summary: null, verdict: null };

it('the last agent that wrote the final analysis concludes', () => {
  expect(conclusionOf(items('llm_response', 'llm_response'), shown)).toBe('1');
});

it('an answer to a question does not conclude, also when it repeats the final analysis', () => {
  const all = items('llm_response', 'user_question', 'llm_response');
  expect(conclusionOf(all, shown)).toBe('0');
  expect(conclusionOf(all.slice(1), shown)).toBeNull();
});
