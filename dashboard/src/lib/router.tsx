/** The router of the dashboard: locations, links and parameters, of which it needs a tenth of what a library has. */
import {
  createContext,
  startTransition,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
  type AnchorHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  type Ref,
} from 'react';
import { BASE_PATH } from './basePath';
import {
  resolve,
  textOf,
  type GivenState,
  type History,
  type NavigateOptions,
  type Visit,
} from './history';

export type { Location, NavigationType } from './history';

export type Params = Readonly<Record<string, string>>;

interface Routing {
  readonly history: History;
  readonly visit: Visit;
}

const RoutingContext = createContext<Routing | null>(null);
const ParamsContext = createContext<Params>({});

function useRouting(): Routing {
  const routing = use(RoutingContext);
  if (routing === null) throw new Error('no Router is around this component');
  return routing;
}

interface RouterProps {
  readonly history: History;
  readonly children: ReactNode;
}

/** A page whose code is not there yet takes the place of the last one once it is. */
export function Router({ history, children }: RouterProps) {
  const [visit, setVisit] = useState(history.current);
  useLayoutEffect(
    () => history.subscribe(() => startTransition(() => setVisit(history.current()))),
    [history],
  );
  const routing = useMemo(() => ({ history, visit }), [history, visit]);
  return <RoutingContext value={routing}>{children}</RoutingContext>;
}

export const useLocation = () => useRouting().visit.location;

export const useNavigationType = () => useRouting().visit.type;

export type Navigate = (to: string, options?: NavigateOptions) => void;

export function useNavigate(): Navigate {
  const { history, visit } = useRouting();
  const { pathname } = visit.location;
  return useCallback(
    (to, options = {}) => history.go(resolve(to, { pathname, search: '', hash: '' }), options),
    [history, pathname],
  );
}

/** Replaces the page by another one. */
export function Redirect({ to }: { readonly to: string }) {
  const navigate = useNavigate();
  useEffect(() => navigate(to, { replace: true }), [navigate, to]);
  return null;
}

type SearchInit = URLSearchParams | Readonly<Record<string, string>>;
type SetSearch = (
  next: SearchInit | ((current: URLSearchParams) => SearchInit),
  options?: NavigateOptions,
) => void;

/** The parameters of the address, and what writes all of them anew. */
export function useSearchParams(): readonly [URLSearchParams, SetSearch] {
  const { search } = useLocation();
  const navigate = useNavigate();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const set = useCallback<SetSearch>(
    (next, options) => {
      const init = typeof next === 'function' ? next(new URLSearchParams(params)) : next;
      navigate(`?${new URLSearchParams(init)}`, options);
    },
    [navigate, params],
  );
  return [params, set];
}

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The parameters of a path that has a pattern: `:name` is one segment, `*` at the end is the rest. */
export function matchPath(pattern: string, pathname: string): Params | null {
  const wanted = segmentsOf(pattern);
  const given = segmentsOf(pathname).map(decode);
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    if (part === '*') return { ...params, '*': given.slice(index).join('/') };
    const segment = given[index];
    if (segment === undefined) return null;
    if (part.startsWith(':')) params[part.slice(1)] = segment;
    else if (part.toLowerCase() !== segment.toLowerCase()) return null;
  }
  return given.length === wanted.length ? params : null;
}

/** Gives the parameters of the path to the page. */
export const RouteParams = ParamsContext;

export const useParams = () => use(ParamsContext);

export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  readonly to: string;
  readonly replace?: boolean;
  readonly state?: GivenState;
  readonly ref?: Ref<HTMLAnchorElement>;
}

/** What the browser opens elsewhere, it opens by itself. */
const opensHere = (event: MouseEvent<HTMLAnchorElement>) =>
  event.button === 0 &&
  !(event.metaKey || event.altKey || event.ctrlKey || event.shiftKey) &&
  ['', '_self'].includes(event.currentTarget.target);

export function Link({ to, replace, state, onClick, children, ...props }: LinkProps) {
  const { history, visit } = useRouting();
  const address = resolve(to, visit.location);
  const text = textOf(address);
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || !opensHere(event)) return;
    event.preventDefault();
    history.go(address, { replace: replace ?? text === textOf(visit.location), state });
  };
  return (
    <a {...props} href={`${BASE_PATH}${text}`} onClick={follow}>
      {children}
    </a>
  );
}

/** A link with the class `active` on the page to which it leads. */
export function NavLink({ className = '', ...props }: LinkProps) {
  const active = matchPath(props.to, useLocation().pathname) !== null;
  return (
    <Link
      {...props}
      className={active ? `${className} active` : className}
      aria-current={active ? 'page' : undefined}
    />
  );
}
