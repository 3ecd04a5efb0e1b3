/** A step of the markdown renderer: headings begin at the first level and skip none on the way down. */

interface MarkdownNode {
  readonly type: string;
  depth?: number;
  readonly children?: readonly MarkdownNode[];
}

function headings(node: MarkdownNode): readonly MarkdownNode[] {
  if (node.type === 'heading') return [node];
  return (node.children ?? []).flatMap(headings);
}

function level(root: MarkdownNode): void {
  const found = headings(root);
  const top = Math.min(...found.map(({ depth = 1 }) => depth));
  let before = 0;
  for (const heading of found) {
    before = Math.min((heading.depth ?? 1) - top + 1, before + 1);
    heading.depth = before;
  }
}

export function remarkHeadings() {
  return level;
}
