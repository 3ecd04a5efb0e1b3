import { Box, Typography } from '@mui/material';
import { lazy, Suspense, type ReactNode } from 'react';
import { showBidiControls } from '../../lib/text/bidi';
import type { Chart } from '../../lib/session/chart';
import { humanize } from '../../lib/text/format';
import {
  commandsOf,
  describeChange,
  describeConfidence,
  describeSource,
  describeStatement,
  hintOf,
  statesCause,
  type Alternative,
  type Verdict,
  type VerdictEvidence,
  type VerdictObject,
  byCall,
  describeLines,
} from '../../lib/session/verdict';
import { membersOf } from '../../lib/text/members';
import { parseTime } from '../../lib/time/time';
import { Badge } from '../badges/Badge';
import { CallLink, CitedText } from '../markdown/citations';
import { CopyButton } from '../text/CopyButton';
import { Disclosure } from '../layout/Disclosure';
import { InlineCode } from '../markdown/InlineCode';
import { Secondary } from '../layout/Secondary';
import { DateTime, RelativeTime } from '../numbers/times';
import { plainList, quotation } from '../theme/tokens';

const SeriesChart = lazy(async () => ({
  default: (await import('../numbers/SeriesChart')).SeriesChart,
}));
/** A chart with its caption and its times. */
const CHART_PX = 140;

interface VerdictDetailsProps {
  readonly verdict: Verdict;
  /** The headings of the parts; they follow the one of the verdict. */
  readonly headings?: 'h3' | 'h4';
  /** Folds what the finding rests on, and leaves out what stands elsewhere: what was not examined, an answer that is the title. */
  readonly folds?: boolean;
}

/** What a verdict states besides its cause. */
export function VerdictDetails({ verdict, headings = 'h3', folds = false }: VerdictDetailsProps) {
  const { evidence, alternatives, charts, not_examined: gaps, next_steps: steps } = verdict;
  return (
    <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      {verdict.answer !== '' && (statesCause(verdict) || !folds) && (
        <Box dir="auto" data-testid="verdict-answer" sx={{ overflowWrap: 'anywhere' }}>
          <CitedText text={verdict.answer} />
        </Box>
      )}
      <Facts verdict={verdict} />
      <Part title="Weakest hint, not a cause" element={headings} shown={hintOf(verdict) !== null}>
        <Box dir="auto" data-testid="verdict-hint">
          <InlineCode text={showBidiControls(hintOf(verdict) ?? '')} />
        </Box>
      </Part>
      <OverTime charts={charts} headings={headings} />
      <Part title="Next steps, safest first" element={headings} shown={steps.length > 0}>
        <Box component="ol" dir="auto" sx={textList}>
          {steps.map((step, at) => (
            <li key={`${at}:${step}`}>
              <CitedText text={step} />
              {folds && <Commands step={step} />}
            </li>
          ))}
        </Box>
      </Part>
      <Part
        title="Evidence"
        element={headings}
        shown={evidence.length > 0}
        folded={folds ? evidence.length : null}
      >
        <Quotations evidence={evidence} />
      </Part>
      <Part
        title={statesCause(verdict) ? 'Alternatives' : 'Also seen'}
        element={headings}
        shown={alternatives.length > 0}
        folded={folds ? alternatives.length : null}
      >
        <Box component="ul" sx={textList}>
          {alternatives.map((alternative, at) => (
            <li key={`${at}:${alternative.cause}`}>
              <AlternativeCause alternative={alternative} />
            </li>
          ))}
        </Box>
      </Part>
      <Part title="What was not examined" element={headings} shown={gaps.length > 0 && !folds}>
        <Box component="ul" dir="auto" sx={textList}>
          {gaps.map(({ what, why }, at) => (
            <li key={`${at}:${what}`}>
              <CitedText text={why === '' ? what : `${what}: ${why}`} />
            </li>
          ))}
        </Box>
      </Part>
    </Box>
  );
}

interface OverTimeProps {
  readonly charts: readonly Chart[];
  readonly headings: 'h3' | 'h4';
}

function OverTime({ charts, headings }: OverTimeProps) {
  return (
    <Part title="Over time" element={headings} shown={charts.length > 0}>
      <Box sx={{ display: 'grid', gap: 1.5 }}>
        {charts.map((chart, at) => (
          <Suspense key={`${at}:${chart.metric}`} fallback={<Box sx={{ height: CHART_PX }} />}>
            <SeriesChart chart={chart} />
          </Suspense>
        ))}
      </Box>
    </Part>
  );
}

const textList = { m: 0, pl: 2.5, fontSize: '0.875rem', overflowWrap: 'anywhere' } as const;

