import { Box } from '@mui/material';
import { aboveRow } from '../../../ui/tokens';

interface SelectBoxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly disabled: boolean;
  readonly onChange: () => void;
}

/** A checkbox that is above the link of its row. */
export function SelectBox({ label, checked, disabled, onChange }: SelectBoxProps) {
  return (
    <Box
      component="input"
      type="checkbox"
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onChange={onChange}
      sx={{
        ...aboveRow,
        width: 18,
        height: 18,
        m: 0,
        verticalAlign: 'middle',
        accentColor: 'var(--mui-palette-primary-main)',
      }}
    />
  );
}
