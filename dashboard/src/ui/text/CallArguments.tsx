import { Box, Button } from '@mui/material';
import { useEffect, useMemo, useRef, useState } from 'react';
import { plural, printValue } from '../../lib/text/format';
import { layOutArguments } from '../../lib/text/visible';
import { CopyButton } from './CopyButton';
import { monospaceBlock } from '../theme/tokens';

/** How far from its end, in pixels, a text counts as scrolled to the end: positions are rounded. */
const TOLERANCE = 2;
interface CallArgumentsProps {
  readonly value: unknown;
  /** Called when all of them were on the screen: they fit, were scrolled to their end, or are all shown. */
  readonly onRead: () => void;
  /** The height, in CSS, that longer arguments scroll in. */
  readonly maxHeight: string;
}

/** The arguments of a call that a person decides about, with every character and each statement on a line. */
export function CallArguments({ value, onRead, maxHeight }: CallArgumentsProps) {
  const text = useMemo(() => layOutArguments(value), [value]);
  const [isOpen, setOpen] = useState(false);
  const { block, fits } = useFits(onRead);
  const lines = text.split('\n').length;
  return (
    <Box>
      <Box
        component="pre"
        ref={block}
        role="group"
        aria-label="Arguments"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus
        tabIndex={0}
        data-testid="call-arguments"
        onScroll={(event) => {
          if (isAtEnd(event.currentTarget)) onRead();
        }}
        sx={{
          ...monospaceBlock(true),
          m: 0,
          maxHeight: isOpen ? undefined : maxHeight,
          tabSize: 4,
        }}
      >
        {text}
      </Box>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1, mt: 0.5 }}>
        {!fits && (
          <Button
            size="small"
            aria-expanded={isOpen}
            onClick={() => {
              setOpen(!isOpen);
              onRead();
            }}
          >
            {isOpen ? 'Show less' : `Show all ${plural(lines, 'line')}`}
          </Button>
        )}
        <CopyButton text={printValue(value)} label="Copy: Arguments" />
      </Box>
    </Box>
  );
}

/** Whether the text is on the screen without scrolling; reports so once it is. */
function useFits(onRead: () => void) {
  const block = useRef<HTMLPreElement>(null);
  const [fits, setFits] = useState(false);
  const report = useRef(onRead);
  useEffect(() => {
    report.current = onRead;
  });
  useEffect(() => {
    const element = block.current;
    if (element === null) return;
    const isWhole = element.scrollHeight <= element.clientHeight + TOLERANCE;
    setFits(isWhole);
    if (isWhole) report.current();
  }, []);
  return { block, fits };
}

function isAtEnd(element: HTMLElement): boolean {
  return element.scrollTop + element.clientHeight >= element.scrollHeight - TOLERANCE;
}
