import { Box, Typography } from '@mui/material';
import { useMemo, type ReactNode } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { callAnchor } from '../../lib/citations';
import { showBidiControls } from '../../lib/bidi';
import { describeCounts, describeDegradation } from '../../lib/claims';
import { prettyJson } from '../../lib/format';
import { describeStatus } from '../../lib/status';
import { formatDuration } from '../../lib/time';
import type { TimelineItem } from '../../live/reduce';
import { CitationContext } from '../../ui/citations';
import { DescriptionList } from '../../ui/DescriptionList';
import { InlineCode } from '../../ui/InlineCode';
import { Markdown } from '../../ui/Markdown';
import { scrollToAnchor } from '../../ui/scroll';
import { Secondary } from '../../ui/Secondary';
import { DateTime } from '../../ui/times';
import { monospaceBlock } from '../../ui/tokens';
import { VerdictDetails } from '../../ui/VerdictDetails';
import { readEvidence, type Evidence } from './evidence';

interface ReportProps {
  readonly session: SessionDetail;
  readonly items: readonly TimelineItem[];
}

/** The findings with the calls that they cite, whole and in one column, for paper. */
export function Report({ session, items }: ReportProps) {
  const evidence = useMemo(() => readEvidence(session, items), [session, items]);
  const citations = useMemo(() => {
    const failed = new Set(evidence.filter((call) => call.failed).map(({ number }) => number));
    const names = new Map(evidence.map(({ number, name }) => [number, name]));
    return {
      callName: (number: number) => names.get(number),
      callFailed: (number: number) => failed.has(number),
      openCall: (number: number) => void scrollToAnchor(callAnchor(number)),
    };
  }, [evidence]);
  return (
    <CitationContext value={citations}>
      <Box data-testid="report" sx={{ display: 'grid', gap: 2.5, maxWidth: 820 }}>
        <Facts session={session} />
        {session.error_message && (
          <Section title="Error">{showBidiControls(session.error_message)}</Section>
        )}
        {session.verdict && (
          <Section
            title={
              <>
                Most likely cause: <InlineCode text={showBidiControls(session.verdict.cause)} />
              </>
            }
          >
            <VerdictDetails verdict={session.verdict} />
          </Section>
        )}
        {session.executive_summary && (
          <Section title="Executive summary">
            <Markdown text={session.executive_summary} />
          </Section>
        )}
        {session.final_analysis && (
          <Section title="Final analysis">
            <Markdown text={session.final_analysis} />
          </Section>
        )}
        <Section title="Alert">
          <Whole text={prettyJson(session.alert_data)} label="Alert data" />
        </Section>
        <Section title="Evidence">
          {evidence.length === 0 && 'No tool was called.'}
          {evidence.map((call) => (
            <EvidenceOf key={call.number} call={call} />
          ))}
        </Section>
      </Box>
    </CitationContext>
  );
}

/** The facts of the session. */
function Facts({ session }: Pick<ReportProps, 'session'>) {
  return (
    <DescriptionList
      items={[
        { term: 'Status', value: describeStatus(session.status).label },
        { term: 'Session', value: session.id, mono: true },
        { term: 'Chain', value: session.chain_id || '–' },
        { term: 'Author', value: session.author ?? '–' },
        { term: 'Created', value: <DateTime at={session.created_at} /> },
        { term: 'Completed', value: <DateTime at={session.completed_at} /> },
        { term: 'Duration', value: formatDuration(session.duration_ms) },
        ...(session.claims === null
          ? []
          : [{ term: 'Claims', value: describeCounts(session.claims) }]),
        ...(session.degraded
          ? [
              {
                term: 'Degraded',
                value: describeDegradation(session.degraded_reasons).join(' '),
              },
            ]
          : []),
      ]}
    />
  );
}

interface SectionProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
}

function Section({ title, children }: SectionProps) {
  return (
    <section>
      {/* Larger than the headings of the Markdown below it. */}
      <Typography component="h2" variant="h3" sx={{ mb: 0.75, fontSize: '1.2rem' }}>
        {title}
      </Typography>
      {children}
    </section>
  );
}

function EvidenceOf({ call }: { readonly call: Evidence }) {
  const outcome = call.failed ? 'Error' : 'Result';
  return (
    <Box id={callAnchor(call.number)} tabIndex={-1} sx={{ mb: 2 }}>
      <Typography component="h3" sx={{ fontWeight: 650, fontSize: '0.875rem', mb: 0.5 }}>
        call {call.number}: <code>{call.name}</code>
      </Typography>
      {call.arguments !== '' && call.arguments !== '{}' && (
        <>
          <Label>Arguments</Label>
          <Whole text={call.arguments} label={`Arguments of call ${call.number}`} />
        </>
      )}
      <Label>{call.cut ? `${outcome} (truncated)` : outcome}</Label>
      <Whole text={call.result} label={`${outcome} of call ${call.number}`} />
    </Box>
  );
}

function Label({ children }: { readonly children: string }) {
  return (
    <Secondary size="small" sx={{ my: 0.5 }}>
      {children}
    </Secondary>
  );
}

function Whole({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Box
      component="pre"
      role="group"
      aria-label={label}
      dir="auto"
      sx={{ ...monospaceBlock(true), m: 0, overflow: 'visible' }}
    >
      {showBidiControls(text)}
    </Box>
  );
}
