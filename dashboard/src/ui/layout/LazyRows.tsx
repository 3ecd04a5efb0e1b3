import { Box } from '@mui/material';
import { Fragment, useRef, useState, type ReactNode } from 'react';
import { useNearViewport } from './useNearViewport';

const ROWS_PER_BLOCK = 25;

export interface LazyRowsProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly render: (item: T) => ReactNode;
  /** True for an item that must be rendered wherever it is, such as the target of a link. */
  readonly isTarget?: (item: T) => boolean;
  /** Estimated height of a row, used for the placeholder. */
  readonly rowHeightPx: number;
  /** False while more rows are read, which then are old rows: they are not rendered at once. */
  readonly complete?: boolean;
  /** Label of the placeholder: `Steps 26 to 50`. */
  readonly noun: string;
}

/**
 * The rows of a long list, for use inside `ol` or `ul`. A block of rows is rendered once its placeholder
 * comes near the viewport, and stays rendered.
 */
export function LazyRows<T>({ items, complete = true, ...rest }: LazyRowsProps<T>) {
  const count = Math.ceil(items.length / ROWS_PER_BLOCK);
  const [initial, setInitial] = useState({ count, complete });
  const current = initial.complete ? initial : { count, complete };
  if (current.count !== initial.count || current.complete !== initial.complete) setInitial(current);
  return Array.from({ length: count }, (_, index) => (
    <Block
      key={index * ROWS_PER_BLOCK}
      {...rest}
      first={index * ROWS_PER_BLOCK}
      items={items.slice(index * ROWS_PER_BLOCK, (index + 1) * ROWS_PER_BLOCK)}
      rendered={index >= current.count}
    />
  ));
}

interface BlockProps<T> extends Omit<LazyRowsProps<T>, 'complete'> {
  readonly first: number;
  /** True for blocks added after the first render: live rows are rendered at once. */
  readonly rendered: boolean;
}

function Block<T>(props: BlockProps<T>) {
  const { items, keyOf, render, isTarget, rowHeightPx, noun, first, rendered } = props;
  const placeholder = useRef<HTMLLIElement>(null);
  const near = useNearViewport(placeholder, rendered);
  const [targeted, setTargeted] = useState(false);
  if (!near && !targeted && isTarget !== undefined && items.some(isTarget)) setTargeted(true);
  if (near || targeted) {
    return items.map((item) => <Fragment key={keyOf(item)}>{render(item)}</Fragment>);
  }
  return (
    <Box
      component="li"
      ref={placeholder}
      data-testid="unrendered-rows"
      sx={{ height: items.length * rowHeightPx, color: 'text.secondary', fontSize: '0.75rem' }}
    >
      {noun} {first + 1} to {first + items.length}
    </Box>
  );
}
