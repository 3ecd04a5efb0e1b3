import { Box } from '@mui/material';
import { memo, useContext, useMemo, useRef, useState } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { useNearby } from '../../ui/useNearby';
import { hasCall, useTarget } from './calls';
import { withSummaries, type Entry } from './groups';
import { LongContext } from './long';
import { drawItem } from './registry';

/** Longer lists leave the drawing of what is out of sight to the browser. */
const LONG = 60;
const restful = {
  '& > li': { contentVisibility: 'auto', containIntrinsicSize: 'auto 120px' },
} as const;

/** In a long timeline so many steps are put on the page at once. */
const BLOCK = 25;
/** About as high is a step. */
const STEP_PX = 120;

interface ItemListProps {
  readonly items: readonly TimelineItem[];
  readonly label: string;
}

export function ItemList({ items, label }: ItemListProps) {
  const long = useContext(LongContext);
  const entries = useMemo(() => withSummaries(items), [items]);
  return (
    <Box
      component="ol"
      aria-label={label}
      sx={[{ listStyle: 'none', m: 0, p: 0 }, entries.length > LONG && restful]}
    >
      {long ? (
        <Blocks entries={entries} />
      ) : (
        entries.map((entry) => <Row key={entry.item.id} {...entry} />)
      )}
    </Box>
  );
}

/** Only the item that changed is drawn again. */
const Row = memo(function Row({ item, summary }: Entry) {
  return drawItem(item, summary);
});

function Blocks({ entries }: { readonly entries: readonly Entry[] }) {
  const count = Math.ceil(entries.length / BLOCK);
  const [before] = useState(count);
  return Array.from({ length: count }, (_, index) => (
    <Block
      key={index * BLOCK}
      first={index * BLOCK}
      entries={entries.slice(index * BLOCK, (index + 1) * BLOCK)}
      fresh={index >= before}
    />
  ));
}

interface BlockProps {
  readonly first: number;
  readonly entries: readonly Entry[];
  /** Whether it came while the reader was here; such steps are shown at once. */
  readonly fresh: boolean;
}

/** Some steps in a row; only their place is kept until the reader comes near, or wants one of them. */
function Block({ first, entries, fresh }: BlockProps) {
  const place = useRef<HTMLLIElement>(null);
  const near = useNearby(place, fresh);
  const [reached, setReached] = useState(false);
  const target = useTarget();
  const wanted =
    target !== null && !near && entries.some(({ item }) => hasCall(item, target.number));
  if (wanted && !reached) setReached(true);
  if (near || reached) return entries.map((entry) => <Row key={entry.item.id} {...entry} />);
  return (
    <Box
      component="li"
      ref={place}
      data-testid="steps-away"
      sx={{ height: entries.length * STEP_PX, color: 'text.secondary', fontSize: '0.75rem' }}
    >
      Steps {first + 1} to {first + entries.length}
    </Box>
  );
}
