import { Box } from '@mui/material';
import type { ChangeEvent } from 'react';
import { aboveRow } from '../../../ui/theme/tokens';

interface SelectBoxProps {
  readonly label: string;
  readonly checked: boolean;
  /** Some of what it selects is selected. */
  readonly mixed?: boolean;
  readonly disabled: boolean;
  /** `range` is true while Shift is held. */
  readonly onChange: (range: boolean) => void;
}

/** A checkbox that is above the link of its row. */
export function SelectBox({ label, checked, mixed = false, disabled, onChange }: SelectBoxProps) {
  return (
    <Box
      component="input"
      type="checkbox"
      aria-label={label}
      ref={(box: HTMLInputElement | null) => {
        if (box) box.indeterminate = mixed;
      }}
      checked={checked}
      disabled={disabled}
      onChange={(event: ChangeEvent<HTMLInputElement>) => onChange(hasShift(event.nativeEvent))}
      sx={{
        ...aboveRow,
        flexShrink: 0,
        width: 18,
        height: 18,
        m: 0,
        verticalAlign: 'middle',
        accentColor: 'var(--mui-palette-primary-main)',
      }}
    />
  );
}

const hasShift = (event: Event): boolean => event instanceof MouseEvent && event.shiftKey;
