import { limitLabel } from '../../../lib/session/budget';
import { formatExact } from '../../../lib/text/format';
import { GaugeIcon } from '../../../ui/theme/icons';
import { Item } from '../Item';
import { readMeta } from '../itemMeta';
import { Notice } from '../Notice';
import type { KindProps } from '../kinds';

/** The session reached one of its limits, and the agent was asked to conclude. */
export function BudgetReached({ item }: KindProps) {
  const { limit, maximum, used } = readMeta(item);
  const usage =
    maximum === null ? '' : ` (${formatExact(used ?? maximum)} of ${formatExact(maximum)})`;
  return (
    <Item
      item={item}
      icon={<GaugeIcon />}
      tone="warning"
      title={`Budget reached: ${limitLabel(limit)}${usage}`}
    >
      <Notice tone="warning">
        {item.content || 'The agent was asked to conclude with its findings so far.'}
      </Notice>
    </Item>
  );
}
