import { Box } from '@mui/material';
import { PersonIcon } from '../../../ui/icons';
import { preWrap } from '../../../ui/tokens';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

export function UserQuestion({ item }: KindProps) {
  return (
    <Item item={item} icon={<PersonIcon />} tone="info" title="Question">
      <Box sx={preWrap}>{item.content}</Box>
    </Item>
  );
}
