/** A remark plugin that makes headings start at level 1 and skip no level. */

interface MarkdownNode {
  readonly type: string;
  depth?: number;
  readonly children?: readonly MarkdownNode[];
}

function headings(node: MarkdownNode): readonly MarkdownNode[] {
  if (node.type === 'heading') return [node];
  return (node.children ?? []).flatMap(headings);
}

function normalizeLevels(root: MarkdownNode): void {
  const all = headings(root);
  const top = Math.min(...all.map(({ depth = 1 }) => depth));
  let previous = 0;
  for (const heading of all) {
    previous = Math.min((heading.depth ?? 1) - top + 1, previous + 1);
    heading.depth = previous;
  }
}

export function remarkHeadings() {
  return normalizeLevels;
}
