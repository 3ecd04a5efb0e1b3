/** What a timeline knows of calls that wait for a person, and of text that is addressed to the model. */
import { createContext } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { parseTime } from '../../lib/time/time';
import { findingsOf, sourceOf } from './injected';
import { readMeta, toolTitle, type ItemMeta } from './itemMeta';

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
            action: meta.action,
            dryRun: meta.dryRun,
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

/** The calls that wait for approval, as `callKey` has them. */
export const WaitingCalls = createContext<ReadonlySet<string>>(new Set());

/** A call and its request are two steps that have the tool and its arguments in common. */
export function callKey(meta: ItemMeta): string {
  return `${toolTitle(meta)} ${JSON.stringify(meta.arguments)}`;
}

/** Of the calls that wait; the same set as long as none does. */
export function waitingKeys(items: readonly TimelineItem[]): ReadonlySet<string> {
  const waiting = items.filter(
    ({ event_type: type, status }) => type === 'tool_approval' && status === 'streaming',
  );
  return waiting.length === 0 ? none : new Set(waiting.map((item) => callKey(readMeta(item))));
}

const none: ReadonlySet<string> = new Set();
