import { memo } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { showBidiControls } from '../../lib/bidi';
import { sharedFinding } from '../../lib/share';
import { describeFinding, statesCause, verdictToMarkdown, type Verdict } from '../../lib/verdict';
import { CopyButton } from '../../ui/CopyButton';
import { InlineCode } from '../../ui/InlineCode';
import { Panel } from '../../ui/Panel';
import { VerdictDetails } from '../../ui/VerdictDetails';
import { TargetIcon } from '../../ui/icons';

interface VerdictPanelProps {
  readonly session: SessionDetail;
  readonly verdict: Verdict;
}

/** The most likely cause with its evidence, or in grey that there is none; above the findings in prose. */
export const VerdictPanel = memo(function VerdictPanel({ session, verdict }: VerdictPanelProps) {
  const isCause = statesCause(verdict);
  const color = isCause ? 'primary.main' : 'text.secondary';
  return (
    <Panel
      title={<InlineCode text={showBidiControls(describeFinding(verdict))} />}
      eyebrow={isCause ? 'Most likely cause' : 'Outcome, without a cause'}
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
