/** The findings of a session with the tool calls that they cite, for reports and exports. */
import type { SessionDetail } from '../../api/sessions';
import type { TimelineItem } from '../../live/reduce';
import { splitCitations } from '../../lib/session/citations';
import { prettyJson, printValue } from '../../lib/text/format';
import { readMeta, toolTitle } from './itemMeta';
import type { ShownAbove } from './repetition';

export interface Evidence {
  readonly number: number;
  /** `server.tool`. */
  readonly name: string;
  readonly arguments: string;
  readonly result: string;
  readonly failed: boolean;
  /** True when the timeline has only the beginning of the result. */
  readonly cut: boolean;
}

/** The cited calls in the order of their numbers; without citations all calls. */
export function readEvidence(
  session: SessionDetail,
  items: readonly TimelineItem[],
): readonly Evidence[] {
  const calls = items.flatMap(readCall);
  const { final_analysis: analysis, executive_summary: summary, verdict } = session;
  const cited = callsOfFindings({ analysis, summary, verdict });
  const shown = cited.size === 0 ? calls : calls.filter(({ number }) => cited.has(number));
  return shown.toSorted((one, other) => one.number - other.number);
}

/** The numbers of the calls that the findings and the verdict rest on. */
export function callsOfFindings(findings: ShownAbove): ReadonlySet<number> {
  const { analysis, summary, verdict } = findings;
  const lines = [verdict, ...(verdict?.alternatives ?? [])].flatMap((of) => of?.evidence ?? []);
  const cited = citedCalls(`${summary ?? ''}\n${analysis ?? ''}`);
  return new Set([...cited, ...lines.map(({ call }) => call)]);
}

function citedCalls(text: string): ReadonlySet<number> {
  return new Set(
    splitCitations(text).flatMap((part) => (typeof part === 'string' ? [] : [part.number])),
  );
}

function readCall(item: TimelineItem): readonly Evidence[] {
  const meta = readMeta(item);
  if (item.event_type !== 'llm_tool_call' || meta.callNumber === null) return [];
  return [
    {
      number: meta.callNumber,
      name: toolTitle(meta),
      arguments: printValue(meta.arguments),
      result: prettyJson(item.content === '' ? (meta.errorMessage ?? '') : item.content),
      failed: meta.isError,
      cut: meta.cut,
    },
  ];
}
