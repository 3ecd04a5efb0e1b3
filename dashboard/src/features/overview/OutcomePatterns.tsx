import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import { OUTCOMES, outcomeLabels, outcomeTones, patternOf, type Outcome } from './outcomes';

const SIZE = 6;

/** What the pattern of an outcome draws on its background, in its color. */
const drawings: Readonly<Record<Outcome, (color: string) => ReactNode>> = {
  completed: (color) => <rect width={SIZE} height={SIZE} fill={color} />,
  failed: (color) => <path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" stroke={color} strokeWidth={2.4} />,
  timed_out: (color) => <path d="M0 1.5H6M0 4.5H6" stroke={color} strokeWidth={1.6} />,
  cancelled: (color) => <path d="M1.5 0V6M4.5 0V6" stroke={color} strokeWidth={1.2} />,
  open: (color) => <circle cx={3} cy={3} r={1.6} fill={color} />,
};

/** The patterns that charts and their legend fill with; once on a page. */
export function OutcomePatterns() {
  return (
    <svg width={0} height={0} aria-hidden style={{ position: 'absolute' }}>
      <defs>
        {OUTCOMES.map((outcome) => {
          const tone = outcomeTones[outcome];
          return (
            <pattern
              key={outcome}
              id={`tarsy-outcome-${outcome}`}
              width={SIZE}
              height={SIZE}
              patternUnits="userSpaceOnUse"
            >
              <rect width={SIZE} height={SIZE} fill={`var(--tarsy-${tone}-bg)`} />
              {drawings[outcome](`var(--tarsy-${tone}-fg)`)}
            </pattern>
          );
        })}
      </defs>
    </svg>
  );
}

/** The names of the outcomes with their patterns. */
export function OutcomeLegend() {
  return (
    <Box
      component="ul"
      aria-label="Legend"
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        columnGap: 2,
        rowGap: 0.5,
        m: 0,
        p: 0,
        listStyle: 'none',
        fontSize: '0.8125rem',
      }}
    >
      {OUTCOMES.map((outcome) => (
        <Box component="li" key={outcome} sx={{ display: 'flex', alignItems: 'center', gap: 0.75 }}>
          <svg width={18} height={12} aria-hidden>
            <rect width={18} height={12} fill={patternOf(outcome)} stroke="currentColor" />
          </svg>
          {outcomeLabels[outcome]}
        </Box>
      ))}
    </Box>
  );
}
