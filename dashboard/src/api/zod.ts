/** zod without code generation: the page's content security policy forbids even the probe for it. */
import { z } from 'zod';

z.config({ jitless: true });

export { z };
