import { Box } from '@mui/material';
import { lazy, Suspense } from 'react';

const MarkdownBody = lazy(() => import('./MarkdownBody'));

interface MarkdownProps {
  readonly text: string;
}

/** Markdown, sanitised. Until its renderer is loaded the plain text is shown. */
export function Markdown({ text }: MarkdownProps) {
  return (
    <Suspense fallback={<Box sx={{ whiteSpace: 'pre-wrap' }}>{text}</Box>}>
      <MarkdownBody text={text} />
    </Suspense>
  );
}
