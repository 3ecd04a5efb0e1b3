import type { ClaimCheck } from '../lib/claims';
import { CheckSummary } from './CheckSummary';
import { Markdown } from './Markdown';

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
      {check && <CheckSummary check={check} />}
    </>
  );
}
