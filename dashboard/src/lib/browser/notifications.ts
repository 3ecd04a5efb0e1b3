/** Whether the browser shows notifications of this dashboard: off until a user turns them on. */
import { storedSetting } from './storedSetting';

const setting = storedSetting<'off' | 'on'>('tarsy-notifications', ['off', 'on'], isAllowed);

/** False in browsers without notifications, on plain HTTP, and until the user allows them. */
function isAllowed(): boolean {
  return hasNotifications() && Notification.permission === 'granted';
}

export function hasNotifications(): boolean {
  return 'Notification' in window;
}

/** Turns notifications on, after the browser has asked, or off. Returns whether they are as requested. */
export async function setNotificationsEnabled(enabled: boolean): Promise<boolean> {
  const allowed = !enabled || (await ask());
  const requested = enabled && allowed ? 'on' : 'off';
  setting.write(requested);
  return (setting.read() === 'on') === enabled;
}

async function ask(): Promise<boolean> {
  return hasNotifications() && (await Notification.requestPermission()) === 'granted';
}

export const useNotificationsEnabled = (): boolean => setting.useValue() === 'on';
