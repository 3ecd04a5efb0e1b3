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

/** `before` has the levels of the headings that stand before this text in its document. */
export function remarkHeadings(before: readonly number[] = []) {
  return (root: MarkdownNode): void => {
    const all = headings(root);
    const levels = [...before, ...all.map(({ depth = 1 }) => depth)];
    const top = Math.min(...levels);
    let previous = 0;
    for (const [index, level] of levels.entries()) {
      previous = Math.min(level - top + 1, previous + 1);
      const heading = all[index - before.length];
      if (heading) heading.depth = previous;
    }
  };
}
