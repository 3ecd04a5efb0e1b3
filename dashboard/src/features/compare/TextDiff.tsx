import { Box } from '@mui/material';
import { useMemo } from 'react';
import { diff, type Run } from '../../lib/text/diff';
import { plural } from '../../lib/text/format';
import { splitBlocks } from '../../lib/text/markdownBlocks';
import { Disclosure } from '../../ui/layout/Disclosure';
import { Markdown } from '../../ui/markdown/Markdown';
import { Secondary } from '../../ui/layout/Secondary';

interface TextDiffProps {
  /** Markdown; null without one. */
  readonly first: string | null;
  readonly second: string | null;
}

/** Two texts beside each other; what both have is folded. */
export function TextDiff({ first, second }: TextDiffProps) {
  const runs = useMemo(() => diff(blocksOf(first), blocksOf(second)), [first, second]);
  return (
    <Box sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      {runs.map((run, at) => (
        <RunOf key={`${at}:${run.same}`} run={run} />
      ))}
    </Box>
  );
}

function blocksOf(text: string | null): readonly string[] {
  return splitBlocks(text ?? '')
    .map((block) => block.text.trim())
    .filter((block) => block !== '');
}

function RunOf({ run }: { readonly run: Run }) {
  if (run.same) {
    return (
      <Disclosure
        summary={
          <Secondary component="span">{plural(run.texts.length, 'identical paragraph')}</Secondary>
        }
        testId="same-text"
      >
        <Markdown text={run.texts.join('\n\n')} />
      </Disclosure>
    );
  }
  return (
    <Box data-testid="changed-text" sx={columns}>
      <Side title="First" texts={run.first} />
      <Side title="Second" texts={run.second} />
    </Box>
  );
}

const columns = {
  display: 'grid',
  gap: 2,
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
} as const;

interface SideProps {
  readonly title: string;
  readonly texts: readonly string[];
}

function Side({ title, texts }: SideProps) {
  return (
    <Box
      role="group"
      aria-label={title}
      sx={{ borderInlineStart: 3, borderColor: 'divider', pl: 1.5 }}
    >
      <Secondary size="small">{title}</Secondary>
      {texts.length === 0 ? (
        <Secondary>No text.</Secondary>
      ) : (
        <Markdown text={texts.join('\n\n')} />
      )}
    </Box>
  );
}
