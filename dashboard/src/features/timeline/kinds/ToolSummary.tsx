import { Markdown } from '../../../ui/Markdown';
import { StreamingText } from '../../../ui/StreamingText';
import { ReportIcon } from '../../../ui/icons';
import { Item } from '../Item';
import { readMeta, toolTitle } from '../itemMeta';
import type { KindProps } from '../kinds';

/** What a long tool result was shortened to before the agent read it. */
export function ToolSummary({ item }: KindProps) {
  const streaming = item.status === 'streaming';
  const meta = readMeta(item);
  const of = meta.tool === null ? 'the tool result' : toolTitle(meta);
  return (
    <Item item={item} icon={<ReportIcon />} title={`Summary of ${of}`}>
      {streaming ? (
        <StreamingText text={item.content} testId="streaming-text" />
      ) : (
        <Markdown text={item.content} />
      )}
    </Item>
  );
}
