import { Box } from '@mui/material';
import { toneColors } from '../../../ui/tones';
import { AlertIcon } from '../../../ui/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

export function ErrorEvent({ item }: KindProps) {
  return (
    <Item item={item} icon={<AlertIcon />} tone="error" title="Error">
      <Box
        role="note"
        sx={{
          ...toneColors('error'),
          borderRadius: 1,
          px: 1.25,
          py: 0.75,
          whiteSpace: 'pre-wrap',
          overflowWrap: 'anywhere',
          fontSize: '0.8125rem',
        }}
      >
        {item.content || 'Something failed without saying why.'}
      </Box>
    </Item>
  );
}
