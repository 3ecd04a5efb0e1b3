import { Markdown } from '../../../ui/Markdown';
import { LinkIcon } from '../../../ui/icons';
import { GroundingDetails } from '../GroundingDetails';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

export function UrlContext({ item }: KindProps) {
  return (
    <Item item={item} icon={<LinkIcon />} title="URL context">
      <Markdown text={item.content} />
      <GroundingDetails item={item} />
    </Item>
  );
}
