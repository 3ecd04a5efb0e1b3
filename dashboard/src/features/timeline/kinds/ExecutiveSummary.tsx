import { Markdown } from '../../../ui/Markdown';
import { ReportIcon } from '../../../ui/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

export function ExecutiveSummary({ item }: KindProps) {
  return (
    <Item item={item} icon={<ReportIcon />} tone="success" title="Executive summary">
      <Markdown text={item.content} />
    </Item>
  );
}
