import { Box } from '@mui/material';
import { PersonIcon } from '../../../ui/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

export function UserQuestion({ item }: KindProps) {
  return (
    <Item item={item} icon={<PersonIcon />} tone="info" title="Question">
      <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{item.content}</Box>
    </Item>
  );
}
