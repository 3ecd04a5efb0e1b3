import { lazy, Suspense } from 'react';
import type { TextDialogProps } from './TextDialogBody';

const TextDialogBody = lazy(() => import('./TextDialogBody'));

/** A dialog to read, search and copy a long text. Its code is loaded when it opens. */
export function TextDialog(props: TextDialogProps) {
  return (
    <Suspense fallback={null}>
      <TextDialogBody {...props} />
    </Suspense>
  );
}
