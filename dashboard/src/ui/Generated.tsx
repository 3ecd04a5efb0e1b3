import type { Verdict } from '../lib/verdict';
import { Secondary } from './Secondary';

interface GeneratedProps {
  /** The verdict of the same session, which says whether rules or a model wrote its texts. */
  readonly verdict: Verdict | null;
  /** Whether rules looked before the model did. */
  readonly rulesFirst?: boolean;
}

/** Stands below every finding. */
export function Generated({ verdict, rulesFirst = false }: GeneratedProps) {
  return (
    <Secondary sx={{ mt: 1 }}>{author(verdict, rulesFirst)}. Verify before you act.</Secondary>
  );
}

function author(verdict: Verdict | null, rulesFirst: boolean): string {
  if (verdict?.source === 'rules') return 'Written by rules';
  return rulesFirst ? 'AI-generated, after rules had looked first' : 'AI-generated';
}