interface PartProps {
  readonly title: string;
  readonly element: 'h3' | 'h4';
  readonly shown: boolean;
  /** How much there is, of a part that is opened on demand. */
  readonly folded?: number | null;
  readonly children: ReactNode;
}

function Part({ title, element, shown, folded = null, children }: PartProps) {
  if (!shown) return null;
  if (folded !== null) {
    return (
      <Disclosure
        testId="verdict-part"
        summary={
          <Typography component={element} sx={partTitle}>
            {`${title} (${folded})`}
          </Typography>
        }
      >
        {children}
      </Disclosure>
    );
  }
  return (
    <div>
      <Typography component={element} sx={{ ...partTitle, mb: 0.5 }}>
        {title}
      </Typography>
      {children}
    </div>
  );
}

const partTitle = { fontSize: '0.8125rem', fontWeight: 650, color: 'text.secondary' } as const;

/** A copy button for each command of a step: a code span with arguments. */
function Commands({ step }: { readonly step: string }) {
  return commandsOf(step).map((command) => (
    <CopyButton key={command} text={command} label={`Copy command: ${command}`} />
  ));
}

/** `other` says nothing. */
const namesCategory = (category: string): boolean => category !== '' && category !== 'other';

/** Category, object, beginning, confidence and source on one line. */
function Facts({ verdict }: { readonly verdict: Verdict }) {
  const { category, object, since, confidence, source } = verdict;
  const { label, tone } = describeConfidence(confidence);
  const isCause = statesCause(verdict);
  const statement = describeStatement(verdict);
  return (
    <Box
      data-testid="verdict-facts"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1.5, rowGap: 0.75 }}
    >
      {isCause && object !== null && <ObjectName object={object} />}
      {isCause && namesCategory(category) && (
        <Secondary component="span">{humanize(category)}</Secondary>
      )}
      {isCause && since !== null && (
        <Secondary component="span">
          Since <Since at={since} />
        </Secondary>
      )}
      {statement !== '' && (
        <Badge tone="neutral" testId="verdict-statement">
          {statement}
        </Badge>
      )}
      {isCause && (
        <Badge tone={tone} testId="verdict-confidence">
          {label}
        </Badge>
      )}
      <Badge tone="neutral" testId="verdict-source">
        {describeSource(source)}
      </Badge>
    </Box>
  );
}

/** How long ago and when; an age as the result shows it. */
function Since({ at }: { readonly at: string }) {
  if (parseTime(at) === null) return <bdi>{showBidiControls(at)}</bdi>;
  return (
    <>
      <RelativeTime at={at} updateEveryMs={30_000} /> (<DateTime at={at} />)
    </>
  );
}

function ObjectName({ object }: { readonly object: VerdictObject }) {
  const { kind, name, namespace } = object;
  return (
    <Box component="span" data-testid="verdict-object" sx={{ overflowWrap: 'anywhere' }}>
      {showBidiControls(kind)} <code>{showBidiControls(name)}</code>
      {namespace !== null && (
        <>
          {' in namespace '}
          <code>{showBidiControls(namespace)}</code>
        </>
      )}
    </Box>
  );
}

/** Lines of results, objects of JSON by member; those of one call together, with a link to it, where they are word for word. */
function Quotations({ evidence }: { readonly evidence: readonly VerdictEvidence[] }) {
  return (
    <Box component="ul" sx={plainList}>
      {byCall(evidence).map((lines, at) => (
        <Box component="li" key={at} data-testid="verdict-evidence" sx={{ '& + &': { mt: 0.75 } }}>
          <Box component="blockquote" dir="auto" sx={quotation}>
            {lines.map(({ text }) => showBidiControls(membersOf(text) ?? text)).join('\n')}
          </Box>
          <Secondary component="span">
            <CallLink number={lines[0].call}>call {lines[0].call}</CallLink>
            {describeLines(lines)}
          </Secondary>
        </Box>
      ))}
    </Box>
  );
}

function AlternativeCause({ alternative }: { readonly alternative: Alternative }) {
  const { cause, category, object, because, evidence, change } = alternative;
  return (
    <Box sx={{ mb: 0.75 }}>
      <Box dir="auto">
        <strong>
          <InlineCode text={showBidiControls(cause)} />
        </strong>
        {because !== '' && (
          <>
            {': '}
            <CitedText text={because} />
          </>
        )}
      </Box>
      {(object !== null || namesCategory(category)) && (
        <Secondary component="div">
          {object !== null && <ObjectName object={object} />}
          {object !== null && namesCategory(category) && ' · '}
          {namesCategory(category) && humanize(category)}
        </Secondary>
      )}
      {change !== null && (
        <Secondary component="div">
          Would be explained by {showBidiControls(describeChange(change))} (
          <DateTime at={change.occurred_at} />)
        </Secondary>
      )}
      <Quotations evidence={evidence} />
    </Box>
  );
}
