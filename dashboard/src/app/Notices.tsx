import { ModelBanner } from '../features/system/ModelBanner';
import { WarningBanner } from '../features/system/WarningBanner';
import { UpdateBanner } from './UpdateBanner';

/** Notices that no page waits for. */
export default function Notices() {
  return (
    <>
      <WarningBanner />
      <ModelBanner />
      <UpdateBanner />
    </>
  );
}
