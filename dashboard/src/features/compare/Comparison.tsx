import { Box, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { showBidiControls } from '../../lib/text/bidi';
import { describeFinding } from '../../lib/session/verdict';
import type { SessionDetail } from '../../api/sessions';
import { alertTitle } from '../../lib/session/alert';
import { useTimeZone } from '../../lib/time/timeZone';
import { useTitle } from '../../lib/browser/useTitle';
import { Callout } from '../../ui/notices/Callout';
import { Disclosure } from '../../ui/layout/Disclosure';
import { ErrorState } from '../../ui/notices/ErrorState';
import { Generated } from '../../ui/badges/Generated';
import { InlineCode } from '../../ui/markdown/InlineCode';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { VerdictDetails } from '../../ui/findings/VerdictDetails';
import { Column } from '../../ui/layout/layout';
import { asApiError } from '../../api/errors';
import type { Comparison as ComparisonOf } from '../../api/comparison';
import { CallDifferences } from './CallDifferences';
import { readFigures, type Compared } from './figures';
import { FigureTable } from './FigureTable';
import { comparedQuery, comparisonQuery } from './queries';
import { TextDiff } from './TextDiff';

interface ComparisonProps {
  /** Ids of the sessions. */
  readonly first: string;
  readonly second: string;
}

/** What two investigations have in common, and what not. */
export function Comparison({ first, second }: ComparisonProps) {
  const query = useQuery(comparisonQuery(first, second));
  const firstDetail = useQuery(comparedQuery(first));
  const secondDetail = useQuery(comparedQuery(second));
  // Together, so that nothing moves when the verdicts arrive. Without them the rest is shown.
  const zone = useTimeZone();
  const details = [firstDetail.data, secondDetail.data];
  useTitle(titleOf(details));
  const isPending = [query, firstDetail, secondDetail].some((each) => each.isPending);
  if (query.error && asApiError(query.error).status === 404) {
    return (
      <ErrorState
        title="A session was not found"
        error="One of the two was deleted, or its ID is wrong. Choose other sessions."
      />
    );
  }
  return (
    <>
      <LoadState query={{ ...query, isPending }} noun="the comparison" heightPx={320} />
      {query.data && !isPending && (
        <Parts
          comparison={query.data}
          first={{ side: query.data.first, detail: firstDetail.data, zone }}
          second={{ side: query.data.second, detail: secondDetail.data, zone }}
        />
      )}
    </>
  );
}

type Details = readonly (SessionDetail | undefined)[];

/** `Compare: Disk of web-1 is full`, with both titles where they differ. */
function titleOf(details: Details): string {
  const titles = new Set(details.flatMap((detail) => (detail ? [alertTitle(detail)] : [])));
  return titles.size === 0 ? 'Compare sessions' : `Compare: ${[...titles].join(' and ')}`;
}

/** Whether both are known to be about different alerts. */
function differ([first, second]: Details): boolean {
  if (first === undefined || second === undefined) return false;
  const { fingerprint } = first;
  if (fingerprint !== null && fingerprint === second.fingerprint) return false;
  return alertTitle(first) !== alertTitle(second);
}

interface PartsProps {
  readonly comparison: ComparisonOf;
  readonly first: Compared;
  readonly second: Compared;
}

function Parts({ comparison, first, second }: PartsProps) {
  return (
    <Column testId="comparison">
      {differ([first.detail, second.detail]) && (
        <Callout tone="warning" testId="different-alerts">
          These sessions are about different alerts.
        </Callout>
      )}
      <Panel title="Figures">
        <FigureTable
          figures={readFigures(first, second)}
          first={comparison.first.session_id}
          second={comparison.second.session_id}
        />
      </Panel>
      <Panel title="Calls" testId="compared-calls">
        <CallDifferences comparison={comparison} />
      </Panel>
      <Verdicts first={first} second={second} />
      <Reports comparison={comparison} first={first} second={second} />
    </Column>
  );
}

interface VerdictsProps {
  readonly first: Compared;
  readonly second: Compared;
}

function Verdicts({ first, second }: VerdictsProps) {
  const verdicts = [first.detail?.verdict ?? null, second.detail?.verdict ?? null];
  if (verdicts.every((verdict) => verdict === null)) return null;
  const [one, other] = verdicts.map((verdict) => JSON.stringify(verdict));
  return (
    <Panel title="Verdicts" testId="compared-verdicts">
      {one === other ? (
        <Disclosure summary={<Secondary component="span">Both have the same verdict</Secondary>}>
          <VerdictOf title="Both" compared={first} />
        </Disclosure>
      ) : (
        <Box
          sx={{
            display: 'grid',
            gap: 3,
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
          }}
        >
          <VerdictOf title="First" compared={first} />
          <VerdictOf title="Second" compared={second} />
        </Box>
      )}
    </Panel>
  );
}

interface VerdictOfProps {
  readonly title: string;
  readonly compared: Compared;
}

function VerdictOf({ title, compared }: VerdictOfProps) {
  const verdict = compared.detail?.verdict ?? null;
  return (
    <div>
      <Secondary size="small">{title}</Secondary>
      {verdict === null ? (
        <Secondary>No verdict.</Secondary>
      ) : (
        <>
          <Typography component="h3" dir="auto" sx={{ fontWeight: 650, mb: 1 }}>
            <InlineCode text={showBidiControls(describeFinding(verdict))} />
          </Typography>
          <VerdictDetails verdict={verdict} headings="h4" />
        </>
      )}
    </div>
  );
}

interface ReportsProps {
  readonly comparison: ComparisonOf;
  readonly first: Compared;
  readonly second: Compared;
}

function Reports({ comparison, ...compared }: ReportsProps) {
  const { first, second, same_report: same } = comparison;
  // Text of a model when one of the two has some.
  const verdicts = [compared.first, compared.second].map(({ detail }) => detail?.verdict ?? null);
  const byRules = verdicts.every((each) => each?.source === 'rules');
  const texts = [first.report.final_analysis, second.report.final_analysis];
  if (texts.every((text) => text === null)) return null;
  return (
    <Panel title="Final analysis" testId="compared-reports">
      {same && (
        <Typography sx={{ mb: 1 }}>The final analyses are the same, byte by byte.</Typography>
      )}
      <TextDiff first={first.report.final_analysis} second={second.report.final_analysis} />
      <Generated text={texts.join('\n')} verdict={byRules ? (verdicts[0] ?? null) : null} />
    </Panel>
  );
}
