import { Markdown } from '../../../ui/Markdown';
import { LinkIcon } from '../../../ui/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

export function UrlContext({ item }: KindProps) {
  return (
    <Item item={item} icon={<LinkIcon />} title="URL context">
      <Markdown text={item.content} />
    </Item>
  );
}
