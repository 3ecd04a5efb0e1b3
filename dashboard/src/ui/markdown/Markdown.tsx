import { Box } from '@mui/material';
import { lazy, Suspense, useState } from 'react';
import { showBidiControls } from '../../lib/text/bidi';
import type { Claim } from '../../lib/session/claims';
import type MarkdownBodyType from './MarkdownBody';

let loaded: typeof MarkdownBodyType | null = null;

async function load() {
  const module = await import('./MarkdownBody');
  loaded = module.default;
  return module;
}

const LazyBody = lazy(load);

/** Loads the renderer, so that a text that has streamed does not turn into plain text for a moment when it is complete. */
export const preloadMarkdown = () => void load();

interface MarkdownProps {
  readonly text: string;
  /** Claims to mark in the text. */
  readonly claims?: readonly Claim[] | undefined;
}

/** Sanitized Markdown. Shows the plain text until the renderer is loaded. */
export function Markdown({ text, claims }: MarkdownProps) {
  const [Body] = useState(() => loaded ?? LazyBody);
  return (
    <Suspense fallback={<Box sx={{ whiteSpace: 'pre-wrap' }}>{showBidiControls(text)}</Box>}>
      <Body text={text} claims={claims} />
    </Suspense>
  );
}
