/**
 * Which chunk has which modules. Left alone, the bundler makes a chunk for each set of pages that share a module: more than
 * a hundred, of which a page loads forty. These groups are loaded together.
 */

/** The part of the bundler's context that is read here. */
interface ModuleGraph {
  getModuleInfo(id: string): {
    readonly isEntry: boolean;
    readonly importers: readonly string[];
    readonly dynamicImporters: readonly string[];
  } | null;
}

const page = /\/src\/app\/pages\/\w+Page\.tsx$/;
const session = '/SessionPage.tsx';

/** What loads a module: the entry, or files that are imported when they are needed. */
function loadersOf(id: string, graph: ModuleGraph) {
  const seen = new Set<string>();
  const loaders = { entry: false, files: new Set<string>() };
  for (const todo = [id]; todo.length > 0;) {
    const module = todo.pop();
    if (module === undefined || seen.has(module)) continue;
    seen.add(module);
    const info = graph.getModuleInfo(module);
    if (info === null) continue;
    if (info.isEntry) loaders.entry = true;
    if (info.dynamicImporters.length > 0) loaders.files.add(module);
    todo.push(...info.importers);
  }
  return loaders;
}

type Group = 'main' | 'common' | 'lists';

/**
 * The group of a module of this project: `main` is loaded by the entry, `common` by the session page and others, `lists`
 * by other pages. Modules of packages follow those that import them: all of a package import each other.
 */
function groupOf(id: string, graph: ModuleGraph): Group | null {
  if (id.includes('/node_modules/')) return null;
  const { entry, files } = loadersOf(id, graph);
  if (entry) return 'main';
  const pages = [...files].filter((file) => page.test(file));
  if (files.size > 1 && pages.some((file) => file.endsWith(session))) return 'common';
  return pages.length > 1 ? 'lists' : null;
}

/** The first group takes what its modules import, too. */
const groups: readonly Group[] = ['main', 'common', 'lists'];

export const chunks = groups.map((group, index) => ({
  name: (id: string, graph: ModuleGraph) => (groupOf(id, graph) === group ? group : null),
  debugName: group,
  priority: groups.length - index,
}));
