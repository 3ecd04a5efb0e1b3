/** The figures of two sessions, as rows of a table. */
import type { ComparisonSide } from '../../api/comparison';
import type { SessionDetail } from '../../api/sessions';
import { alertTitle } from '../../lib/session/alert';
import { describeDegradation } from '../../lib/session/claims';
import { approximate, formatCost, formatExact, humanize, plural } from '../../lib/text/format';
import { describeStatus } from '../../lib/session/status';
import { formatDateTime, formatDuration } from '../../lib/time/time';
import type { TimeZone } from '../../lib/time/timeZone';
import {
  describeConfidence,
  describeFinding,
  describeObject,
  statesCause,
} from '../../lib/session/verdict';

/** A compared session: its side of the comparison, and its detail once that is loaded. */
export interface Compared {
  readonly side: ComparisonSide;
  readonly detail: SessionDetail | undefined;
  readonly zone: TimeZone;
}

export interface Figure {
  readonly name: string;
  readonly first: string;
  readonly second: string;
}

const readers: readonly (readonly [string, (compared: Compared) => string])[] = [
  ['Alert', ({ detail }) => (detail === undefined ? '–' : alertTitle(detail))],
  ['Alert type', ({ detail }) => detail?.alert_type ?? '–'],
  ['Created', ({ detail, zone }) => formatDateTime(detail?.created_at, zone)],
  ['Status', ({ side }) => describeStatus(side.report.status).label],
  ['Cause', ({ detail }) => ofVerdict(detail, describeFinding)],
  ['Object', ({ detail }) => ofCause(detail, ({ object }) => object && describeObject(object))],
  ['Category', ({ detail }) => ofCause(detail, ({ category }) => humanize(category))],
  [
    'Confidence',
    ({ detail }) => ofCause(detail, ({ confidence }) => describeConfidence(confidence).label),
  ],
  ['Review', ({ detail }) => (detail?.review ? humanize(detail.review) : '–')],
  ['Degraded', ({ detail }) => describeDegraded(detail)],
  ['Claims', ({ side }) => describeClaims(side)],
  ['Tool calls', ({ side }) => describeCalls(side)],
  ['LLM calls', ({ side }) => exact(side.usage.llm_calls)],
  ['Tokens', ({ side }) => describeTokens(side)],
  ['Cost', ({ side }) => describeCost(side)],
  ['Duration', ({ side }) => formatDuration(side.usage.duration_ms)],
  ['Chain', ({ detail }) => detail?.chain_id ?? '–'],
  ['Providers', ({ side }) => joined(side.usage.providers)],
  ['Prompt templates', ({ side }) => joined(side.usage.prompt_versions)],
  ['TARSy version', ({ side }) => joined(side.usage.tarsy_versions)],
];

export function readFigures(first: Compared, second: Compared): readonly Figure[] {
  return readers.map(([name, read]) => ({ name, first: read(first), second: read(second) }));
}

function describeDegraded(detail: SessionDetail | undefined): string {
  if (detail === undefined) return '–';
  return detail.degraded ? describeDegradation(detail.degraded_reasons, detail).join(' ') : 'no';
}

/** Of a verdict that states a cause. */
function ofCause(
  detail: SessionDetail | undefined,
  read: (verdict: NonNullable<SessionDetail['verdict']>) => string | null,
): string {
  return ofVerdict(detail, (verdict) => (statesCause(verdict) ? read(verdict) : null));
}

function ofVerdict(
  detail: SessionDetail | undefined,
  read: (verdict: NonNullable<SessionDetail['verdict']>) => string | null,
): string {
  const verdict = detail?.verdict;
  const text = verdict ? read(verdict) : null;
  return text === null || text === '' ? '–' : text;
}

function describeClaims({ claims }: ComparisonSide): string {
  if (claims.claims === 0) return 'none';
  const parts = [
    `${claims.supported} of ${claims.claims} supported`,
    counted(claims.supported_elsewhere, 'by another call'),
    counted(claims.unsupported, 'not supported'),
    counted(claims.contradicted, 'contradicted'),
    counted(claims.ghost_citations, 'of calls that were not made'),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function counted(count: number, what: string): string {
  return count === 0 ? '' : `${formatExact(count)} ${what}`;
}

function describeCalls({ tool_calls: calls, failed_tool_calls: failed }: ComparisonSide): string {
  return failed === 0 ? formatExact(calls) : `${formatExact(calls)}, ${formatExact(failed)} failed`;
}

function describeTokens({ usage }: ComparisonSide): string {
  const { total_tokens: total, input_tokens: input, output_tokens: output } = usage;
  if (total === null) return '–';
  const shown = `${plural(total, 'token')} (${exact(input)} in, ${exact(output)} out)`;
  return approximate(shown, usage.tokens_estimated);
}

function describeCost({ usage }: ComparisonSide): string {
  return usage.cost_micro_usd === null ? '–' : formatCost(usage.cost_micro_usd);
}

function exact(value: number | null): string {
  return value === null ? '–' : formatExact(value);
}

function joined(texts: readonly string[]): string {
  return texts.length === 0 ? '–' : texts.join(', ');
}
