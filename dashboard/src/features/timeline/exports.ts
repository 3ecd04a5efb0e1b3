/** A session as Markdown and as JSON. */
import type { SessionDetail } from '../../api/sessions';
import type { TimelineItem } from '../../live/reduce';
import { alertTitle } from '../../lib/session/alert';
import { download } from '../../lib/browser/download';
import { failureSentences } from '../../lib/session/failure';
import { prettyJson } from '../../lib/text/format';
import { fenced, markdownDocument, nested, plain, section } from '../../lib/text/markdown';
import { pages } from '../../lib/browser/paths';
import { urlOf } from '../../lib/session/share';
import { describeStatus } from '../../lib/session/status';
import { verdictToMarkdown } from '../../lib/session/verdict';
import { readEvidence, type Evidence } from './evidence';
import { factList } from './facts';
import { gapList } from './unexamined';

/** Saves the findings with their evidence. */
export function saveMarkdown(session: SessionDetail, items: readonly TimelineItem[]): void {
  const text = toMarkdown(session, items, urlOf(pages.session(session.id)));
  download(`tarsy-${session.id}.md`, 'text/markdown', text);
}

/** Saves the session with its whole timeline. */
export function saveJson(session: SessionDetail, items: readonly TimelineItem[]): void {
  download(`tarsy-${session.id}.json`, 'application/json', toJson(session, items));
}

function toMarkdown(session: SessionDetail, items: readonly TimelineItem[], url: string) {
  const { verdict, executive_summary: summary } = session;
  const error = failureSentences(session);
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

function toJson(session: SessionDetail, items: readonly TimelineItem[]): string {
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
