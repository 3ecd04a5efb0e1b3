import { memo } from 'react';
import { showBidiControls } from '../../lib/bidi';
import { verdictToMarkdown, type Verdict } from '../../lib/verdict';
import { CopyButton } from '../../ui/CopyButton';
import { InlineCode } from '../../ui/InlineCode';
import { Panel } from '../../ui/Panel';
import { VerdictDetails } from '../../ui/VerdictDetails';
import { TargetIcon } from '../../ui/icons';

/** The most likely cause with its evidence, above the findings in prose. */
export const VerdictPanel = memo(function VerdictPanel({ verdict }: { readonly verdict: Verdict }) {
  return (
    <Panel
      title={<InlineCode text={showBidiControls(verdict.cause)} />}
      eyebrow="Most likely cause"
      testId="verdict"
      shortcut="f"
      icon={<TargetIcon fontSize="small" sx={{ color: 'primary.main' }} />}
      accent="var(--mui-palette-primary-main)"
      actions={<CopyButton text={verdictToMarkdown(verdict)} label="Copy verdict as Markdown" />}
    >
      <VerdictDetails verdict={verdict} />
    </Panel>
  );
});
