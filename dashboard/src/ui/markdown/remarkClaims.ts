/**
 * A remark plugin that wraps claims, which are ranges of the Markdown source, into `mark` elements. It runs before
 * plugins that replace nodes, because only parsed nodes have positions.
 */
import { isVerified, type Claim } from '../../lib/session/claims';
import { leafOffsets } from './sourceOffsets';

export interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  children?: MarkdownNode[];
  readonly position?: { readonly start: Point; readonly end: Point };
  data?: { readonly hName: string; hProperties: Record<string, unknown> };
}

interface Point {
  readonly offset?: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A claim of the text, with its index in the list that the page has. */
export interface PlacedClaim extends Claim {
  readonly index: number;
}

/** Wrapped whole: a control inside a link cannot be used, and code stays as it is. */
const wrappedWhole: ReadonlySet<string> = new Set(['link', 'linkReference', 'inlineCode', 'image']);

/** Characters of a quotation that is repeated below its code block. */
const MAX_REPEATED = 80;

export function remarkClaims(claims: readonly PlacedClaim[]) {
  const placed = withoutOverlaps(claims);
  return (root: MarkdownNode, file: { readonly value: unknown }): void => {
    if (placed.length === 0) return;
    const marks = new Map<number, MarkdownNode[]>();
    const marker = new Marker(placed, String(file.value), marks);
    marker.walk(root);
    for (const fragments of marks.values()) {
      const last = fragments.at(-1)?.data;
      if (last) last.hProperties = { ...last.hProperties, dataLast: 'true' };
    }
  };
}

/** Of overlapping claims, those that are not verified win, then the longer ones. */
function withoutOverlaps(claims: readonly PlacedClaim[]): readonly PlacedClaim[] {
  const rank = (claim: PlacedClaim) => (isVerified(claim) ? 0 : 1e9) + claim.end - claim.start;
  const kept: PlacedClaim[] = [];
  for (const claim of claims.toSorted((a, b) => rank(b) - rank(a))) {
    if (claim.end > claim.start && !kept.some((other) => overlaps(other, claim))) kept.push(claim);
  }
  return kept.toSorted((a, b) => a.start - b.start);
}

function overlaps(one: Range, other: Range): boolean {
  return one.start < other.end && other.start < one.end;
}

class Marker {
  readonly #claims: readonly PlacedClaim[];
  readonly #source: string;
  /** The fragments of each claim in the order of the text, by index. */
  readonly #marks: Map<number, MarkdownNode[]>;

  constructor(claims: readonly PlacedClaim[], source: string, marks: Map<number, MarkdownNode[]>) {
    this.#claims = claims;
    this.#source = source;
    this.#marks = marks;
  }

  walk(node: MarkdownNode): void {
    node.children = node.children?.flatMap((child) => this.#replace(child));
  }

  #replace(node: MarkdownNode): readonly MarkdownNode[] {
    const range = rangeOf(node);
    const inside = range === null ? [] : this.#claims.filter((claim) => overlaps(claim, range));
    if (inside.length === 0 || range === null) return [node];
    if (wrappedWhole.has(node.type)) return [this.#wrap(inside[0], [node])];
    if (node.type === 'code') return [node, ...this.#below(inside)];
    if (node.type === 'text') return this.#split(node, range, inside);
    this.walk(node);
    return [node];
  }

  #wrap(claim: PlacedClaim | undefined, children: MarkdownNode[]): MarkdownNode {
    const index = claim?.index ?? -1;
    const mark: MarkdownNode = {
      type: 'claim',
      data: { hName: 'mark', hProperties: { dataClaim: String(index) } },
      children,
    };
    this.#marks.set(index, [...(this.#marks.get(index) ?? []), mark]);
    return mark;
  }

  #split(
    node: MarkdownNode,
    range: Range,
    claims: readonly PlacedClaim[],
  ): readonly MarkdownNode[] {
    const value = node.value ?? '';
    const offsets = leafOffsets(value, this.#source.slice(range.start, range.end));
    if (offsets === null) return [node];
    const parts: MarkdownNode[] = [];
    let end = 0;
    const add = (text: string) => ({ type: 'text', value: text });
    for (const claim of claims) {
      const first = offsets.findIndex((offset) => range.start + offset >= claim.start);
      const beyond = offsets.findIndex((offset) => range.start + offset >= claim.end);
      const from = Math.max(first, end);
      const to = beyond < 0 ? value.length : beyond;
      if (first < 0 || to <= from) continue;
      if (from > end) parts.push(add(value.slice(end, from)));
      parts.push(this.#wrap(claim, [add(value.slice(from, to))]));
      end = to;
    }
    if (end < value.length) parts.push(add(value.slice(end)));
    return parts;
  }

  /** Claims of a code block that are not verified, repeated below it. */
  #below(claims: readonly PlacedClaim[]): readonly MarkdownNode[] {
    const flagged = claims.filter((claim) => !isVerified(claim));
    if (flagged.length === 0) return [];
    const marks = flagged.flatMap((claim) => {
      const [line = ''] = claim.text.trim().split('\n');
      return [
        { type: 'text', value: ' ' },
        this.#wrap(claim, [{ type: 'inlineCode', value: line.slice(0, MAX_REPEATED) }]),
      ];
    });
    return [{ type: 'paragraph', children: [{ type: 'text', value: 'Code above:' }, ...marks] }];
  }
}

function rangeOf({ position }: MarkdownNode): Range | null {
  const { start, end } = position ?? {};
  if (start?.offset === undefined || end?.offset === undefined) return null;
  return { start: start.offset, end: end.offset };
}
