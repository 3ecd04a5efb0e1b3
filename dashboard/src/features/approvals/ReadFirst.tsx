import { Button, Typography } from '@mui/material';
import { useId } from 'react';

interface ReadFirstProps {
  readonly label: string;
  /** What it does, as in `To approve, …`. */
  readonly verb: string;
  /** Whether the whole call was on the screen: nobody approves what they have not seen. */
  readonly read: boolean;
  readonly disabled: boolean;
  readonly onClick: () => void;
  readonly testId: string;
}

/** A button that approves a call, once all of it was shown. */
export function ReadFirst({ label, verb, read, disabled, onClick, testId }: ReadFirstProps) {
  const explanation = useId();
  return (
    <>
      <Button
        size="small"
        variant="outlined"
        color="inherit"
        disabled={disabled}
        // It keeps the focus, so that its explanation is read out.
        aria-disabled={!read || disabled}
        aria-describedby={read ? undefined : explanation}
        sx={read ? undefined : { opacity: 0.5, cursor: 'not-allowed' }}
        onClick={() => {
          if (read) onClick();
        }}
        data-testid={testId}
      >
        {label}
      </Button>
      {!read && (
        <Typography
          id={explanation}
          sx={{ fontSize: '0.8125rem' }}
          data-testid="approve-explanation"
        >
          {`To ${verb}, first scroll all arguments to their end, or show all of them.`}
        </Typography>
      )}
    </>
  );
}
