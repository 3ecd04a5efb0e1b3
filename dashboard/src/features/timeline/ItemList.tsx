import { Box } from '@mui/material';
import { memo, useContext, useMemo } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { Blocks } from '../../ui/Blocks';
import { hasCall, useTarget } from './calls';
import { withSummaries, type Entry } from './groups';
import { LongContext } from './long';
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
  const long = useContext(LongContext);
  const target = useTarget();
  const entries = useMemo(() => withSummaries(items), [items]);
  const wanted = ({ item }: Entry) => target !== null && hasCall(item, target.number);
  return (
    <Box
      component="ol"
      aria-label={label}
      sx={[{ listStyle: 'none', m: 0, p: 0 }, entries.length > LONG && restful]}
    >
      {long ? (
        <Blocks
          items={entries}
          keyOf={({ item }) => item.id}
          draw={drawRow}
          wanted={wanted}
          rowPx={120}
          noun="Steps"
        />
      ) : (
        entries.map((entry) => <Row key={entry.item.id} {...entry} />)
      )}
    </Box>
  );
}

function drawRow(entry: Entry) {
  return <Row {...entry} />;
}

/** Only the item that changed is drawn again. */
const Row = memo(function Row({ item, summary }: Entry) {
  return drawItem(item, summary);
});
