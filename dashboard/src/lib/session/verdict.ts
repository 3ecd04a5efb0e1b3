/** The structured verdict of a session: its most likely cause with the evidence for it, or that none was found. */
import { ends, formatValue, sparkline, type Chart } from './chart';
import type { Tone } from './status';
import { humanize } from '../text/format';
import { codeSpan } from '../text/markdown';

export interface VerdictObject {
  /** As its system names it: `Pod`, `Deployment`, `host`. */
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | null;
}

/** A line of a result. */
export interface VerdictEvidence {
  /** The number of the call in its session. */
  readonly call: number;
  /** From 1. */
  readonly line: number | null;
  /** Word for word. */
  readonly text: string;
}

/** A change that explains the cause, as the investigation was given it. */
export interface VerdictChange {
  readonly id: string | null;
  readonly kind: string;
  readonly object: string | null;
  readonly occurred_at: string;
  readonly text: string;
}

export interface Alternative {
  readonly cause: string;
  readonly category: string;
  readonly object: VerdictObject | null;
  /** Why it is ruled out or ranks lower. */
  readonly because: string;
  readonly evidence: readonly VerdictEvidence[];
  /** The change that would explain it. */
  readonly change: VerdictChange | null;
}

export interface Verdict {
  /** `cause_found`, `no_fault_found` or `not_examinable`. */
  readonly outcome: string;
  /** What became of the alert's own statement: `confirmed`, `not_confirmed` or `not_visible`. */
  readonly alert_statement: string;
  /** The same in a sentence; empty if the author wrote none. */
  readonly answer: string;
  /** Without the outcome `cause_found` the weakest hint, or empty. */
  readonly cause: string;
  readonly category: string;
  readonly object: VerdictObject | null;
  /** A time or an age, as a result shows it. */
  readonly since: string | null;
  /** `low`, `medium` or `high`. */
  readonly confidence: string;
  readonly evidence: readonly VerdictEvidence[];
  readonly change: VerdictChange | null;
  readonly alternatives: readonly Alternative[];
  readonly not_examined: readonly { readonly what: string; readonly why: string }[];
  /** The safest first. */
  readonly next_steps: readonly string[];
  /** The metrics over time that the evidence names, or that changed. */
  readonly charts: readonly Chart[];
  /** `model` or `rules`. */
  readonly source: string;
}

interface ConfidenceDescription {
  readonly label: string;
  readonly tone: Tone;
}

const confidences: Readonly<Record<string, ConfidenceDescription>> = {
  high: { label: 'High confidence', tone: 'success' },
  medium: { label: 'Medium confidence', tone: 'info' },
  low: { label: 'Low confidence', tone: 'warning' },
};

export function describeConfidence(confidence: string): ConfidenceDescription {
  const label = confidence === '' ? 'Confidence not stated' : `Confidence: ${confidence}`;
  return confidences[confidence] ?? { label, tone: 'neutral' };
}

const statements: Readonly<Record<string, string>> = {
  confirmed: 'Alert confirmed',
  not_confirmed: 'Alert not confirmed',
  not_visible: 'Alert cannot be seen from here',
};

/** What became of the alert's own statement; empty if the API does not say. */
export function describeStatement({ alert_statement: statement }: Verdict): string {
  return statements[statement] ?? '';
}

/** Whether it states a cause; what it has as a cause otherwise is a hint. */
export function statesCause({ outcome, confidence }: Verdict): boolean {
  return outcome !== 'no_fault_found' && outcome !== 'not_examinable' && confidence !== 'low';
}

/** What was found, in a few words: the cause, or that there is none. */
export function describeFinding(verdict: Verdict): string {
  if (statesCause(verdict)) return verdict.cause;
  if (verdict.outcome === 'not_examinable') return 'Cannot be examined';
  const isOpen = verdict.cause !== '' || verdict.alert_statement === 'confirmed';
  return isOpen ? 'Cause not found' : 'No fault found';
}

/** What speaks for a cause without deciding, where none is stated. */
export function hintOf(verdict: Verdict): string | null {
  return statesCause(verdict) || verdict.cause === '' ? null : verdict.cause;
}

/** Who decided, and what follows from that for the reader. */
export function describeSource(source: string): string {
  if (source === 'both') return 'By rules and AI-generated, verify';
  return source === 'rules' ? 'By rules' : 'AI-generated, verify';
}

/** The commands of a next step: its code spans that have arguments, each once. */
export function commandsOf(step: string): readonly string[] {
  const spans = [...step.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span.trim());
  return [...new Set(spans.filter((span) => /\s/.test(span)))];
}

/** `Pod payments-7d9 in namespace shop`. */
export function describeObject({ kind, name, namespace }: VerdictObject): string {
  return `${kind} ${name}${namespace === null ? '' : ` in namespace ${namespace}`}`;
}

