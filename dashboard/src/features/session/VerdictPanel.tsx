import { memo } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { showBidiControls } from '../../lib/text/bidi';
import { sharedFinding } from '../../lib/session/share';
import {
  describeFinding,
  statesCause,
  verdictToMarkdown,
  type Verdict,
} from '../../lib/session/verdict';
import { CopyButton } from '../../ui/text/CopyButton';
import { InlineCode } from '../../ui/markdown/InlineCode';
import { Panel } from '../../ui/layout/Panel';
import { VerdictDetails } from '../../ui/findings/VerdictDetails';
import { TargetIcon } from '../../ui/theme/icons';

interface VerdictPanelProps {
  readonly session: SessionDetail;
  readonly verdict: Verdict;
}

/** The most likely cause with its evidence, or in grey that there is none; above the findings in prose. */
export const VerdictPanel = memo(function VerdictPanel({ session, verdict }: VerdictPanelProps) {
  const isCause = statesCause(verdict);
  const found = describeFinding(verdict);
  // Without a cause the answer to the alert is what people come for.
  const isAnswered = !isCause && verdict.answer !== '';
  const color = isCause ? 'primary.main' : 'text.secondary';
  return (
    <Panel
      title={<InlineCode text={showBidiControls(isAnswered ? verdict.answer : found)} />}
      eyebrow={eyebrowOf(isCause, isAnswered ? found : null)}
      testId="verdict"
      shortcut="f"
      icon={<TargetIcon fontSize="small" sx={{ color }} />}
      accent={isCause ? 'var(--mui-palette-primary-main)' : 'var(--mui-palette-text-secondary)'}
      actions={
        <CopyButton
          text={sharedFinding(session, verdictToMarkdown(verdict))}
          label="Copy finding with its link"
        />
      }
    >
      <VerdictDetails verdict={verdict} folds />
    </Panel>
  );
});

/** What the title is; `found` stands there where the title is the answer. */
function eyebrowOf(isCause: boolean, found: string | null): string {
  return isCause ? 'Most likely cause' : (found ?? 'Outcome');
}
