/** A remark plugin that turns `[call 3]` into a link to the anchor of the call. */
import { callAnchor, splitCitations } from '../../lib/session/citations';

interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  children?: MarkdownNode[];
}

/** Nodes that cannot contain links. */
const withoutLinks: ReadonlySet<string> = new Set(['link', 'linkReference', 'definition']);

function split(node: MarkdownNode): readonly MarkdownNode[] {
  if (node.type !== 'text') {
    walk(node);
    return [node];
  }
  const parts = splitCitations(node.value ?? '');
  if (parts.length === 1 && typeof parts[0] === 'string') return [node];
  return parts.map((part) =>
    typeof part === 'string'
      ? { type: 'text', value: part }
      : {
          type: 'link',
          url: `#${callAnchor(part.number)}`,
          children: [{ type: 'text', value: part.text }],
        },
  );
}

function walk(node: MarkdownNode): void {
  if (node.children === undefined || withoutLinks.has(node.type)) return;
  node.children = node.children.flatMap(split);
}

export function remarkCitations() {
  return walk;
}
