import { Button } from '@mui/material';
import { useEffect, useState, type ReactNode } from 'react';
import { CheckIcon, CopyIcon } from '../theme/icons';

type CopyState = 'idle' | 'copied' | 'failed';

const labels: Record<Exclude<CopyState, 'idle'>, string> = {
  copied: 'Copied',
  failed: 'Copy failed',
};

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly children?: string;
  /** Shown instead of the copy icon. */
  readonly icon?: ReactNode;
}

export function CopyButton({ text, label, children = 'Copy', icon }: CopyButtonProps) {
  const [state, setState] = useState<CopyState>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), 2500);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy(button: HTMLElement): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState(copyBySelection(text, button) ? 'copied' : 'failed');
    }
  }

  return (
    <Button
      size="small"
      color="inherit"
      onClick={({ currentTarget }) => void copy(currentTarget)}
      startIcon={state === 'copied' ? <CheckIcon /> : (icon ?? <CopyIcon />)}
      aria-label={state === 'idle' ? label : labels[state]}
      sx={{ color: 'text.secondary' }}
    >
      <span aria-live="polite">{state === 'idle' ? children : labels[state]}</span>
    </Button>
  );
}

/** Fallback for plain HTTP, where browsers have no clipboard API. A browser would lay out megabytes in the field for seconds. */
function copyBySelection(text: string, button: HTMLElement): boolean {
  const field = document.createElement('textarea');
  field.value = ' ';
  field.readOnly = true;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  field.addEventListener('copy', (event) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  });
  // Beside the button: a dialog takes the focus back from what is outside of it.
  button.after(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  button.focus({ preventScroll: true });
  return done;
}
