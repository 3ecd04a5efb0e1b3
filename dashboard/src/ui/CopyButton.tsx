import { Button } from '@mui/material';
import { useEffect, useState } from 'react';
import { CheckIcon, CopyIcon } from './icons';

type CopyState = 'idle' | 'copied' | 'failed';

const words: Record<Exclude<CopyState, 'idle'>, string> = {
  copied: 'Copied',
  failed: 'Copying is not allowed here',
};

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly children?: string;
}

export function CopyButton({ text, label, children = 'Copy' }: CopyButtonProps) {
  const [state, setState] = useState<CopyState>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), 2500);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState(copyBySelection(text) ? 'copied' : 'failed');
    }
  }

  return (
    <Button
      size="small"
      color="inherit"
      onClick={() => void copy()}
      startIcon={state === 'copied' ? <CheckIcon /> : <CopyIcon />}
      aria-label={state === 'idle' ? label : words[state]}
      sx={{ color: 'text.secondary' }}
    >
      <span aria-live="polite">{state === 'idle' ? children : words[state]}</span>
    </Button>
  );
}

/** The clipboard interface is missing on plain HTTP; a selected text field still works there. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
}
