/** A session as Markdown and as JSON. */
import type { SessionDetail } from '../../api/sessions';
import type { TimelineItem } from '../../live/reduce';
import { alertTitle } from '../../lib/alert';
import { describeCounts, describeDegradation } from '../../lib/claims';
import { prettyJson } from '../../lib/format';
import { fenced, section } from '../../lib/markdown';
import { describeStatus } from '../../lib/status';
import { formatDateTime, formatDuration } from '../../lib/time';
import { verdictToMarkdown } from '../../lib/verdict';
import { injectedSources } from './injected';
import { readEvidence, type Evidence } from './evidence';

/** Findings with their evidence. Times are in UTC, because a document is read in many places. */
export function toMarkdown(session: SessionDetail, items: readonly TimelineItem[], url: string) {
  const parts = [
    `# ${alertTitle(session)}: ${describeStatus(session.status).label}`,
    facts(session, items, url),
    session.error_message === null ? null : section('Error', session.error_message),
    session.verdict === null ? null : section('Verdict', verdictToMarkdown(session.verdict)),
    session.executive_summary === null
      ? null
      : section('Executive summary', session.executive_summary),
    session.final_analysis === null ? null : section('Final analysis', session.final_analysis),
    section('Alert', fenced(prettyJson(session.alert_data))),
    '## Evidence',
    ...readEvidence(session, items).map(evidenceSection),
    'Automated analysis. Verify before you act.',
  ];
  return `${parts.filter((part) => part !== null).join('\n\n')}\n`;
}

export function toJson(session: SessionDetail, items: readonly TimelineItem[]): string {
  const timeline = items.map(({ bytes: _bytes, progressMessage: _progress, ...event }) => event);
  return `${JSON.stringify({ session, timeline }, null, 2)}\n`;
}

function facts(session: SessionDetail, items: readonly TimelineItem[], url: string): string {
  const injected = injectedSources(items);
  const lines = [
    ['Session', url],
    ['Chain', session.chain_id],
    ['Author', session.author ?? '–'],
    ['Created', formatDateTime(session.created_at, 'utc')],
    ['Completed', formatDateTime(session.completed_at, 'utc')],
    ['Duration', formatDuration(session.duration_ms)],
    ...(session.claims === null ? [] : [['Claims', describeCounts(session.claims)]]),
    ...(session.degraded
      ? [['Degraded', describeDegradation(session.degraded_reasons).join(' ')]]
      : []),
    ...(injected.length === 0 ? [] : [['Injected instructions', injected.join(', ')]]),
  ];
  return lines.map(([term, value]) => `- ${term}: ${value}`).join('\n');
}

function evidenceSection({ number, name, arguments: args, result, failed, cut }: Evidence): string {
  const heading = failed ? 'Error' : 'Result';
  return [
    `### call ${number}: ${name}`,
    ...(args === '' ? [] : ['Arguments', fenced(args)]),
    cut ? `${heading} (truncated)` : heading,
    fenced(result),
  ].join('\n\n');
}
