import { lazy, Suspense } from 'react';
import { useMay } from '../../api/access';
import { Disclosure } from '../../ui/layout/Disclosure';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { Reload } from './Reload';

const ConfigurationBody = lazy(() => import('./ConfigurationBody'));

/** The resolved configuration; it is loaded when it is opened. */
export function Configuration() {
  if (!useMay('read_config')) return null;
  return (
    <Panel title="Configuration" testId="configuration">
      <Disclosure summary="Every setting, its value and its source">
        <Suspense fallback={<Secondary role="status">Loading the configuration…</Secondary>}>
          <ConfigurationBody />
        </Suspense>
      </Disclosure>
      <Reload />
    </Panel>
  );
}
