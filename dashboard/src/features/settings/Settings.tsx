import { Box } from '@mui/material';
import { useColorScheme } from '@mui/material/styles';
import { useState } from 'react';
import { setDensity, useDensity } from '../../lib/browser/density';
import {
  hasNotifications,
  setNotificationsEnabled,
  useNotificationsEnabled,
} from '../../lib/browser/notifications';
import { setShortcutsEnabled, useShortcutsEnabled } from '../../lib/browser/shortcuts';
import { formatDateTime } from '../../lib/time/time';
import { setTimeZone, useTimeZone } from '../../lib/time/timeZone';
import { useNow } from '../../lib/time/useNow';
import { Column } from '../../ui/layout/layout';
import { Panel } from '../../ui/layout/Panel';
import { Choice, OnOff } from './fields';
import { YourName } from './YourName';

export function Settings() {
  return (
    <Box sx={{ maxWidth: 720 }}>
      <Column testId="settings">
        <Panel title="Appearance">
          <Theme />
          <ListDensity />
        </Panel>
        <Panel title="Time">
          <Zone />
        </Panel>
        <Panel title="Notifications">
          <Notifications />
        </Panel>
        <Panel title="Keyboard">
          <Shortcuts />
        </Panel>
        {/* At the end: it is there once the mode is known, and moves nothing. */}
        <YourName />
      </Column>
    </Box>
  );
}

const modes = [
  { id: 'system', label: 'Same as the system' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
] as const;

function Theme() {
  const { mode, setMode } = useColorScheme();
  return <Choice label="Theme" options={modes} value={mode ?? 'system'} onChange={setMode} />;
}

const densities = [
  { id: 'comfortable', label: 'Comfortable: title and cause on two lines' },
  { id: 'compact', label: 'Compact: one line a session' },
] as const;

function ListDensity() {
  return (
    <Choice label="Session list" options={densities} value={useDensity()} onChange={setDensity} />
  );
}

const localZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function Zone() {
  const zone = useTimeZone();
  const now = useNow(true, 1000);
  const options = [
    { id: 'local', label: `Local time (${localZone()})` },
    { id: 'utc', label: 'UTC' },
  ] as const;
  return (
    <Choice label="Time zone" options={options} value={zone} onChange={setTimeZone}>
      Now: {formatDateTime(new Date(now).toISOString(), zone)}
    </Choice>
  );
}

function Notifications() {
  const enabled = useNotificationsEnabled();
  const [refused, setRefused] = useState(false);
  const possible = hasNotifications();
  return (
    <OnOff
      label="Notify me when my sessions end and when calls wait for approval"
      checked={enabled}
      disabled={!possible}
      onChange={async (on) => setRefused(!(await setNotificationsEnabled(on)))}
    >
      {!possible && 'This browser has no notifications here. They need HTTPS.'}
      {possible &&
        refused &&
        'The browser blocks them. Allow notifications for this site in its settings.'}
    </OnOff>
  );
}

function Shortcuts() {
  return (
    <OnOff
      label="Single-key shortcuts"
      checked={useShortcutsEnabled()}
      onChange={setShortcutsEnabled}
    >
      Press ? for the list.
    </OnOff>
  );
}
