import { lazy, Suspense } from 'react';
import type { NotificationProps } from './NotificationBody';

const NotificationBody = lazy(() => import('./NotificationBody'));

/** A message at the bottom of the screen that closes itself. Its code is loaded with the first one. */
export function Notification(props: NotificationProps) {
  return (
    <Suspense fallback={null}>
      <NotificationBody {...props} />
    </Suspense>
  );
}
