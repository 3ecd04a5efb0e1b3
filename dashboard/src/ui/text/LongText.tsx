import { Box, Button, FormControlLabel, Switch, TextField, Typography } from '@mui/material';
import { memo, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { showBidiControls } from '../../lib/text/bidi';
import { formatBytes, formatExact, plural, prettyJson } from '../../lib/text/format';
import { findLines, splitLines, type Lines } from '../../lib/text/lines';
import { byteLength } from '../../lib/text/utf8';
import { monospaceBlock } from '../theme/tokens';

/** Lines per block; the browser skips the layout of blocks outside the viewport. */
const LINES_PER_BLOCK = 200;
const MAX_MATCHES = 10_000;

interface LongTextProps {
  readonly text: string;
  readonly label: string;
}

/** A viewer with search for texts of up to several megabytes. */
export function LongText({ text, label }: LongTextProps) {
  const [indent, setIndent] = useState(true);
  const [wrap, setWrap] = useState(false);
  const indented = useMemo(() => prettyJson(text), [text]);
  const shown = showBidiControls(indent ? indented : text);
  const lines = useMemo(() => splitLines(shown), [shown]);
  const search = useTextSearch(lines);
  return (
    <>
      <Box
        sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5, py: 1 }}
        role="search"
      >
        <SearchControls search={search} />
        {indented !== text && <Toggle label="Indent JSON" on={indent} onChange={setIndent} />}
        <Toggle label="Wrap lines" on={wrap} onChange={setWrap} />
        <TextSize text={text} lines={lines} />
      </Box>
      <Body lines={lines.lines} label={label} wrap={wrap} current={search.line} />
    </>
  );
}

interface TextSearch {
  readonly input: string;
  readonly setInput: (input: string) => void;
  /** Lower-case query of the matches; lags behind the input. */
  readonly query: string;
  readonly total: number;
  /** Position of the current match among all matches. */
  readonly index: number;
  /** Line of the current match. */
  readonly line: number | null;
  readonly move: (step: number) => void;
}

function useTextSearch(lines: Lines): TextSearch {
  const [input, setInput] = useState('');
  const query = useDeferredValue(input.trim().toLowerCase());
  const matches = useMemo(() => findLines(lines, query, MAX_MATCHES), [lines, query]);
  const [position, setPosition] = useState({ query, index: 0 });
  const index = position.query === query ? position.index : 0;
  const total = matches.length;
  const move = (step: number) =>
    setPosition({ query, index: (index + step + total) % Math.max(1, total) });
  return { input, setInput, query, total, index, line: matches[index] ?? null, move };
}

function SearchControls({ search }: { readonly search: TextSearch }) {
  const { input, setInput, query, total, index, move } = search;
  return (
    <>
      <TextField
        size="small"
        label="Search in text"
        value={input}
        onChange={(event) => setInput(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') move(event.shiftKey ? -1 : 1);
        }}
        slotProps={{ htmlInput: { 'data-testid': 'text-search' } }}
      />
      <Button size="small" disabled={total === 0} onClick={() => move(-1)}>
        Previous
      </Button>
      <Button size="small" disabled={total === 0} onClick={() => move(1)}>
        Next
      </Button>
      <Typography role="status" data-testid="match-count" sx={{ fontSize: '0.8125rem' }}>
        {query === '' ? '' : describeMatch(total, index)}
      </Typography>
    </>
  );
}

function describeMatch(total: number, index: number): string {
  if (total === 0) return 'No matches';
  const more = total >= MAX_MATCHES ? ' or more' : '';
  return `Match ${formatExact(index + 1)} of ${formatExact(total)}${more}`;
}

interface ToggleProps {
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}

function Toggle({ label, on, onChange }: ToggleProps) {
  return (
    <FormControlLabel
      control={<Switch checked={on} onChange={(_, next) => onChange(next)} size="small" />}
      label={label}
      sx={{ ml: 0 }}
    />
  );
}

function TextSize({ text, lines }: { readonly text: string; readonly lines: Lines }) {
  const bytes = useMemo(() => byteLength(text), [text]);
  return (
    <Typography sx={{ ml: 'auto', fontSize: '0.8125rem', color: 'text.secondary' }}>
      {plural(lines.count, 'line')}, {formatBytes(bytes)}
      {lines.continued.size > 0 && '; long lines are split'}
    </Typography>
  );
}

interface BodyProps {
  readonly lines: readonly string[];
  readonly label: string;
  readonly wrap: boolean;
  /** Index of the line to highlight. */
  readonly current: number | null;
}

function Body({ lines, label, wrap, current }: BodyProps) {
  const blocks = useMemo(
    () =>
      Array.from({ length: Math.ceil(lines.length / LINES_PER_BLOCK) }, (_, index) =>
        lines.slice(index * LINES_PER_BLOCK, (index + 1) * LINES_PER_BLOCK),
      ),
    [lines],
  );
  return (
    <Box
      role="region"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus
      tabIndex={0}
      dir="auto"
      data-testid="long-text"
      sx={{ ...monospaceBlock(wrap), flexGrow: 1, minHeight: 200, height: '60vh' }}
    >
      {blocks.map((block, index) => {
        const line = current === null ? -1 : current - index * LINES_PER_BLOCK;
        const inBlock = line >= 0 && line < block.length;
        return (
          <Block key={index * LINES_PER_BLOCK} lines={block} highlighted={inBlock ? line : null} />
        );
      })}
    </Box>
  );
}

interface BlockProps {
  readonly lines: readonly string[];
  readonly highlighted: number | null;
}

const Block = memo(function Block({ lines, highlighted }: BlockProps) {
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    if (highlighted !== null) mark.current?.scrollIntoView({ block: 'center' });
  }, [highlighted]);
  return (
    <div
      style={{
        contentVisibility: 'auto',
        containIntrinsicSize: `auto ${Math.round(lines.length * 19.4)}px`,
      }}
    >
      {highlighted === null ? (
        lines.join('\n')
      ) : (
        <>
          {lines.slice(0, highlighted).join('\n')}
          {highlighted > 0 && '\n'}
          <mark ref={mark} data-testid="matching-line">
            {lines[highlighted]}
          </mark>
          {highlighted < lines.length - 1 && '\n'}
          {lines.slice(highlighted + 1).join('\n')}
        </>
      )}
    </div>
  );
});
