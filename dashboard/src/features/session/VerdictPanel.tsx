import { memo } from 'react';
import { showBidiControls } from '../../lib/bidi';
import { describeFinding, statesCause, verdictToMarkdown, type Verdict } from '../../lib/verdict';
import { CopyButton } from '../../ui/CopyButton';
import { InlineCode } from '../../ui/InlineCode';
import { Panel } from '../../ui/Panel';
import { VerdictDetails } from '../../ui/VerdictDetails';
import { TargetIcon } from '../../ui/icons';

/** The most likely cause with its evidence, or in grey that there is none; above the findings in prose. */
export const VerdictPanel = memo(function VerdictPanel({ verdict }: { readonly verdict: Verdict }) {
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
      actions={<CopyButton text={verdictToMarkdown(verdict)} label="Copy verdict as Markdown" />}
    >
      <VerdictDetails verdict={verdict} folds />
    </Panel>
  );
});
