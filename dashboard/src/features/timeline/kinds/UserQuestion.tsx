import { Box } from '@mui/material';
import { showBidiControls } from '../../../lib/text/bidi';
import { PersonIcon } from '../../../ui/theme/icons';
import { preWrap } from '../../../ui/theme/tokens';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

export function UserQuestion({ item }: KindProps) {
  return (
    <Item item={item} icon={<PersonIcon />} tone="info" title="Question">
      <Box dir="auto" sx={preWrap}>
        {showBidiControls(item.content)}
      </Box>
    </Item>
  );
}
