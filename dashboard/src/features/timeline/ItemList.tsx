import { Box } from '@mui/material';
import { memo } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { withSummaries, type Entry } from './groups';
import { drawItem } from './registry';

/** Longer lists leave the drawing of what is out of sight to the browser. */
const LONG = 60;
const restful = {
  '& > li': { contentVisibility: 'auto', containIntrinsicSize: 'auto 120px' },
} as const;

interface ItemListProps {
  readonly items: readonly TimelineItem[];
  readonly label: string;
}

export function ItemList({ items, label }: ItemListProps) {
  return (
    <Box
      component="ol"
      aria-label={label}
      sx={[{ listStyle: 'none', m: 0, p: 0 }, items.length > LONG && restful]}
    >
      {withSummaries(items).map(({ item, summary }) => (
        <Row key={item.id} item={item} summary={summary} />
      ))}
    </Box>
  );
}

/** Only the item that changed is drawn again. */
const Row = memo(function Row({ item, summary }: Entry) {
  return drawItem(item, summary);
});
