/** What a timeline knows of calls that wait for a person, and of text that is addressed to the model. */
import type { TimelineItem } from '../../live/reduce';
import { parseTime } from '../../lib/time';
import { findingsOf, sourceOf } from './injected';
import { readMeta, toolTitle } from './itemMeta';

/** The calls that wait, in the order of the timeline. */
export function pendingCalls(items: readonly TimelineItem[]) {
  return items.flatMap((item) => {
    if (item.event_type !== 'tool_approval' || item.status !== 'streaming') return [];
    const meta = readMeta(item);
    const asked = parseTime(item.created_at);
    const expires =
      asked === null || meta.timeoutSeconds === null
        ? null
        : new Date(asked + meta.timeoutSeconds * 1000).toISOString();
    return meta.approvalId === null
      ? []
      : [
          {
            session: item.session_id,
            id: meta.approvalId,
            tool: toolTitle(meta),
            arguments: meta.arguments,
            reason: meta.reason,
            expiresAt: expires,
          },
        ];
  });
}

/** The lines that address a model, in the order of the timeline. */
export function injectedLines(items: readonly TimelineItem[]) {
  return items
    .filter(({ event_type: type }) => type === 'injected_instructions')
    .flatMap((item) =>
      findingsOf(item).map(({ excerpt }) => ({
        source: sourceOf(item),
        text: excerpt,
        step: item.id,
      })),
    );
}
