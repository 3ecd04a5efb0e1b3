import { memo, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import type { SessionDetail } from '../../api/sessions';
import { rulesLookedFirst } from '../../lib/agents';
import { showBidiControls } from '../../lib/bidi';
import { ANALYSIS_ID, SUMMARY_ID } from '../../lib/paths';
import { sharedFinding } from '../../lib/share';
import { isTerminal } from '../../lib/status';
import { statesCause } from '../../lib/verdict';
import { CopyButton } from '../../ui/CopyButton';
import { Callout } from '../../ui/Callout';
import { CheckedMarkdown } from '../../ui/CheckedMarkdown';
import { Disclosure } from '../../ui/Disclosure';
import { Generated } from '../../ui/Generated';
import { Panel } from '../../ui/Panel';
import { Secondary } from '../../ui/Secondary';
import { CheckIcon, ReportIcon } from '../../ui/icons';
import { useChecks } from '../../ui/checks';
import { describeDegradation } from '../../lib/claims';
import { toneText } from '../../ui/tones';
import { thinReasons } from './thin';
import { VerdictPanel } from './VerdictPanel';

/** The error of a failed session, the verdict, the executive summary and the final analysis. */
export const Conclusion = memo(function Conclusion({
  session,
}: {
  readonly session: SessionDetail;
}) {
  return (
    <>
      <Failure session={session} />
      <Degradation session={session} />
      <Thinness session={session} />
      {session.verdict && <VerdictPanel session={session} verdict={session.verdict} />}
      <Summary session={session} />
      {session.executive_summary_error && (
        <Callout tone="warning">
          Executive summary failed: {showBidiControls(session.executive_summary_error)}
        </Callout>
      )}
      <Analysis session={session} />
    </>
  );
});

function Summary({ session }: { readonly session: SessionDetail }) {
  const checks = useChecks();
  if (!session.executive_summary) return null;
  return (
    <Panel
      title="Executive summary"
      id={SUMMARY_ID}
      testId="executive-summary"
      icon={<ReportIcon fontSize="small" sx={{ color: 'primary.main' }} />}
      accent={toneText('info')}
      actions={
        <CopyButton
          text={sharedFinding(session, session.executive_summary, SUMMARY_ID)}
          label="Copy summary with its link"
        />
      }
    >
      <Folded id={SUMMARY_ID} session={session}>
        <CheckedMarkdown text={session.executive_summary} check={checks.summary} />
      </Folded>
      <Generated verdict={session.verdict} rulesFirst={rulesLookedFirst(session.stages)} />
    </Panel>
  );
}

function Analysis({ session }: { readonly session: SessionDetail }) {
  const checks = useChecks();
  const isConclusive = session.verdict === null || statesCause(session.verdict);
  if (!session.final_analysis) return null;
  return (
    <Panel
      title="Final analysis"
      id={ANALYSIS_ID}
      testId="final-analysis"
      shortcut="f"
      icon={<AnalysisIcon isConclusive={isConclusive} />}
      accent={toneText(isConclusive ? 'success' : 'neutral')}
      actions={
        <CopyButton
          text={sharedFinding(session, session.final_analysis, ANALYSIS_ID)}
          label="Copy final analysis with its link"
        />
      }
    >
      <Folded id={ANALYSIS_ID} session={session}>
        <CheckedMarkdown text={session.final_analysis} check={checks.analysis} />
      </Folded>
      <Generated verdict={session.verdict} rulesFirst={rulesLookedFirst(session.stages)} />
    </Panel>
  );
}

interface FoldedProps {
  /** The element id of the panel. */
  readonly id: string;
  readonly session: SessionDetail;
  readonly children: ReactNode;
}

/** Where the verdict states the cause, the prose says it again: it opens on demand, and for who comes for it. */
function Folded({ id, session, children }: FoldedProps) {
  const { unverifiedOnly } = useChecks();
  const { hash } = useLocation();
  if (session.verdict === null || !statesCause(session.verdict)) return children;
  return (
    <Disclosure
      open={unverifiedOnly || hash === `#${id}`}
      testId={`${id}-fold`}
      summary={<Secondary component="span">Full text</Secondary>}
    >
      {children}
    </Disclosure>
  );
}

/** A green tick would say that the cause was found. */
function AnalysisIcon({ isConclusive }: { readonly isConclusive: boolean }) {
  return isConclusive ? (
    <CheckIcon fontSize="small" sx={{ color: toneText('success') }} />
  ) : (
    <ReportIcon fontSize="small" sx={{ color: toneText('neutral') }} />
  );
}

function Degradation({ session }: { readonly session: SessionDetail }) {
  if (!session.degraded) return null;
  return (
    <Callout tone="warning" title="Degraded" testId="degradation">
      {describeDegradation(session.degraded_reasons, session.claims).join(' ')}
    </Callout>
  );
}

/** Why a finding is shorter than it might be. */
function Thinness({ session }: { readonly session: SessionDetail }) {
  const reasons = thinReasons(session);
  if (reasons.length === 0) return null;
  return (
    <Callout tone="warning" title="This finding may be incomplete" testId="thin-finding">
      {reasons.join(' ')}
    </Callout>
  );
}

const headings: Readonly<Record<string, string>> = {
  failed: 'Investigation failed',
  timed_out: 'Investigation timed out',
  cancelled: 'Investigation cancelled',
};

/** A request to cancel has no reason. */
function withoutMessage(status: string): string {
  return status === 'cancelled' ? 'It was cancelled on request.' : 'No error message was recorded.';
}

function Failure({ session }: { readonly session: SessionDetail }) {
  const heading = headings[session.status];
  if (!isTerminal(session.status) || heading === undefined) return null;
  const findings = session.final_analysis ? ' Partial findings are below.' : '';
  return (
    <Callout
      tone={session.status === 'failed' ? 'error' : 'warning'}
      title={heading}
      testId="session-failure"
    >
      {showBidiControls(session.error_message ?? withoutMessage(session.status))}
      {findings}
    </Callout>
  );
}
