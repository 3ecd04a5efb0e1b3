import { CodeBlock } from '../../../ui/CodeBlock';
import { CodeIcon } from '../../../ui/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

export function CodeExecution({ item }: KindProps) {
  return (
    <Item item={item} icon={<CodeIcon />} title="Code run by the model">
      <CodeBlock text={item.content} label="Code and its output" />
    </Item>
  );
}