/** `call 3, line 17`. */
export function describePlace({ call, line }: VerdictEvidence): string {
  return line === null ? `call ${call}` : `call ${call}, line ${line}`;
}

type Lines = readonly [VerdictEvidence, ...VerdictEvidence[]];

/** The order stays: the strongest line of the first call is the first one. */
export function byCall(evidence: readonly VerdictEvidence[]): readonly Lines[] {
  const calls = new Map<number, [VerdictEvidence, ...VerdictEvidence[]]>();
  for (const line of evidence) {
    const others = calls.get(line.call);
    if (others) others.push(line);
    else calls.set(line.call, [line]);
  }
  return [...calls.values()];
}

/** `, line 17` or `, lines 3, 4, 17`; empty if none is known. */
export function describeLines(lines: Lines): string {
  const numbers = lines.flatMap(({ line }) => line ?? []);
  if (numbers.length === 0) return '';
  return `, ${numbers.length === 1 ? 'line' : 'lines'} ${numbers.join(', ')}`;
}

/** The verdict as the content of a section of a Markdown document. */
export function verdictToMarkdown(verdict: Verdict): string {
  const { alternatives, not_examined: gaps, next_steps: steps } = verdict;
  const hint = hintOf(verdict);
  const parts = [
    `**${oneLine(describeFinding(verdict))}**`,
    oneLine(verdict.answer),
    facts(verdict),
    titled('Weakest hint', hint === null ? [] : [`- ${oneLine(hint)}`]),
    titled('Over time', verdict.charts.map(overTime)),
    titled('Evidence', quotations(verdict.evidence)),
    titled(statesCause(verdict) ? 'Alternatives' : 'Also seen', alternatives.map(alternative)),
    titled(
      'Not examined',
      gaps.map(({ what, why }) => `- ${oneLine(what)}${why === '' ? '' : `: ${oneLine(why)}`}`),
    ),
    titled(
      'Next steps, safest first',
      steps.map((step, index) => `${index + 1}. ${oneLine(step)}`),
    ),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function facts(verdict: Verdict): string {
  const { category, object, since, change, confidence, source } = verdict;
  const statement = describeStatement(verdict);
  if (!statesCause(verdict)) {
    return [statement, describeSource(source)]
      .filter((line) => line !== '')
      .map((line) => `- ${line}`)
      .join('\n');
  }
  const lines = [
    statement === '' ? null : `- ${statement}`,
    category === '' ? null : `- Category: ${humanize(category)}`,
    object === null ? null : `- Object: ${codeSpan(describeObject(object))}`,
    since === null ? null : `- Since: ${oneLine(since)}`,
    change && explained(change),
    `- ${describeConfidence(confidence).label}`,
    `- ${describeSource(source)}`,
  ];
  return lines.filter((line) => line !== null).join('\n');
}

/** `- Explained by: `Deployment/checkout`, 2026-03-01T10:02:00Z: 1.8.1 → 1.8.2`. */
function explained({ kind, object, occurred_at: at, text }: VerdictChange): string {
  return `- Explained by: ${codeSpan(object ?? humanize(kind))}, ${at}: ${oneLine(text)}`;
}

/** `Deployment/checkout: 1.8.1 → 1.8.2`. */
export function describeChange({ kind, object, text }: VerdictChange): string {
  return `${object ?? humanize(kind)}: ${oneLine(text)}`;
}

function titled(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `### ${title}\n\n${lines.join('\n')}`;
}

function quotations(evidence: readonly VerdictEvidence[]): readonly string[] {
  return evidence.map((line) => `- ${codeSpan(line.text)} ([${describePlace(line)}])`);
}

/** `- `cpu` of db-1: 12 % → 96 % since 2026-03-01T10:02:00Z ▁▁▇█ ([call 3])`. */
function overTime(chart: Chart): string {
  const { metric, object, unit, call, change } = chart;
  const range = ends(chart);
  const values =
    range === null ? '' : `: ${formatValue(range[0], unit)} → ${formatValue(range[1], unit)}`;
  const of = object === '' ? '' : ` of ${oneLine(object)}`;
  const since = change === null ? '' : ` since ${change.at}`;
  return `- ${codeSpan(metric)}${of}${values}${since} ${sparkline(chart)} ([call ${call}])`;
}

function alternative({ cause, object, because, evidence, change }: Alternative): string {
  const about = object === null ? '' : ` (${codeSpan(describeObject(object))})`;
  const reason = because === '' ? '' : `: ${oneLine(because)}`;
  const lines =
    change === null ? quotations(evidence) : [explained(change), ...quotations(evidence)];
  const quoted = lines.map((line) => `\n  ${line}`);
  return `- ${oneLine(cause)}${about}${reason}${quoted.join('')}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
