/** A draft of a postmortem, written from the record of a session. What the record does not have is left to its author. */
import type { SessionDetail } from '../../api/sessions';
import { alertTitle } from '../../lib/alert';
import {
  describeCounts,
  describeDegradation,
  describeVerdict,
  isVerified,
  type ClaimCheck,
} from '../../lib/claims';
import { firstLine, inlineValue, prettyJson } from '../../lib/format';
import { codeSpan, fenced, section } from '../../lib/markdown';
import { describeStatus } from '../../lib/status';
import { formatDateTime, formatDuration } from '../../lib/time';
import { verdictToMarkdown } from '../../lib/verdict';
import type { TimelineItem } from '../../live/reduce';
import { readEvidence } from './evidence';
import { injectedSources } from './injected';
import { readMeta, toolTitle } from './itemMeta';
import { readUnexamined } from './unexamined';

interface Record {
  readonly session: SessionDetail;
  readonly items: readonly TimelineItem[];
  readonly checks: readonly ClaimCheck[];
  /** Of the session's page. */
  readonly url: string;
}

/** Stands where a person has to write. */
const TO_DO = '**TO DO:**';

/** Characters of a result that the table of evidence shows. */
const MAX_EXCERPT = 160;

/** Times are in UTC, because a document is read in many places. */
export function toPostmortem(record: Record): string {
  const { session, items } = record;
  const parts = [
    `# Postmortem: ${alertTitle(session)} (draft)`,
    `> Draft of ${record.url}, written from the record of an automated investigation. Verify every statement, and replace every ${TO_DO}`,
    section('Summary', session.executive_summary ?? `${TO_DO} what happened, in two sentences.`),
    section('Impact', impact()),
    section('Timeline of the investigation (UTC)', timeline(record)),
    section('Most likely cause', verdict(session)),
    section('Findings', session.final_analysis ?? `${TO_DO} the investigation has no findings.`),
    section('Verification', verification(record)),
    section('Evidence', evidence(record)),
    section('Not examined', gaps(items)),
    section('Follow-ups', followUps(items)),
    section('Alert', fenced(prettyJson(session.alert_data))),
  ];
  return `${parts.join('\n\n')}\n`;
}

function verdict({ verdict: found }: SessionDetail): string {
  return found === null
    ? `${TO_DO} the root cause; the investigation has no structured verdict.`
    : `${verdictToMarkdown(found)}\n\n${TO_DO} confirm or correct it.`;
}

function impact(): string {
  return [
    `- Who was affected: ${TO_DO}`,
    `- From when until when: ${TO_DO}`,
    `- How it was noticed, and by whom: ${TO_DO}`,
  ].join('\n');
}

function timeline({ session, items }: Record): string {
  const steps = items.flatMap((item) => {
    const meta = readMeta(item);
    if (item.event_type !== 'llm_tool_call' || meta.callNumber === null) return [];
    const outcome = meta.isError ? ' (failed)' : '';
    const name = `call ${meta.callNumber}: ${toolTitle(meta)} ${inlineValue(meta.arguments)}`;
    return [[item.created_at, `${name.trim()}${outcome}`] as const];
  });
  const ended = `the investigation ended: ${describeStatus(session.status).label.toLowerCase()} after ${formatDuration(session.duration_ms)}`;
  const rows = [
    [session.created_at, 'the alert was submitted'] as const,
    ...steps,
    ...(session.completed_at === null ? [] : [[session.completed_at, ended] as const]),
  ];
  return table(
    ['Time', 'Looked at'],
    rows.map(([time, text]) => [formatDateTime(time, 'utc'), text]),
  );
}

function verification({ session, items, checks }: Record): string {
  const injected = injectedSources(items);
  const lines = [
    session.claims === null
      ? 'The claims of the findings were not checked against the results.'
      : `${describeCounts(session.claims)} against the results of the calls.`,
    ...(session.degraded ? describeDegradation(session.degraded_reasons) : []),
    ...(injected.length === 0
      ? []
      : [`Text that is addressed to a model was found in ${injected.join(', ')}.`]),
  ];
  const open = checks.flatMap(({ items: claims }) => claims.filter((claim) => !isVerified(claim)));
  const flagged = open.map((claim) => {
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
    name,
    failed ? 'failed' : 'succeeded',
    firstLine(result, MAX_EXCERPT),
  ]);
  if (rows.length === 0) return 'No tool was called.';
  return table(['Call', 'Tool', 'Outcome', 'Result begins with'], rows);
}

function gaps(items: readonly TimelineItem[]): string {
  const found = readUnexamined(items).map(
    ({ call, text }) => `- ${call === null ? '' : `call ${call}: `}${text}`,
  );
  return found.length > 0 ? found.join('\n') : 'The record shows no gaps.';
}

function followUps(items: readonly TimelineItem[]): string {
  const repeat = readUnexamined(items).map(({ text }) => `- [ ] Look again: ${text}`);
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

function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('|', '\\|');
}
