import { Box, Button } from '@mui/material';
import { useMemo, useState } from 'react';
import { showBidiControls } from '../../lib/text/bidi';
import { formatBytes, plural } from '../../lib/text/format';
import { CopyButton } from './CopyButton';
import { Highlighted } from './Highlighted';
import { monospaceBlock } from '../theme/tokens';

interface CodeBlockProps {
  readonly text: string;
  readonly label: string;
  /** What is copied, where `text` is its beginning. */
  readonly whole?: string;
  /** Lines shown of a longer text until it is expanded. */
  readonly lines?: number;
  /** Expands the text initially. */
  readonly open?: boolean;
  readonly wrap?: boolean;
  readonly testId?: string;
}

/** Monospace text that scrolls by keyboard. Long texts are collapsed, and copied whole. */
export function CodeBlock(props: CodeBlockProps) {
  const { text, label, whole = text, lines = 14, open = false, wrap = false, testId } = props;
  const [toggled, setToggled] = useState<boolean | null>(null);
  const expanded = toggled ?? open;
  const { excerpt, lineCount } = useMemo(() => makeExcerpt(text, lines), [text, lines]);
  const long = excerpt !== text;
  const size = lineCount > 1 ? plural(lineCount, 'line') : formatBytes(text.length);
  return (
    <Box>
      <Box
        component="pre"
        role="group"
        aria-label={showBidiControls(label)}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus
        tabIndex={0}
        dir="auto"
        data-testid={testId}
        sx={{ ...monospaceBlock(wrap), m: 0, maxHeight: expanded ? '70vh' : undefined, tabSize: 4 }}
      >
        <Highlighted text={showBidiControls(expanded ? text : excerpt)} />
      </Box>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1, mt: 0.5 }}>
        {long && (
          <Button size="small" onClick={() => setToggled(!expanded)} aria-expanded={expanded}>
            {expanded ? 'Show less' : `Show all ${size}`}
          </Button>
        )}
        <CopyButton text={whole} label={showBidiControls(`Copy: ${label}`)} />
      </Box>
    </Box>
  );
}

const EXCERPT_CHARS_PER_LINE = 240;

/** The first lines of a long text, limited in characters too; a short text is returned unchanged. */
function makeExcerpt(text: string, lines: number): { excerpt: string; lineCount: number } {
  const all = text.split('\n');
  const first = all.length > lines + 2 ? all.slice(0, lines).join('\n') : text;
  const maxChars = lines * EXCERPT_CHARS_PER_LINE;
  const excerpt = first.length > 1.2 * maxChars ? `${first.slice(0, maxChars)}…` : first;
  return { excerpt, lineCount: all.length };
}
