import { budgetWords } from '../../../lib/budget';
import { formatExact } from '../../../lib/format';
import { GaugeIcon } from '../../../ui/icons';
import { Item } from '../Item';
import { readMeta } from '../itemMeta';
import { Notice } from '../Notice';
import type { KindProps } from '../kinds';

/** The session used up one of its limits; the agent concludes with what it has. */
export function BudgetReached({ item }: KindProps) {
  const { limit, maximum, used } = readMeta(item);
  const numbers =
    maximum === null ? '' : ` (${formatExact(used ?? maximum)} of ${formatExact(maximum)})`;
  return (
    <Item
      item={item}
      icon={<GaugeIcon />}
      tone="warning"
      title={`Budget reached: ${budgetWords(limit)}${numbers}`}
    >
      <Notice tone="warning">
        {item.content || 'The agent was asked to conclude with what it had found.'}
      </Notice>
    </Item>
  );
}
