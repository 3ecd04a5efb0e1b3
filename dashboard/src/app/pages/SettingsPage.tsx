import { Settings } from '../../features/settings/Settings';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';

export function SettingsPage() {
  useTitle('Settings');
  return (
    <>
      <PageHeading title="Settings">Stored in this browser, for you alone.</PageHeading>
      <Settings />
    </>
  );
}
