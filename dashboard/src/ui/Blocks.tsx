import { Box } from '@mui/material';
import { Fragment, useRef, useState, type ReactNode } from 'react';
import { useNearby } from './useNearby';

/** So many rows are put on the page at once. */
const BLOCK = 25;

export interface BlocksProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly draw: (item: T) => ReactNode;
  /** An item that the reader asked for is on the page, however far away it is. */
  readonly wanted?: (item: T) => boolean;
  /** About as high is one of them. */
  readonly rowPx: number;
  /** What they are called: `Steps 26 to 50`. */
  readonly noun: string;
}

/**
 * The rows of a long list, as items of the list around them: a block of them is put on the page when
 * the reader comes near; until then only its place is kept.
 */
export function Blocks<T>({ items, ...rest }: BlocksProps<T>) {
  const count = Math.ceil(items.length / BLOCK);
  const [before] = useState(count);
  return Array.from({ length: count }, (_, index) => (
    <Block
      key={index * BLOCK}
      {...rest}
      first={index * BLOCK}
      items={items.slice(index * BLOCK, (index + 1) * BLOCK)}
      fresh={index >= before}
    />
  ));
}

interface BlockProps<T> extends BlocksProps<T> {
  readonly first: number;
  /** Whether it came while the reader was here; such rows are shown at once. */
  readonly fresh: boolean;
}

function Block<T>(props: BlockProps<T>) {
  const { items, keyOf, draw, wanted, rowPx, noun, first, fresh } = props;
  const place = useRef<HTMLLIElement>(null);
  const near = useNearby(place, fresh);
  const [reached, setReached] = useState(false);
  if (!near && !reached && wanted !== undefined && items.some(wanted)) setReached(true);
  if (near || reached) {
    return items.map((item) => <Fragment key={keyOf(item)}>{draw(item)}</Fragment>);
  }
  return (
    <Box
      component="li"
      ref={place}
      data-testid="rows-away"
      sx={{ height: items.length * rowPx, color: 'text.secondary', fontSize: '0.75rem' }}
    >
      {noun} {first + 1} to {first + items.length}
    </Box>
  );
}
