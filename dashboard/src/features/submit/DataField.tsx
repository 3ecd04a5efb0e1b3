import { Box, TextField, Typography } from '@mui/material';
import { formatBytes } from '../../lib/text/format';
import { byteLength } from '../../lib/text/utf8';
import { MAX_DATA_BYTES, type FieldProps } from './draft';

/** The alert data with a size counter. */
export function DataField({ value, problem, change }: FieldProps) {
  const bytes = byteLength(value);
  const tooLarge = bytes > MAX_DATA_BYTES;
  return (
    <Box>
      <TextField
        label="Alert data"
        required
        fullWidth
        multiline
        minRows={12}
        maxRows={28}
        value={value}
        onChange={(event) => change(event.target.value)}
        error={problem !== undefined || tooLarge}
        helperText={
          problem ??
          'JSON, YAML, a log excerpt or plain text. Secrets are masked before the alert is stored.'
        }
        slotProps={{
          htmlInput: {
            'data-testid': 'alert-data-input',
            spellCheck: false,
            dir: 'auto',
            style: { fontFamily: 'var(--tarsy-mono)', fontSize: '0.8125rem' },
          },
        }}
      />
      <Typography
        data-testid="size-counter"
        sx={{
          fontSize: '0.75rem',
          color: tooLarge ? 'error.main' : 'text.secondary',
          textAlign: 'right',
        }}
      >
        {formatBytes(bytes)} of {formatBytes(MAX_DATA_BYTES)}
      </Typography>
    </Box>
  );
}
