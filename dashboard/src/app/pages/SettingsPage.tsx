import { Settings } from '../../features/settings/Settings';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

export function SettingsPage() {
  useTitle('Settings');
  return (
    <>
      <PageHeading title="Settings">Stored in this browser, for you alone.</PageHeading>
      <Settings />
    </>
  );
}
