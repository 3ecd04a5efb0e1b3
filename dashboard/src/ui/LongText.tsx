import { Box, Button, FormControlLabel, Switch, TextField, Typography } from '@mui/material';
import { memo, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { formatBytes, formatExact, plural, prettyJson } from '../lib/format';
import { breakLines, findLines } from '../lib/lines';
import { byteLength } from '../lib/utf8';

/** So many lines are one block; the browser draws only the blocks in sight. */
const BLOCK = 200;
const MOST_FOUND = 10_000;

interface LongTextProps {
  readonly text: string;
  readonly label: string;
}

/** Text of any length to read and to search: megabytes scroll as a page does. */
export function LongText({ text, label }: LongTextProps) {
  const indented = useMemo(() => prettyJson(text), [text]);
  const [indent, setIndent] = useState(true);
  const shown = indent ? indented : text;
  const broken = useMemo(() => breakLines(shown), [shown]);
  const { lines, count, unfinished } = broken;
  const [wrap, setWrap] = useState(false);
  const size = useMemo(() => byteLength(text), [text]);
  const [typed, setTyped] = useState('');
  const wanted = useDeferredValue(typed.trim().toLowerCase());
  const found = useMemo(() => findLines(broken, wanted, MOST_FOUND), [broken, wanted]);
  const [at, setAt] = useState({ wanted, index: 0 });
  const index = at.wanted === wanted ? at.index : 0;
  const current = found[index] ?? null;
  const go = (step: number) =>
    setAt({ wanted, index: (index + step + found.length) % Math.max(1, found.length) });
  return (
    <>
      <Box
        sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5, py: 1 }}
        role="search"
      >
        <TextField
          size="small"
          label="Find in the text"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
          }}
          slotProps={{ htmlInput: { 'data-testid': 'find-text' } }}
        />
        <Button size="small" disabled={found.length === 0} onClick={() => go(-1)}>
          Previous
        </Button>
        <Button size="small" disabled={found.length === 0} onClick={() => go(1)}>
          Next
        </Button>
        <Typography role="status" data-testid="found" sx={{ fontSize: '0.8125rem' }}>
          {wanted === '' ? '' : told(found.length, index)}
        </Typography>
        {indented !== text && (
          <FormControlLabel
            control={<Switch checked={indent} onChange={(_, on) => setIndent(on)} size="small" />}
            label="Indent JSON"
          />
        )}
        <FormControlLabel
          sx={{ ml: 'auto' }}
          control={<Switch checked={wrap} onChange={(_, on) => setWrap(on)} size="small" />}
          label="Wrap lines"
        />
        <Typography sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
          {plural(count, 'line')}, {formatBytes(size)}
          {unfinished.size > 0 && '; long lines are broken'}
        </Typography>
      </Box>
      <Body lines={lines} label={label} wrap={wrap} current={current} />
    </>
  );
}

function told(total: number, index: number): string {
  if (total === 0) return 'Not found';
  const more = total >= MOST_FOUND ? ' or more' : '';
  return `Match ${formatExact(index + 1)} of ${formatExact(total)}${more}`;
}

interface BodyProps {
  readonly lines: readonly string[];
  readonly label: string;
  readonly wrap: boolean;
  readonly current: number | null;
}

function Body({ lines, label, wrap, current }: BodyProps) {
  const blocks = useMemo(
    () =>
      Array.from({ length: Math.ceil(lines.length / BLOCK) }, (_, index) =>
        lines.slice(index * BLOCK, (index + 1) * BLOCK),
      ),
    [lines],
  );
  return (
    <Box
      role="region"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus
      tabIndex={0}
      data-testid="long-text"
      sx={{
        flexGrow: 1,
        minHeight: 200,
        height: '60vh',
        overflow: 'auto',
        bgcolor: 'var(--tarsy-code-bg)',
        border: 1,
        borderColor: 'divider',
        borderRadius: 1,
        p: 1.25,
        fontFamily: 'var(--tarsy-mono)',
        fontSize: '0.78rem',
        lineHeight: 1.55,
        whiteSpace: wrap ? 'pre-wrap' : 'pre',
        overflowWrap: wrap ? 'anywhere' : undefined,
      }}
    >
      {blocks.map((block, index) => {
        const place = current === null ? -1 : current - index * BLOCK;
        const inside = place >= 0 && place < block.length;
        return <Block key={index * BLOCK} lines={block} marked={inside ? place : null} />;
      })}
    </Box>
  );
}

interface BlockProps {
  readonly lines: readonly string[];
  readonly marked: number | null;
}

const Block = memo(function Block({ lines, marked }: BlockProps) {
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    if (marked !== null) mark.current?.scrollIntoView({ block: 'center' });
  }, [marked]);
  return (
    <div
      style={{
        contentVisibility: 'auto',
        containIntrinsicSize: `auto ${Math.round(lines.length * 19.4)}px`,
      }}
    >
      {marked === null ? (
        lines.join('\n')
      ) : (
        <>
          {lines
            .slice(0, marked)
            .map((line) => `${line}\n`)
            .join('')}
          <mark ref={mark} data-testid="found-line">
            {lines[marked]}
          </mark>
          {lines
            .slice(marked + 1)
            .map((line) => `\n${line}`)
            .join('')}
        </>
      )}
    </div>
  );
});
