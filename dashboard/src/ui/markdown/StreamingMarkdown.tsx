import { lazy, Suspense } from 'react';
import { preloadMarkdown } from './Markdown';
import { StreamingText } from './StreamingText';

const StreamingMarkdownBody = lazy(() => {
  preloadMarkdown();
  return import('./StreamingMarkdownBody');
});

interface StreamingMarkdownProps {
  readonly text: string;
  readonly testId?: string;
}

/** Streaming Markdown with a caret. Shows the plain text until the renderer is loaded. */
export function StreamingMarkdown({ text, testId }: StreamingMarkdownProps) {
  return (
    <Suspense fallback={<StreamingText text={text} testId={testId} />}>
      <StreamingMarkdownBody text={text} testId={testId} />
    </Suspense>
  );
}
