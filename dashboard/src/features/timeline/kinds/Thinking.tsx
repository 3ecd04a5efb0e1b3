import { Box } from '@mui/material';
import { firstLine } from '../../../lib/text/format';
import { Disclosure } from '../../../ui/layout/Disclosure';
import { CitedText } from '../../../ui/markdown/citations';
import { StreamingText } from '../../../ui/markdown/StreamingText';
import { ThoughtIcon } from '../../../ui/theme/icons';
import { preWrap } from '../../../ui/theme/tokens';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

/** Open while it streams, collapsed to one line afterwards. */
export function Thinking({ item }: KindProps) {
  const streaming = item.status === 'streaming';
  return (
    <Item item={item} icon={<ThoughtIcon />} title={streaming ? 'Reasoning…' : 'Reasoning'} dimmed>
      <Disclosure
        open={streaming}
        summary={
          <Box component="span" sx={{ fontStyle: 'italic', fontSize: '0.8125rem' }}>
            {firstLine(item.content) || 'No text yet'}
          </Box>
        }
      >
        <Box sx={{ pl: 3.25, fontSize: '0.8125rem' }}>
          {streaming ? (
            <StreamingText text={item.content} testId="streaming-text" />
          ) : (
            <Box dir="auto" sx={preWrap}>
              <CitedText text={item.content} />
            </Box>
          )}
        </Box>
      </Disclosure>
    </Item>
  );
}
