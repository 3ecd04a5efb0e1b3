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

const session = '/SessionPage.tsx';
const form = /\/src\/features\/submit\//;
const page = /\/src\/app\/pages\/(?:\w+Page|SystemPanels)\.tsx$/;

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

const pagesOf = (files: ReadonlySet<string>) => [...files].filter((file) => page.test(file));

/** Fields, dialogs and sections that open, with what they need; `sendKey` is for fields. What says who works on a session is on the list and on its page. The last ones are for charts and the search, too. */
const fields =
  /\/@mui\/material\/(?:Text|Select|Menu|Input|Outlined|Form|Popover|Modal|Backdrop|Portal|Grow|Fade|List|Chip|Radio|Alert|Dialog)|\/src\/(?:ui\/\w+\/(?:Disclosure|filterFields|ViewMenu|LazyMenu|TriageBadge)|lib\/\w+\/(?:sendKey|savedViews|triageLabels)|api\/(?:filterOptions|triage))|\/@mui\/(?:system|material)\/use(?:ThemeProps|MediaQuery)\/|\/(?:useInfiniteQuery|infiniteQueryObserver)\.js/;
/** Fields with suggestions, and what places them. */
const suggestions =
  /\/@mui\/material\/(?:Autocomplete|useAutocomplete|Popper)|\/src\/ui\/fields\/SuggestedField/;
const markdown =
  /\/src\/ui\/\w+\/(?:Markdown|markdownParts|remark|StreamingMarkdown|ClaimDetails|CheckSummary|Highlighted)/;
/** The fields of the form, which are filled in from a session, too, when somebody submits it again. */
const submission = /\/src\/features\/submit\/(?:draft|toolSelection)\.ts$/;
/** Most pages show them. */
const basics = /\/@mui\/material\/(?:Skeleton|Link)\//;
/** Tables, and what the system page and the form of a connection share. */
const table =
  /\/@mui\/material\/Table(?:Body|Cell|Container|Head|Row)?\/|\/src\/features\/system\/(?:TestConnection|ToolList|queries)/;
/** Of the overview and of prevention. */
const numbers = /\/src\/ui\/numbers\/(?:NumberTable|LinkedNumber)\.tsx$/;
/** What an agent changed, on pages of sessions and of approvals. */
const actions = /\/src\/features\/approvals\/(?:Actions|Plan)\.tsx$/;
const parts =
  /\/src\/(?:features\/(?:timeline|chat|review|session|triage)\/|app\/pages\/SidePanels)/;

/**
 * The group of a module that a page loads before it is shown: `main` is loaded by the entry, `common` by several pages,
 * or by a page and by parts of the session or the submit page. Modules of packages follow those that import them: all of a package
 * import each other.
 */
function shownGroup(id: string, graph: ModuleGraph): string | null {
  if (id.includes('/node_modules/')) return null;
  const { entry, files } = loadersOf(id, graph);
  if (entry) return 'main';
  const pages = pagesOf(files);
  if (files.size < 2 || pages.length === 0) return null;
  // A chunk for each would have a few hundred bytes.
  if (id.includes('/src/lib/')) return 'common';
  if (pages.length > 1 || pages.some((file) => file.endsWith(session))) return 'common';
  return [...files].some((file) => parts.test(file) || form.test(file)) ? 'common' : null;
}

/** The group of a module that is loaded later: fields, Markdown, and the parts of the session page. */
function laterGroup(id: string, graph: ModuleGraph): string | null {
  if (fields.test(id)) return 'fields';
  if (suggestions.test(id)) return 'suggestions';
  if (table.test(id)) return 'table';
  if (id.includes('/node_modules/') || pagesOf(loadersOf(id, graph).files).length > 0) return null;
  if (markdown.test(id)) return 'markdown';
  return parts.test(id) ? 'parts' : null;
}

function groupOf(id: string, graph: ModuleGraph): string | null {
  if (submission.test(id)) return 'submission';
  if (numbers.test(id)) return 'numbers';
  if (basics.test(id)) return 'common';
  if (actions.test(id)) return 'actions';
  return shownGroup(id, graph) ?? laterGroup(id, graph);
}

/** Earlier groups take what their modules import, too. */
export const chunks = [
  'main',
  'common',
  'submission',
  'numbers',
  'actions',
  'fields',
  'suggestions',
  'table',
  'markdown',
  'parts',
].map((name, index) => ({
  name: (id: string, graph: ModuleGraph) => (groupOf(id, graph) === name ? name : null),
  debugName: name,
  priority: 100 - index,
}));
