import { Box } from '@mui/material';
import { lazy, Suspense } from 'react';
import type { Claim } from '../lib/claims';

const MarkdownBody = lazy(() => import('./MarkdownBody'));

interface MarkdownProps {
  readonly text: string;
  /** Claims to mark in the text. */
  readonly claims?: readonly Claim[] | undefined;
}

/** Sanitized Markdown. Shows the plain text until the renderer is loaded. */
export function Markdown({ text, claims }: MarkdownProps) {
  return (
    <Suspense fallback={<Box sx={{ whiteSpace: 'pre-wrap' }}>{text}</Box>}>
      <MarkdownBody text={text} claims={claims} />
    </Suspense>
  );
}
