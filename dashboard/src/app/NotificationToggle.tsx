import { Box } from '@mui/material';
import { lazy, Suspense, useState } from 'react';
import { setNotificationsEnabled, useNotificationsEnabled } from '../lib/notifications';
import { Secondary } from '../ui/Secondary';
import { ToggleFilter } from '../ui/ToggleFilter';

const Notifier = lazy(() => import('./Notifier'));

const choices = [
  { id: 'off', label: 'Off' },
  { id: 'on', label: 'On' },
] as const;

/** A label and its buttons, which stay on one line. */
export const labelled = { display: 'flex', alignItems: 'center', gap: 1 } as const;

/** Turns the browser's notifications on and off, and shows them while they are on. */
export function NotificationToggle() {
  const enabled = useNotificationsEnabled();
  const [refused, setRefused] = useState(false);
  return (
    <>
      <Box sx={labelled}>
        <Secondary component="span">Notifications</Secondary>
        <ToggleFilter
          label="Notifications of the end of your sessions"
          options={choices}
          value={enabled ? 'on' : 'off'}
          onChange={async (choice) => setRefused(!(await setNotificationsEnabled(choice === 'on')))}
        />
        <Secondary component="span" role="status">
          {refused && 'The browser blocks them. Allow notifications for this site in its settings.'}
        </Secondary>
      </Box>
      {enabled && (
        <Suspense fallback={null}>
          <Notifier />
        </Suspense>
      )}
    </>
  );
}
