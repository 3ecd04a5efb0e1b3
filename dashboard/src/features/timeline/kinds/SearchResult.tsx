import { Markdown } from '../../../ui/markdown/Markdown';
import { SearchIcon } from '../../../ui/theme/icons';
import { GroundingDetails } from '../GroundingDetails';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

export function SearchResult({ item }: KindProps) {
  return (
    <Item item={item} icon={<SearchIcon />} title="Web search">
      <Markdown text={item.content} />
      <GroundingDetails item={item} />
    </Item>
  );
}
