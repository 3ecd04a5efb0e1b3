import { ReportIcon } from '../../../ui/theme/icons';
import { Item } from '../Item';
import { readMeta, toolTitle } from '../itemMeta';
import type { KindProps } from '../kinds';
import { SummaryCard } from '../SummaryCard';

/** A summary whose call is not on the page. Other summaries are part of the card of their call. */
export function ToolSummary({ item }: KindProps) {
  const meta = readMeta(item);
  const subject = meta.tool === null ? 'the tool result' : toolTitle(meta);
  return (
    <Item item={item} icon={<ReportIcon />} title={`Summary of ${subject}`}>
      <SummaryCard item={item} />
    </Item>
  );
}
