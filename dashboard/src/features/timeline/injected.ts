/** Reads what was found of text that is addressed to a model. */
import { list, text } from '../../api/fields';
import { z } from '../../api/zod';
import type { TimelineItem } from '../../live/reduce';
import { readMeta } from './itemMeta';

const metadata = z.object({
  findings: list(z.object({ line: z.number(), kind: text, excerpt: text })),
});

export interface InjectedText {
  /** From 1. */
  readonly line: number;
  /** What it wants of a model, such as `tool_request`. */
  readonly kind: string;
  /** The line, or the part of it around the place. */
  readonly excerpt: string;
}

export function findingsOf(item: TimelineItem): readonly InjectedText[] {
  const parsed = metadata.safeParse(item.metadata ?? {});
  return parsed.success ? parsed.data.findings : [];
}

/** `call 3`, or `the alert`. */
export function sourceOf(item: TimelineItem): string {
  const { callNumber } = readMeta(item);
  return callNumber === null ? 'the alert' : `call ${callNumber}`;
}

/** Where a session found such text, each source once. */
export function injectedSources(items: readonly TimelineItem[]): readonly string[] {
  const found = items.filter(({ event_type }) => event_type === 'injected_instructions');
  return [...new Set(found.map(sourceOf))];
}
