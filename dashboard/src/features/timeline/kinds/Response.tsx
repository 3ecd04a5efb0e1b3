import { Markdown } from '../../../ui/Markdown';
import { StreamingText } from '../../../ui/StreamingText';
import { ChatIcon } from '../../../ui/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

export function Response({ item }: KindProps) {
  const streaming = item.status === 'streaming';
  return (
    <Item
      item={item}
      icon={<ChatIcon />}
      tone="info"
      title={streaming ? 'Responding…' : 'Response'}
    >
      {streaming ? (
        <StreamingText text={item.content} testId="streaming-text" />
      ) : (
        <Markdown text={item.content} />
      )}
    </Item>
  );
}
