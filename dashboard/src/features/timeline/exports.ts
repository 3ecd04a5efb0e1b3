/** A session as Markdown and as JSON. */
import type { SessionDetail } from '../../api/sessions';
import type { TimelineItem } from '../../live/reduce';
import { alertTitle } from '../../lib/alert';
import { prettyJson } from '../../lib/format';
import { fenced, markdownDocument, nested, plain, section } from '../../lib/markdown';
import { describeStatus } from '../../lib/status';
import { verdictToMarkdown } from '../../lib/verdict';
import { readEvidence, type Evidence } from './evidence';
import { factList } from './facts';
import { gapList } from './unexamined';

/** Findings with their evidence. */
export function toMarkdown(session: SessionDetail, items: readonly TimelineItem[], url: string) {
  const { error_message: error, verdict, executive_summary: summary } = session;
  const { final_analysis: analysis } = session;
  const evidence = readEvidence(session, items);
  return markdownDocument([
    `# ${plain(alertTitle(session))}: ${describeStatus(session.status).label}`,
    factList(session, items, url),
    error === null ? null : section('Error', plain(error)),
    verdict === null ? null : section('Verdict', verdictToMarkdown(verdict)),
    summary === null ? null : section('Executive summary', nested(summary)),
    analysis === null ? null : section('Final analysis', nested(analysis)),
    section('Not examined', gapList(items)),
    section('Alert', fenced(prettyJson(session.alert_data))),
    '## Evidence',
    ...(evidence.length === 0 ? ['No tool was called.'] : evidence.map(evidenceSection)),
    'Automated analysis. Verify before you act.',
  ]);
}

export function toJson(session: SessionDetail, items: readonly TimelineItem[]): string {
  const timeline = items.map(({ bytes: _bytes, progressMessage: _progress, ...event }) => event);
  return `${JSON.stringify({ session, timeline }, null, 2)}\n`;
}

function evidenceSection({ number, name, arguments: args, result, failed, cut }: Evidence): string {
  const heading = failed ? 'Error' : 'Result';
  return [
    `### call ${number}: ${plain(name)}`,
    ...(args === '' ? [] : ['Arguments', fenced(args)]),
    cut ? `${heading} (truncated)` : heading,
    fenced(result),
  ].join('\n\n');
}
