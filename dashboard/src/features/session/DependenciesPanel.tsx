import { Box } from '@mui/material';
import { lazy, Suspense } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { showBidiControls } from '../../lib/text/bidi';
import { Disclosure } from '../../ui/layout/Disclosure';
import { Panel } from '../../ui/layout/Panel';

const DependencyPicture = lazy(() => import('./DependencyPicture'));

/** What depends on what near the alert, as the agents were given it. */
export function DependenciesPanel({ dependencies }: Pick<SessionDetail, 'dependencies'>) {
  if (dependencies.length === 0) return null;
  return (
    <Panel title="Dependencies" testId="dependencies">
      <Box component="ul" sx={{ m: 0, pl: 2.25, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
        {dependencies.map(({ from, relation, to, team }) => (
          <li key={`${from} ${relation} ${to}`}>
            <bdi>{showBidiControls(from)}</bdi> {relation.replace('_', ' ')}{' '}
            <bdi>{showBidiControls(to)}</bdi>
            {team && (
              <>
                , team <bdi>{showBidiControls(team)}</bdi>
              </>
            )}
          </li>
        ))}
      </Box>
      <Disclosure summary="Picture">
        <Suspense>
          <DependencyPicture dependencies={dependencies} />
        </Suspense>
      </Disclosure>
    </Panel>
  );
}
