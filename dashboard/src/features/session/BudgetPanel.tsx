import { Box } from '@mui/material';
import { useId } from 'react';
import type { Budget } from '../../api/sessions';
import { limitLabel } from '../../lib/session/budget';
import { formatCost, formatCount, formatExact } from '../../lib/text/format';
import type { Tone } from '../../lib/session/status';
import { Panel } from '../../ui/layout/Panel';
import { toneText } from '../../ui/badges/tones';

const limits = ['llm_calls', 'tokens', 'tool_calls', 'cost_micro_usd'] as const;

/** The session's usage of its limits. */
export function BudgetPanel({ budget }: { readonly budget: Budget | null }) {
  if (budget === null) return null;
  const limited = limits.filter((name) => (budget[name]?.limit ?? 0) > 0);
  if (limited.length === 0) return null;
  return (
    <Panel title="Budget" testId="budget">
      <Box sx={{ display: 'grid', gap: 1.25 }}>
        {limited.map((name) => (
          <UsageBar
            key={name}
            name={limitLabel(name)}
            shown={name === 'cost_micro_usd' ? formatCost : formatCount}
            read={name === 'cost_micro_usd' ? formatCost : formatExact}
            limit={budget[name]?.limit ?? 0}
            used={budget[name]?.used ?? 0}
          />
        ))}
      </Box>
    </Panel>
  );
}

interface UsageBarProps {
  readonly name: string;
  /** On the screen, and by a screen reader. */
  readonly shown: (amount: number) => string;
  readonly read: (amount: number) => string;
  readonly limit: number;
  readonly used: number;
}

function toneOf(share: number): Tone {
  if (share >= 1) return 'error';
  return share >= 0.8 ? 'warning' : 'success';
}

function UsageBar({ name, shown, read, limit, used }: UsageBarProps) {
  const label = useId();
  const share = Math.min(1, used / limit);
  const tone = toneOf(used / limit);
  return (
    <Box sx={{ fontSize: '0.8125rem' }}>
      <Box sx={{ display: 'flex', justifyContent: 'space-between', gap: 1, mb: 0.25 }}>
        <Box component="span" id={label}>
          {name.charAt(0).toUpperCase() + name.slice(1)}
        </Box>
        <Box component="span" sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
          {shown(used)} of {shown(limit)}
          {share >= 1 && ', limit reached'}
        </Box>
      </Box>
      <Box
        role="meter"
        aria-labelledby={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={`${read(used)} of ${read(limit)}`}
        data-tone={tone}
        sx={{ height: 6, borderRadius: 3, bgcolor: 'var(--tarsy-neutral-bg)', overflow: 'hidden' }}
      >
        <Box sx={{ height: '100%', width: `${share * 100}%`, bgcolor: toneText(tone) }} />
      </Box>
    </Box>
  );
}
