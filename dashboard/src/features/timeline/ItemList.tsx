import { Box } from '@mui/material';
import { memo, useContext, useMemo } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { LazyRows } from '../../ui/layout/LazyRows';
import { plainList } from '../../ui/theme/tokens';
import { isCall, useCallTarget, useLinkedStep } from './calls';
import { attachSummaries, type ItemWithSummary } from './groups';
import { LazyContext } from './lazyTimeline';
import { renderItem } from './registry';

/** In longer lists the browser skips the layout of items outside the viewport. */
const MAX_FULL_LAYOUT = 60;
const skipOffscreenLayout = {
  '& > li': { contentVisibility: 'auto', containIntrinsicSize: 'auto 120px' },
} as const;

interface ItemListProps {
  readonly items: readonly TimelineItem[];
  readonly label: string;
}

export function ItemList({ items, label }: ItemListProps) {
  const lazy = useContext(LazyContext);
  const target = useCallTarget();
  const step = useLinkedStep();
  const entries = useMemo(() => attachSummaries(items), [items]);
  return (
    <Box
      component="ol"
      aria-label={label}
      sx={[plainList, entries.length > MAX_FULL_LAYOUT && skipOffscreenLayout]}
    >
      {lazy !== 'off' ? (
        <LazyRows
          items={entries}
          keyOf={({ item }) => item.id}
          render={(entry) => <Row {...entry} />}
          isTarget={({ item }) =>
            item.id === step || (target !== null && isCall(item, target.number))
          }
          rowHeightPx={120}
          complete={lazy === 'complete'}
          noun="Steps"
        />
      ) : (
        entries.map((entry) => <Row key={entry.item.id} {...entry} />)
      )}
    </Box>
  );
}

/** Memoized: a live update changes one item. */
const Row = memo(function Row({ item, summary }: ItemWithSummary) {
  return renderItem(item, summary);
});
