import { showBidiControls } from '../../../lib/text/bidi';
import { SwitchIcon } from '../../../ui/theme/icons';
import { Item } from '../Item';
import { readMeta } from '../itemMeta';
import { Notice } from '../Notice';
import type { KindProps } from '../kinds';

/** The provider failed, and the next one of the fallback list is used. */
export function ProviderFallback({ item }: KindProps) {
  const { from, to, reason } = readMeta(item);
  const known = from !== null && to !== null;
  return (
    <Item
      item={item}
      icon={<SwitchIcon />}
      tone="warning"
      title={known ? showBidiControls(`Provider fallback: ${from} → ${to}`) : 'Provider fallback'}
    >
      <Notice tone="warning">{item.content || reason || 'No error message was recorded.'}</Notice>
    </Item>
  );
}
