/** Reads the loose metadata of timeline items. */
import { z } from '../../api/zod';
import type { TimelineItem } from '../../live/reduce';
import { inlineValue } from '../../lib/format';
import { parseTime } from '../../lib/time';

const known = z.object({
  server_name: z.string().nullish().catch(null),
  tool_name: z.string().nullish().catch(null),
  arguments: z.unknown().optional(),
  is_error: z.boolean().nullish().catch(null),
  duration_ms: z.number().nullish().catch(null),
  interrupted: z.boolean().nullish().catch(null),
  error_message: z.string().nullish().catch(null),
});

export interface ItemMeta {
  readonly server: string | null;
  readonly tool: string | null;
  readonly arguments: unknown;
  readonly isError: boolean;
  readonly interrupted: boolean;
  readonly durationMs: number | null;
  readonly errorMessage: string | null;
}

export function readMeta(item: TimelineItem): ItemMeta {
  const parsed = known.safeParse(item.metadata ?? {});
  const data: Partial<z.infer<typeof known>> = parsed.success ? parsed.data : {};
  return {
    server: data.server_name ?? null,
    tool: data.tool_name ?? null,
    arguments: data.arguments,
    isError: data.is_error === true || item.status === 'failed',
    interrupted: data.interrupted === true,
    durationMs: data.duration_ms ?? measured(item),
    errorMessage: data.error_message ?? null,
  };
}

function measured(item: TimelineItem): number | null {
  if (item.status === 'streaming') return null;
  const start = parseTime(item.created_at);
  const end = parseTime(item.updated_at);
  return start === null || end === null || end <= start ? null : end - start;
}

/** `server.tool`, or whatever half of it is known. */
export function toolTitle(meta: ItemMeta): string {
  const parts = [meta.server, meta.tool].filter((part) => part !== null && part !== '');
  return parts.length > 0 ? parts.join('.') : 'tool call';
}

export function hasArguments(value: unknown): boolean {
  return inlineValue(value) !== '';
}
