import { SwitchIcon } from '../../../ui/icons';
import { Item } from '../Item';
import { readMeta } from '../itemMeta';
import { Notice } from '../Notice';
import type { KindProps } from '../kinds';

/** The model's provider could not be used, and the next of its list took over. */
export function ProviderFallback({ item }: KindProps) {
  const { from, to, reason } = readMeta(item);
  const known = from !== null && to !== null;
  return (
    <Item
      item={item}
      icon={<SwitchIcon />}
      tone="warning"
      title={known ? `Provider switched: ${from} → ${to}` : 'Provider switched'}
    >
      <Notice tone="warning">{item.content || reason || 'No reason was recorded.'}</Notice>
    </Item>
  );
}
