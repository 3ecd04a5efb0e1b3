import { firstLine } from '../../../lib/text/format';
import { Disclosure } from '../../../ui/layout/Disclosure';
import { CheckedMarkdown } from '../../../ui/markdown/CheckedMarkdown';
import { useChecks } from '../../../ui/claims/checks';
import { CheckIcon } from '../../../ui/theme/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

/** The analysis of a stage. The final analysis of the session is at the top of the page. */
export function FinalAnalysis({ item }: KindProps) {
  const check = useChecks().ofEvent(item.id);
  return (
    <Item item={item} icon={<CheckIcon />} tone="success" title="Stage analysis">
      <Disclosure summary={firstLine(item.content) || 'No text'}>
        <CheckedMarkdown text={item.content} check={check} />
      </Disclosure>
    </Item>
  );
}
