import { Box } from '@mui/material';
import { showBidiControls } from '../../../lib/bidi';
import { humanize } from '../../../lib/format';
import { StatusChip } from '../../../ui/StatusChip';
import { QueueIcon } from '../../../ui/icons';
import { preWrap } from '../../../ui/tokens';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

/** An event type of a newer TARSy version, shown as plain text under its own name. */
export function Unknown({ item }: KindProps) {
  return (
    <Item
      item={item}
      icon={<QueueIcon />}
      title={humanize(item.event_type)}
      extra={<StatusChip status={item.status} />}
    >
      <Box dir="auto" sx={preWrap}>
        {showBidiControls(item.content)}
      </Box>
    </Item>
  );
}
