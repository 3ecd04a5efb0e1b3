import { Box } from '@mui/material';
import { lazy, Suspense } from 'react';
import type { ClaimCheck } from '../../lib/session/claims';
import { Markdown } from './Markdown';

const CheckSummary = lazy(async () => ({
  default: (await import('../claims/CheckSummary')).CheckSummary,
}));

interface CheckedMarkdownProps {
  readonly text: string;
  /** Undefined for a text that was not checked. */
  readonly check: ClaimCheck | undefined;
}

/** Markdown of a model with marks at its claims, and the result of their check below it. */
export function CheckedMarkdown({ text, check }: CheckedMarkdownProps) {
  return (
    <>
      <Markdown text={text} claims={check?.items} />
      {check && (
        <Suspense fallback={<Box sx={{ mt: 1, height: isLine(check) ? 20 : 31 }} />}>
          <CheckSummary check={check} />
        </Suspense>
      )}
    </>
  );
}

/** Whether the result is a line of text; else it is a button, which is higher. */
const isLine = (check: ClaimCheck) => check.failure === null && check.claims === 0;
