import { ToolIcon } from '../../../ui/theme/icons';
import { Item } from '../Item';
import { readMeta, toolTitle } from '../itemMeta';
import type { KindProps } from '../kinds';
import { Notice } from '../Notice';

/** What became of a call that was to change something. */
export function ActionOutcome({ item }: KindProps) {
  const meta = readMeta(item);
  const tone = meta.outcome === 'worked' ? 'success' : 'warning';
  return (
    <Item item={item} icon={<ToolIcon />} tone={tone} title={`Checked: ${toolTitle(meta)}`}>
      <Notice tone={tone}>{item.content}</Notice>
    </Item>
  );
}
