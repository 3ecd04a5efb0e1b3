import type { Verdict } from '../../lib/session/verdict';
import { Secondary } from '../layout/Secondary';

/** The line of a report by rules about its author. */
const BY_RULES = 'Written by rules';

interface GeneratedProps {
  /** What it stands below. */
  readonly text: string;
  /** The verdict of the same session, which says whether rules or a model wrote its texts. */
  readonly verdict: Verdict | null;
  /** Whether rules looked before the model did. */
  readonly rulesFirst?: boolean;
}

/** Stands below every finding. */
export function Generated({ text, verdict, rulesFirst = false }: GeneratedProps) {
  const isStated = verdict?.source === 'rules' && text.includes(BY_RULES);
  return (
    <Secondary sx={{ mt: 1 }}>
      {isStated ? '' : `${author(verdict, rulesFirst)}. `}Verify before you act.
    </Secondary>
  );
}

function author(verdict: Verdict | null, rulesFirst: boolean): string {
  if (verdict?.source === 'rules') return BY_RULES;
  return rulesFirst ? 'AI-generated, after rules had looked first' : 'AI-generated';
}
