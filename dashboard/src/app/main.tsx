import '@fontsource-variable/inter/index.css';
import '../ui/theme/fonts.css';
import '../ui/theme/tokens.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { unlockFromAddress } from '../api/unlock';
import { BASE_PATH } from '../lib/browser/basePath';
import { Providers } from './Providers';
import { AppRoutes } from './routes';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root');

const rendered = createRoot(root);
// First: the router must not see the token, and the page's first requests need what is given for it.
void unlockFromAddress().finally(() => {
  rendered.render(
    <StrictMode>
      <Providers>
        <BrowserRouter basename={BASE_PATH || undefined}>
          <AppRoutes />
        </BrowserRouter>
      </Providers>
    </StrictMode>,
  );
});
