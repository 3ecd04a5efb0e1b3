/** Claims of texts that models wrote, and what the results of tool calls show about them. */
import type { Tone } from './status';

export interface Claim {
  /** `citation`, `quantity`, `time`, `quotation` or `name`. */
  readonly kind: string;
  /** As it stands in the text; a long one is cut. */
  readonly text: string;
  /** Its place in the Markdown source, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly verdict: string;
  /** The call and the line of its result that show it, or something else instead. */
  readonly call: number | null;
  readonly line: number | null;
  /** What the result shows instead. */
  readonly shown: string | null;
}

export interface ClaimCheck {
  readonly id: string;
  /** `final_analysis`, `synthesis`, `executive_summary` or `chat_answer`. */
  readonly text: string;
  readonly timeline_event_id: string | null;
  /** Why the text could not be checked; null when it was. */
  readonly failure: string | null;
  readonly successful_calls: number;
  readonly claims: number;
  readonly verified: number;
  readonly items: readonly Claim[];
  readonly items_left_out: number;
}

export interface ClaimCounts {
  readonly total: number;
  readonly verified: number;
}

interface VerdictDescription {
  readonly label: string;
  readonly tone: Tone;
  /** Stands behind a claim, so that its verdict shows without colors. */
  readonly sign: string;
  readonly explanation: string;
}

const verdicts: Readonly<Record<string, VerdictDescription>> = {
  supported: {
    label: 'Supported',
    tone: 'success',
    sign: '✓',
    explanation: 'The cited result shows it.',
  },
  uncited: {
    label: 'Supported, not cited',
    tone: 'success',
    sign: '✓',
    explanation: 'A result shows it. The text cites no call.',
  },
  supported_elsewhere: {
    label: 'Supported by another call',
    tone: 'warning',
    sign: '↷',
    explanation: 'Another call than the cited one shows it.',
  },
  unsupported: {
    label: 'Not supported',
    tone: 'warning',
    sign: '?',
    explanation: 'No result shows it.',
  },
  contradicted: {
    label: 'Contradicted',
    tone: 'error',
    sign: '≠',
    explanation: 'A result shows another value.',
  },
  no_such_call: {
    label: 'No such call',
    tone: 'error',
    sign: '✕',
    explanation: 'It cites a call that was not made.',
  },
};

/** An unknown verdict counts as not verified. */
export function describeVerdict(verdict: string): VerdictDescription {
  const label = verdict.replaceAll('_', ' ');
  return verdicts[verdict] ?? { label, tone: 'warning', sign: '?', explanation: '' };
}

export function isVerified({ verdict }: Claim): boolean {
  return verdict === 'supported' || verdict === 'uncited';
}

/** The claims of some texts that are not verified. */
export function openClaims(checks: readonly ClaimCheck[]): readonly Claim[] {
  return checks.flatMap(({ items }) => items.filter((claim) => !isVerified(claim)));
}

/** `17 of 19 quotes found in tool results`. */
export function describeCounts({ total, verified }: ClaimCounts): string {
  if (total === 0) return 'No quotes to look up';
  return `${verified} of ${total} ${total === 1 ? 'quote' : 'quotes'} found in tool results`;
}

const failures: Readonly<Record<string, string>> = {
  too_large: 'Claims were not checked: the text or the results are too large',
  timed_out: 'Claims were not checked: the check timed out',
  failed: 'Claims were not checked: the check failed',
};

export function describeCheck(check: ClaimCheck): string {
  if (check.failure !== null) return failures[check.failure] ?? 'Claims were not checked';
  return describeCounts({ total: check.claims, verified: check.verified });
}

/** `1 of 28 statements is not backed by its source.`; empty if all are. */
function unbacked({ total, verified }: ClaimCounts): string {
  const open = total - verified;
  if (open <= 0) return '';
  const rest = open === 1 ? 'is not backed by its source' : 'are not backed by their sources';
  return `${open} of ${total} statements ${rest}.`;
}

const reasons: Readonly<Record<string, string>> = {
  no_successful_call: 'No tool call succeeded. The finding is based on the alert text alone.',
  no_tool_called: 'No tool was called: an agent concluded without looking at anything.',
  tool_failed: 'All calls of a tool failed; what it shows was not checked.',
  tool_server_unavailable:
    'A tool server was unavailable; what it shows was not checked. See the system page.',
  unverified_claims: 'Some statements are not backed by the results they cite.',
  not_checked: 'Quotes were not looked up in the tool results. Check them yourself.',
  injected_instructions:
    'Possible prompt injection in the alert or a tool result. The finding may be affected.',
  iterations_used_up: 'Iterations used up: an agent had to conclude before it was done.',
  budget_used_up: 'Budget used up: agents had to conclude before they were done.',
};

/** A tool of which every call failed: `server.tool`. */
export interface FailingTool {
  readonly tool: string;
  readonly calls: number;
}

/** `All calls of ops.loki_query failed (2 of 2); what it shows was not checked.`; empty if none is known. */
function withoutTools(tools: readonly FailingTool[]): string {
  const [first, ...others] = tools;
  if (first === undefined) return '';
  if (others.length === 0) {
    return `All calls of ${first.tool} failed (${first.calls} of ${first.calls}); what it shows was not checked.`;
  }
  const names = tools.map(({ tool, calls }) => `${tool} (${calls} of ${calls})`);
  return `All calls of ${names.join(', ')} failed; what they show was not checked.`;
}

/** What is known beside the reasons. */
interface Known {
  readonly claims?: ClaimCounts | null;
  readonly failed_tools?: readonly FailingTool[];
}

/** Why the findings of a session need a second look, as sentences; with the counts of its claims and the names of tools where they are known. */
export function describeDegradation(
  codes: readonly string[],
  { claims = null, failed_tools: tools = [] }: Known = {},
): readonly string[] {
  const known = codes.map((code) => {
    const counted = code === 'unverified_claims' && claims !== null && unbacked(claims);
    const named = code === 'tool_failed' && withoutTools(tools);
    return counted || named || (reasons[code] ?? `Reason: ${code.replaceAll('_', ' ')}.`);
  });
  return known.length > 0 ? known : ['The findings need a second look.'];
}

/** Whether the claims stand at their places in this text, which must be the one that was checked. */
export function fitsText(check: ClaimCheck, text: string): boolean {
  return check.items.every(
    ({ start, end, text: claim }) =>
      end <= text.length && text.startsWith(claim.replace(/…$/, ''), start),
  );
}
