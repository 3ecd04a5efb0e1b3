/** zod's small build, whose schemas are functions, without code generation: the content security policy blocks `eval`, including zod's check for it. */
import * as z from 'zod/mini';

z.config({ jitless: true });

export { z };
