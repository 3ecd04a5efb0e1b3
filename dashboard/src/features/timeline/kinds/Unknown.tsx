import { Box } from '@mui/material';
import { humanize } from '../../../lib/format';
import { StatusChip } from '../../../ui/StatusChip';
import { QueueIcon } from '../../../ui/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

/** A kind that a newer TARSy writes: named and shown as it is. */
export function Unknown({ item }: KindProps) {
  return (
    <Item
      item={item}
      icon={<QueueIcon />}
      title={humanize(item.event_type)}
      extra={<StatusChip status={item.status} />}
    >
      <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{item.content}</Box>
    </Item>
  );
}
