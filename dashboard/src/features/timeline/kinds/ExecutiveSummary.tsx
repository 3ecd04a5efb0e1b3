import { CheckedMarkdown } from '../../../ui/markdown/CheckedMarkdown';
import { useChecks } from '../../../ui/claims/checks';
import { ReportIcon } from '../../../ui/theme/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

export function ExecutiveSummary({ item }: KindProps) {
  const check = useChecks().ofEvent(item.id);
  return (
    <Item item={item} icon={<ReportIcon />} tone="success" title="Executive summary">
      <CheckedMarkdown text={item.content} check={check} />
    </Item>
  );
}
