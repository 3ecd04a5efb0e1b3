import { Box, ButtonBase } from '@mui/material';
import type { ReactNode } from 'react';

interface ToggleFilterProps<T extends string> {
  readonly label: string;
  readonly options: readonly {
    readonly id: T;
    readonly label: string;
    /** Shown instead of the label, which then is the name and the tooltip. */
    readonly icon?: ReactNode;
  }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

const buttonStyles = {
  px: 1.25,
  py: 0.625,
  minWidth: 28,
  font: 'inherit',
  fontSize: '0.8125rem',
  fontWeight: 600,
  color: 'text.secondary',
  // Between rows, too; those of the first row and column are below the border of the group.
  borderLeft: 1,
  borderTop: 1,
  borderColor: 'divider',
  ml: '-1px',
  mt: '-1px',
  '&:hover': { bgcolor: 'action.hover' },
  '&[aria-pressed="true"]': { bgcolor: 'action.selected', color: 'text.primary' },
  '&:has(> svg)': { p: 0.5 },
} as const;

/** Buttons of which exactly one is selected. */
export function ToggleFilter<T extends string>(props: ToggleFilterProps<T>) {
  const { label, options, value, onChange } = props;
  return (
    <Box
      role="group"
      aria-label={label}
      sx={{
        display: 'inline-flex',
        // On a phone the last ones are below, not cut off.
        flexWrap: 'wrap',
        border: 1,
        borderColor: 'divider',
        borderRadius: 1,
        overflow: 'hidden',
      }}
    >
      {options.map((option) => (
        <ButtonBase
          key={option.id}
          aria-pressed={option.id === value}
          aria-label={option.icon === undefined ? undefined : option.label}
          title={option.icon === undefined ? undefined : option.label}
          onClick={() => onChange(option.id)}
          data-value={option.id}
          sx={buttonStyles}
        >
          {option.icon ?? option.label}
        </ButtonBase>
      ))}
    </Box>
  );
}
