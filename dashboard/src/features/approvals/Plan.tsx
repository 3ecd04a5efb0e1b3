import { Box } from '@mui/material';
import type { ActionPlan, DryRun, Expectation, PlannedCall } from '../../api/actions';
import { inlineValue } from '../../lib/text/format';
import { showExactly } from '../../lib/text/visible';

interface PlanProps {
  readonly plan: ActionPlan;
  readonly dryRun: DryRun | null;
}

/** What a call is meant to do, as its agent says it: texts of a model, shown so that a person sees every character. */
export function Plan({ plan, dryRun }: PlanProps) {
  const lines: [string, string][] = [['Intended effect', plan.effect]];
  if (plan.check) {
    lines.push(['Check', `${lineOf(plan.check.call)}: ${conditionOf(plan.check.expected)}`]);
  }
  if (plan.rollback) lines.push(['Rollback', lineOf(plan.rollback.call)]);
  if (dryRun) lines.push([dryRun.failed ? 'Dry run failed' : 'Dry run', dryRun.result]);
  return (
    <Box component="dl" data-testid="action-plan" sx={planStyle}>
      {lines.map(([name, text]) => (
        <Box key={name} sx={{ display: 'contents' }}>
          <Box component="dt" sx={{ fontWeight: 650 }}>
            {name}
          </Box>
          <Box component="dd" dir="auto" sx={{ m: 0, overflowWrap: 'anywhere' }}>
            {showExactly(text)}
          </Box>
        </Box>
      ))}
    </Box>
  );
}

const planStyle = {
  display: 'grid',
  gridTemplateColumns: 'max-content minmax(0, 1fr)',
  columnGap: 1.5,
  rowGap: 0.25,
  m: 0,
  fontSize: '0.875rem',
} as const;

/** A call in one line: `ops.scale to=3`. */
export function lineOf({ server_name: server, tool_name: tool, arguments: args }: PlannedCall) {
  return `${server}.${tool} ${inlineValue(args)}`.trimEnd();
}

const verbs: Readonly<Record<string, string>> = {
  equals: 'is',
  contains: 'has',
  lacks: 'does not have',
  matches: 'matches',
  at_least: 'is at least',
  at_most: 'is at most',
};

function conditionOf({ pointer, kind, value }: Expectation): string {
  return `${pointer ?? 'the result'} ${verbs[kind] ?? kind} ${JSON.stringify(value)}`;
}
