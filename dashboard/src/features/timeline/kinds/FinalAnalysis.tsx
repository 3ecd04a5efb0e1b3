import { firstLine } from '../../../lib/format';
import { Disclosure } from '../../../ui/Disclosure';
import { Markdown } from '../../../ui/Markdown';
import { CheckIcon } from '../../../ui/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

/** The end of a stage; the session's own conclusion stands in full at the top of the page. */
export function FinalAnalysis({ item }: KindProps) {
  return (
    <Item item={item} icon={<CheckIcon />} tone="success" title="Analysis of this stage">
      <Disclosure summary={firstLine(item.content) || 'No text'}>
        <Markdown text={item.content} />
      </Disclosure>
    </Item>
  );
}
