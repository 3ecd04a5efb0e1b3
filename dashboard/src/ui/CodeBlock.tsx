import { Box, Button } from '@mui/material';
import { useMemo, useState } from 'react';
import { formatBytes, plural } from '../lib/format';

interface CodeBlockProps {
  readonly text: string;
  readonly label: string;
  /** Longer texts are cut to so many lines until asked for. */
  readonly lines?: number;
  /** Shows all of it from the beginning. */
  readonly open?: boolean;
  /** For text of people rather than tables: long lines go on below. */
  readonly wrap?: boolean;
  readonly testId?: string;
}

/** Text of machines: monospace, reachable and scrollable by keyboard. */
export function CodeBlock(props: CodeBlockProps) {
  const { text, label, lines = 14, open = false, wrap = false, testId } = props;
  const [chosen, setChosen] = useState<boolean | null>(null);
  const whole = chosen ?? open;
  const { beginning, count } = useMemo(() => begin(text, lines), [text, lines]);
  const long = beginning !== text;
  const cut = long && !whole;
  return (
    <Box>
      <Box
        component="pre"
        role="group"
        aria-label={label}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus
        tabIndex={0}
        data-testid={testId}
        sx={{
          m: 0,
          p: 1.25,
          maxHeight: whole ? '70vh' : undefined,
          overflow: 'auto',
          whiteSpace: wrap ? 'pre-wrap' : 'pre',
          overflowWrap: wrap ? 'anywhere' : undefined,
          bgcolor: 'var(--tarsy-code-bg)',
          border: 1,
          borderColor: 'divider',
          borderRadius: 1,
          fontFamily: 'var(--tarsy-mono)',
          fontSize: '0.78rem',
          lineHeight: 1.55,
          tabSize: 4,
        }}
      >
        {cut ? beginning : text}
      </Box>
      {long && (
        <Button
          size="small"
          onClick={() => setChosen(!whole)}
          aria-expanded={whole}
          sx={{ mt: 0.5 }}
        >
          {whole
            ? 'Show less'
            : `Show all ${count > 1 ? plural(count, 'line') : formatBytes(text.length)}`}
        </Button>
      )}
    </Box>
  );
}

/** A line is no reason to fill the page either. */
const CHARS_A_LINE = 240;

/** What is shown of a long text: its first lines, and of long lines not too much. */
function begin(text: string, lines: number): { beginning: string; count: number } {
  const all = text.split('\n');
  const few = all.length > lines + 2 ? all.slice(0, lines).join('\n') : text;
  const most = lines * CHARS_A_LINE;
  const beginning = few.length > 1.2 * most ? `${few.slice(0, most)}…` : few;
  return { beginning, count: all.length };
}
