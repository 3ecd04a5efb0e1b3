import { Box } from '@mui/material';
import { showBidiControls } from '../../../lib/text/bidi';
import { humanize } from '../../../lib/text/format';
import { StatusChip } from '../../../ui/badges/StatusChip';
import { QueueIcon } from '../../../ui/theme/icons';
import { preWrap } from '../../../ui/theme/tokens';
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
