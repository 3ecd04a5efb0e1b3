/** Reads what a provider's own search or page reading supports. A missing or malformed field is empty. */
import { z } from '../../api/zod';
import type { TimelineItem } from '../../live/reduce';

const numbers = z.catch(z.array(z.number()), []);

const metadata = z.object({
  sources: z.catch(z.nullish(z.array(z.object({ uri: z.string(), title: z.string() }))), null),
  supports: z.catch(
    z.nullish(z.array(z.object({ text: z.string(), sources: numbers, confidence: numbers }))),
    null,
  ),
  search_entry_point: z.catch(z.nullish(z.string()), null),
});

export interface Support {
  readonly text: string;
  readonly sources: readonly SupportingSource[];
}

export interface SupportingSource {
  /** Number of the source in its list, from 1. */
  readonly number: number;
  readonly uri: string | null;
  /** From 0 to 1; null when the provider gave none. */
  readonly confidence: number | null;
}

export interface Suggestion {
  readonly text: string;
  readonly href: string;
}

export interface Grounding {
  readonly supports: readonly Support[];
  /** Further searches that the provider asks to show. */
  readonly suggestions: readonly Suggestion[];
}

export function readGrounding(item: TimelineItem): Grounding {
  const parsed = metadata.safeParse(item.metadata ?? {});
  const data: Partial<z.infer<typeof metadata>> = parsed.success ? parsed.data : {};
  const sources = data.sources ?? [];
  const supports = (data.supports ?? []).map(({ text, sources: indices, confidence }) => ({
    text,
    sources: indices.map((index, at) => ({
      number: index + 1,
      uri: httpAddress(sources[index]?.uri),
      confidence: confidence[at] ?? null,
    })),
  }));
  return { supports, suggestions: suggestions(data.search_entry_point ?? '') };
}

/** The links of the provider's HTML. The HTML itself is never rendered. */
function suggestions(html: string): readonly Suggestion[] {
  if (html === '') return [];
  const links = new DOMParser().parseFromString(html, 'text/html').querySelectorAll('a[href]');
  return [...links].flatMap((link) => {
    const href = httpAddress(link.getAttribute('href') ?? undefined);
    const text = link.textContent.trim();
    return href === null || text === '' ? [] : [{ text, href }];
  });
}

function httpAddress(text: string | undefined): string | null {
  return text !== undefined && /^https?:\/\//i.test(text) ? text : null;
}
