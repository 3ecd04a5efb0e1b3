import { lazy, Suspense } from 'react';
import { guessLanguage } from '../../lib/text/language';

const HighlightedBody = lazy(() => import('./HighlightedBody'));

/** Longer texts, in characters, stay plain: coloring them would block the page. */
const MAX_LENGTH = 50_000;

interface HighlightedProps {
  readonly text: string;
  /** Guessed from the text when it is missing. */
  readonly language?: string | undefined;
}

/** Text with colored syntax. Plain until the highlighter is loaded, and for languages that it does not know. */
export function Highlighted({ text, language }: HighlightedProps) {
  const known = text.length > MAX_LENGTH ? null : (language ?? guessLanguage(text));
  if (known === null) return text;
  return (
    <Suspense fallback={text}>
      <HighlightedBody text={text} language={known} />
    </Suspense>
  );
}
