/** A draft of a postmortem, written from the record of a session. What the record does not have is left to its author. */
import type { Review } from '../../api/reviews';
import type { SessionDetail } from '../../api/sessions';
import { alertPlace, alertTitle } from '../../lib/alert';
import {
  describeCounts,
  describeDegradation,
  describeVerdict,
  openClaims,
  type ClaimCheck,
} from '../../lib/claims';
import { firstLine, inlineValue, prettyJson } from '../../lib/format';
import { codeSpan, fenced, markdownDocument, nested, plain, section } from '../../lib/markdown';
import { describeReview } from '../../lib/review';
import { describeStatus } from '../../lib/status';
import { formatDateTime, formatDuration } from '../../lib/time';
import { verdictToMarkdown } from '../../lib/verdict';
import type { TimelineItem } from '../../live/reduce';
import { readEvidence } from './evidence';
import { factList } from './facts';
import { injectedSources } from './injected';
import { readMeta, toolTitle } from './itemMeta';
import { gapList, readUnexamined } from './unexamined';

interface Record {
  readonly session: SessionDetail;
  readonly items: readonly TimelineItem[];
  readonly checks: readonly ClaimCheck[];
  /** The review that counts; null without one. */
  readonly review: Review | null;
  /** Of the session's page. */
  readonly url: string;
}

/** Stands where a person has to write. */
const TO_DO = '**TO DO:**';

/** Characters of a result that the table of evidence shows. */
const MAX_EXCERPT = 160;

/** Times are in UTC, because a document is read in many places. */
export function toPostmortem(record: Record): string {
  const { session, items, url } = record;
  const { executive_summary: summary, final_analysis: analysis } = session;
  return markdownDocument([
    `# Postmortem: ${plain(alertTitle(session))} (draft)`,
    `> Draft of ${url}, written from the record of an automated investigation. Verify every statement, and replace every ${TO_DO}`,
    factList(session, items, url),
    section(
      'Summary',
      summary === null ? `${TO_DO} what happened, in two sentences.` : nested(summary),
    ),
    section('Impact', impact(session)),
    section('Timeline of the investigation (UTC)', timeline(record)),
    section('Most likely cause', cause(record)),
    section(
      'Findings',
      analysis === null ? `${TO_DO} the investigation has no findings.` : nested(analysis),
    ),
    section('Verification', verification(record)),
    section('Evidence', evidence(record)),
    section('Not examined', gapList(items)),
    section('Follow-ups', followUps(items)),
    section('Alert', fenced(prettyJson(session.alert_data))),
  ]);
}

/** A review is about the verdict; a cause that a person names stands above it. */
function cause({ session: { verdict }, review }: Record): string {
  const reviewed = review === null ? '' : reviewOf(review);
  if (verdict === null) {
    return reviewed === ''
      ? `${TO_DO} the root cause; the investigation has no structured verdict.`
      : reviewed;
  }
  const open = review === null ? `${TO_DO} confirm or correct it.` : '';
  return [reviewed, verdictToMarkdown(verdict), open].filter((part) => part !== '').join('\n\n');
}

function reviewOf({ review, actual_cause: actual, reviewer, reviewed_at: at }: Review): string {
  const label = describeReview(review).label.toLowerCase();
  const who = `${plain(reviewer)}, ${formatDateTime(at, 'utc')}`;
  const lines = [`The finding was reviewed as ${label} (${who}).`];
  if (actual !== null) lines.unshift(`**Actual cause:** ${plain(actual)}`);
  return lines.join('\n\n');
}

function impact(session: SessionDetail): string {
  const place = alertPlace(session);
  return [
    ...(place === '' ? [] : [`- Where, as the alert states it: ${plain(place)}`]),
    `- Who was affected: ${TO_DO}`,
    `- From when until when: ${TO_DO}`,
    `- How it was noticed, and by whom: ${TO_DO}`,
  ].join('\n');
}

function timeline({ session, items }: Record): string {
  const ended = `the investigation ended: ${describeStatus(session.status).label.toLowerCase()} after ${formatDuration(session.duration_ms)}`;
  const rows: readonly (readonly [string, string])[] = [
    [session.created_at, 'the alert was submitted'],
    ...items.flatMap(momentOf),
    ...(session.completed_at === null ? [] : [[session.completed_at, ended] as const]),
  ];
  return table(
    ['Time', 'What happened'],
    rows.map(([time, text]) => [formatDateTime(time, 'utc'), text]),
  );
}

/** A tool call, or an alert of a source that came later. */
function momentOf(item: TimelineItem): readonly (readonly [string, string])[] {
  const meta = readMeta(item);
  if (item.event_type === 'alert_received') {
    const source = meta.source === null ? '' : ` from ${plain(meta.source)}`;
    return [[item.created_at, `alert${source}: ${plain(meta.alertStatus ?? 'received')}`]];
  }
  if (item.event_type !== 'llm_tool_call' || meta.callNumber === null) return [];
  const outcome = meta.isError ? ' (failed)' : '';
  const args = inlineValue(meta.arguments);
  const call = `call ${meta.callNumber}: ${plain(toolTitle(meta))}`;
  return [[item.created_at, `${call}${args === '' ? '' : ` ${codeSpan(args)}`}${outcome}`]];
}

function verification({ session, items, checks }: Record): string {
  const injected = injectedSources(items);
  const lines = [
    session.claims === null
      ? 'The claims of the findings were not checked against the results.'
      : `${describeCounts(session.claims)}.`,
    ...(session.degraded ? describeDegradation(session.degraded_reasons, session) : []),
    ...(injected.length === 0
      ? []
      : [`Text that is addressed to a model was found in ${injected.join(', ')}.`]),
  ];
  const flagged = openClaims(checks).map((claim) => {
    const { label } = describeVerdict(claim.verdict);
    const shown = claim.shown === null ? '' : `; the result shows ${codeSpan(claim.shown)}`;
    const where = claim.call === null ? '' : `, call ${claim.call}`;
    return `- ${codeSpan(claim.text)}: ${label.toLowerCase()}${where}${shown}`;
  });
  return [lines.join(' '), flagged.join('\n')].filter((part) => part !== '').join('\n\n');
}

function evidence({ session, items }: Record): string {
  const rows = readEvidence(session, items).map(({ number, name, result, failed }) => [
    `call ${number}`,
    plain(name),
    failed ? 'failed' : 'succeeded',
    result.trim() === '' ? '–' : codeSpan(firstLine(result, MAX_EXCERPT)),
  ]);
  if (rows.length === 0) return 'No tool was called.';
  return table(['Call', 'Tool', 'Outcome', 'Result begins with'], rows);
}

function followUps(items: readonly TimelineItem[]): string {
  const repeat = readUnexamined(items).map(({ text }) => `- [ ] Look again: ${plain(text)}`);
  return [
    `- [ ] ${TO_DO} what prevents it from happening again`,
    `- [ ] ${TO_DO} what would have found it earlier`,
    ...repeat,
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** A pipe ends a cell, also one in a code span. */
function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/(?<!\\)\|/g, String.raw`\|`);
}
