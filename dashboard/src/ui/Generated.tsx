import type { Verdict } from '../lib/verdict';
import { Secondary } from './Secondary';

interface GeneratedProps {
  /** The verdict of the same session, which says whether rules or a model wrote its texts. */
  readonly verdict: Verdict | null;
}

/** Stands below every finding. */
export function Generated({ verdict }: GeneratedProps) {
  const author = verdict?.source === 'rules' ? 'Written by rules' : 'AI-generated';
  return <Secondary sx={{ mt: 1 }}>{author}. Verify before you act.</Secondary>;
}
