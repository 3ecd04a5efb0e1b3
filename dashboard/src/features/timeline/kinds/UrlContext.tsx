import { Markdown } from '../../../ui/markdown/Markdown';
import { LinkIcon } from '../../../ui/theme/icons';
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
