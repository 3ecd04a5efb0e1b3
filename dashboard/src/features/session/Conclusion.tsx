import { Box, Link } from '@mui/material';
import { memo, type ComponentProps, type ReactNode } from 'react';
import { Link as RouterLink, useLocation } from 'react-router';
import type { SessionDetail } from '../../api/sessions';
import { rulesLookedFirst } from '../../lib/session/agents';
import { showBidiControls } from '../../lib/text/bidi';
import { ANALYSIS_ID, documentAddress, pages, SUMMARY_ID } from '../../lib/browser/paths';
import { sharedFinding } from '../../lib/session/share';
import { isTerminal, type Tone } from '../../lib/session/status';
import { statesCause } from '../../lib/session/verdict';
import { CopyButton } from '../../ui/text/CopyButton';
import { Callout } from '../../ui/notices/Callout';
import { CheckedMarkdown } from '../../ui/markdown/CheckedMarkdown';
import { Generated } from '../../ui/badges/Generated';
import { Panel } from '../../ui/layout/Panel';
import { CheckIcon, ReportIcon } from '../../ui/theme/icons';
import { useChecks } from '../../ui/claims/checks';
import { describeDegradation } from '../../lib/session/claims';
import { toneText } from '../../ui/badges/tones';
import { describeFailure } from './failure';
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
  const check = useChecks().summary;
  if (!session.executive_summary) return null;
  return (
    <Prose
      session={session}
      text={session.executive_summary}
      check={check}
      id={SUMMARY_ID}
      title="Executive summary"
      testId="executive-summary"
      icon={<ReportIcon fontSize="small" sx={{ color: 'primary.main' }} />}
      tone="info"
    />
  );
}

function Analysis({ session }: { readonly session: SessionDetail }) {
  const check = useChecks().analysis;
  const { status, verdict } = session;
  const isConclusive = status === 'completed' && (verdict === null || statesCause(verdict));
  if (!session.final_analysis) return null;
  return (
    <Prose
      session={session}
      text={session.final_analysis}
      check={check}
      id={ANALYSIS_ID}
      title="Final analysis"
      testId="final-analysis"
      shortcut="f"
      icon={<AnalysisIcon isConclusive={isConclusive} />}
      tone={isConclusive ? 'success' : 'neutral'}
    />
  );
}

interface ProseProps {
  readonly session: SessionDetail;
  readonly text: string;
  readonly check: ComponentProps<typeof CheckedMarkdown>['check'];
  readonly id: string;
  readonly title: string;
  readonly testId: string;
  readonly shortcut?: string;
  readonly icon: ReactNode;
  /** Of its edge, where nothing above says the same. */
  readonly tone: Tone;
}

/** A text of the findings, with its check and its author. */
function Prose({ session, text, check, tone, ...panel }: ProseProps) {
  const { id, title } = panel;
  const open = useOpen(id, session);
  return (
    <Panel
      {...panel}
      accent={open === undefined ? toneText(tone) : undefined}
      open={open}
      actions={
        <CopyButton
          text={sharedFinding(session, text, id)}
          label={`Copy ${title.toLowerCase()} with its link`}
        />
      }
    >
      <CheckedMarkdown text={text} check={check} />
      <Generated
        text={text}
        verdict={session.verdict}
        rulesFirst={rulesLookedFirst(session.stages)}
      />
    </Panel>
  );
}

/**
 * Whether the prose of this part of the page is open. Where the verdict answers the alert, the prose says it again: it opens on demand,
 * and for who comes for it. Undefined where there is nothing to fold.
 */
function useOpen(id: string, { verdict }: SessionDetail): boolean | undefined {
  const { unverifiedOnly } = useChecks();
  const { hash } = useLocation();
  if (verdict === null || !(statesCause(verdict) || verdict.answer !== '')) return undefined;
  return unverifiedOnly || hash === `#${id}`;
}

/** A green tick would say that the cause was found. */
function AnalysisIcon({ isConclusive }: { readonly isConclusive: boolean }) {
  return isConclusive ? (
    <CheckIcon fontSize="small" sx={{ color: toneText('success') }} />
  ) : (
    <ReportIcon fontSize="small" sx={{ color: toneText('neutral') }} />
  );
}

/** Counted statements are said once, beside the badge of the header. */
function Degradation({ session }: { readonly session: SessionDetail }) {
  const { claims, degraded, degraded_reasons: all } = session;
  const reasons = claims === null ? all : all.filter((reason) => reason !== 'unverified_claims');
  if (!degraded || (reasons.length === 0 && all.length > 0)) return null;
  return (
    <Callout tone="warning" title="Degraded" testId="degradation">
      {describeDegradation(reasons, session).join(' ')}
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
  return status === 'cancelled'
    ? 'It was cancelled on request.'
    : 'No error was recorded. The trace shows the last call.';
}

function Failure({ session }: { readonly session: SessionDetail }) {
  const heading = headings[session.status];
  if (!isTerminal(session.status) || heading === undefined) return null;
  const failed = describeFailure(session);
  return (
    <Callout
      tone={session.status === 'failed' ? 'error' : 'warning'}
      title={heading}
      testId="session-failure"
    >
      <div>{showBidiControls(failed?.reason ?? withoutMessage(session.status))}</div>
      {failed && failed.remedy !== '' && (
        <Box data-testid="remedy">{showBidiControls(failed.remedy)}</Box>
      )}
      {failed && failed.place !== '' && (
        <Box sx={{ fontSize: '0.8125rem', mt: 0.5 }}>{showBidiControls(failed.place)}</Box>
      )}
      {failed && failed.provider !== null && (
        <Link component={RouterLink} to={pages.system} color="inherit" underline="always">
          Check provider {showBidiControls(failed.provider)}
        </Link>
      )}
      {failed?.explained && (
        <div>
          <Link
            href={documentAddress(failed.explained)}
            target="_blank"
            color="inherit"
            underline="always"
          >
            What to do: {(failed.explained.anchor || failed.explained.page).replaceAll('-', ' ')}
          </Link>
        </div>
      )}
      {session.final_analysis && <div>What was found before is below.</div>}
    </Callout>
  );
}
