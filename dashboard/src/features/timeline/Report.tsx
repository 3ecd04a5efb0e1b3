import { Box, Link, Typography } from '@mui/material';
import { useMemo, type ReactNode } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { rulesLookedFirst } from '../../lib/session/agents';
import { safeLinks, type AlertLink } from '../../lib/session/alert';
import { callAnchor } from '../../lib/session/citations';
import { showBidiControls } from '../../lib/text/bidi';
import { describeFinding, statesCause } from '../../lib/session/verdict';
import { describeVerdict, openClaims } from '../../lib/session/claims';
import { failureSentences } from '../../lib/session/failure';
import { prettyJson } from '../../lib/text/format';
import { describeStatus } from '../../lib/session/status';
import { formatDuration } from '../../lib/time/time';
import type { TimelineItem } from '../../live/reduce';
import { useChecks } from '../../ui/claims/checks';
import { CitationContext } from '../../ui/markdown/citations';
import { CopyButton } from '../../ui/text/CopyButton';
import { DescriptionList } from '../../ui/layout/DescriptionList';
import { Generated } from '../../ui/badges/Generated';
import { InlineCode } from '../../ui/markdown/InlineCode';
import { Markdown } from '../../ui/markdown/Markdown';
import { scrollToAnchor } from '../../ui/layout/scroll';
import { Secondary } from '../../ui/layout/Secondary';
import { DateTime } from '../../ui/numbers/times';
import { monospaceBlock } from '../../ui/theme/tokens';
import { VerdictDetails } from '../../ui/findings/VerdictDetails';
import { readEvidence, type Evidence } from './evidence';
import { alertFacts, trustFacts } from './facts';
import { readUnexamined } from './unexamined';

interface ReportProps {
  readonly session: SessionDetail;
  readonly items: readonly TimelineItem[];
}

/** The findings with the calls that they cite, whole and in one column, for paper. */
export function Report({ session, items }: ReportProps) {
  const evidence = useMemo(() => readEvidence(session, items), [session, items]);
  const error = failureSentences(session);
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
        <Facts session={session} items={items} />
        {error && <Section title="Error">{showBidiControls(error)}</Section>}
        {session.verdict && (
          <Section
            title={
              <>
                {statesCause(session.verdict) ? 'Most likely cause: ' : 'Outcome: '}
                <InlineCode text={showBidiControls(describeFinding(session.verdict))} />
              </>
            }
          >
            <VerdictDetails verdict={session.verdict} />
          </Section>
        )}
        <Texts session={session} />
        <Unverified />
        <Section title="Not examined">
          <Gaps items={items} />
        </Section>
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

/** The executive summary and the final analysis, with who wrote them. */
function Texts({ session }: Pick<ReportProps, 'session'>) {
  const checks = useChecks();
  const rulesFirst = rulesLookedFirst(session.stages);
  const generated = (text: string) => (
    <Generated text={text} verdict={session.verdict} rulesFirst={rulesFirst} />
  );
  return (
    <>
      {session.executive_summary && (
        <Section title="Executive summary">
          <Markdown text={session.executive_summary} claims={checks.summary?.items} />
          {generated(session.executive_summary)}
        </Section>
      )}
      {session.final_analysis && (
        <Section title="Final analysis">
          <Markdown text={session.final_analysis} claims={checks.analysis?.items} />
          {generated(session.final_analysis)}
        </Section>
      )}
    </>
  );
}

function Facts({ session, items }: ReportProps) {
  const links = safeLinks(session.links);
  const texts = (facts: ReturnType<typeof alertFacts>) =>
    facts.map(([term, value]) => ({ term, value: <bdi>{showBidiControls(value)}</bdi> }));
  return (
    <DescriptionList
      items={[
        ...texts(alertFacts(session)),
        ...(links.length === 0 ? [] : [{ term: 'Links', value: <Links links={links} /> }]),
        { term: 'Status', value: describeStatus(session.status).label },
        { term: 'Session', value: session.id, mono: true },
        { term: 'Chain', value: session.chain_id || '–' },
        { term: 'Author', value: session.author ?? '–' },
        { term: 'Created', value: <DateTime at={session.created_at} /> },
        { term: 'Completed', value: <DateTime at={session.completed_at} /> },
        { term: 'Duration', value: formatDuration(session.duration_ms) },
        ...texts(trustFacts(session, items)),
      ]}
    />
  );
}

/** With their addresses: paper has no links. */
function Links({ links }: { readonly links: readonly AlertLink[] }) {
  return links.map(({ title, url }, at) => (
    <div key={`${at}:${url}`}>
      <bdi>{showBidiControls(title)}</bdi>:{' '}
      <Link href={url} target="_blank" rel="noopener noreferrer">
        {showBidiControls(url)}
      </Link>
    </div>
  ));
}

/** The claims that no cited result shows; their marks are in the texts above. */
function Unverified() {
  const { summary, analysis } = useChecks();
  const claims = openClaims([summary, analysis].filter((check) => check !== undefined));
  if (claims.length === 0) return null;
  return (
    <Section title="Claims that are not verified">
      <Box component="ul" sx={textList} data-testid="unverified-claims">
        {claims.map((claim) => (
          <li key={`${claim.start}:${claim.text}`}>
            <q>{showBidiControls(claim.text)}</q>:{' '}
            {describeVerdict(claim.verdict).label.toLowerCase()}
            {claim.call !== null && `, call ${claim.call}`}
            {claim.shown !== null && (
              <>
                ; the result shows <code>{showBidiControls(claim.shown)}</code>
              </>
            )}
          </li>
        ))}
      </Box>
    </Section>
  );
}

function Gaps({ items }: Pick<ReportProps, 'items'>) {
  const gaps = readUnexamined(items);
  if (gaps.length === 0) return 'The record shows no gaps.';
  return (
    <Box component="ul" sx={textList}>
      {gaps.map(({ id, call, text }) => (
        <li key={id}>
          {call !== null && `call ${call}: `}
          {showBidiControls(text)}
        </li>
      ))}
    </Box>
  );
}

const textList = { m: 0, pl: 2.5, overflowWrap: 'anywhere' } as const;

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
    <>
      <Box
        component="pre"
        role="group"
        aria-label={label}
        dir="auto"
        sx={{ ...monospaceBlock(true), m: 0, overflow: 'visible' }}
      >
        {showBidiControls(text)}
      </Box>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </>
  );
}
