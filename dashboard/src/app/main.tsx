import '@fontsource-variable/inter/index.css';
import '../ui/fonts.css';
import '../ui/tokens.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { unlockFromAddress } from '../api/unlock';
import { BASE_PATH } from '../lib/basePath';
import { browserHistory } from '../lib/history';
import { Router } from '../lib/router';
import { Providers } from './Providers';
import { AppRoutes } from './routes';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root');

const rendered = createRoot(root);
const history = browserHistory(BASE_PATH);
// First: the router must not see the token, and the page's first requests need what is given for it.
void unlockFromAddress().finally(() => {
  rendered.render(
    <StrictMode>
      <Providers>
        <Router history={history}>
          <AppRoutes />
        </Router>
      </Providers>
    </StrictMode>,
  );
});
