import { Box } from '@mui/material';
import { lazy, Suspense } from 'react';

const MarkdownBody = lazy(() => import('./MarkdownBody'));

interface MarkdownProps {
  readonly text: string;
}

/** Sanitized Markdown. Shows the plain text until the renderer is loaded. */
export function Markdown({ text }: MarkdownProps) {
  return (
    <Suspense fallback={<Box sx={{ whiteSpace: 'pre-wrap' }}>{text}</Box>}>
      <MarkdownBody text={text} />
    </Suspense>
  );
}
