import { AlertIcon } from '../../../ui/theme/icons';
import { Item } from '../Item';
import { Notice } from '../Notice';
import type { KindProps } from '../kinds';

export function ErrorEvent({ item }: KindProps) {
  return (
    <Item item={item} icon={<AlertIcon />} tone="error" title="Error">
      <Notice tone="error">{item.content || 'No error message was recorded.'}</Notice>
    </Item>
  );
}
