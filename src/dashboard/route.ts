import { encodePart, worldNameError } from '../http/paths.ts'
import { getOwn } from '../validation/objects.ts'

/** The views, in the order of the navigation. */
export const VIEW_NAMES = [
  'traffic',
  'timeline',
  'keys',
  'outcomes',
  'records',
  'operations',
  'events',
  'sign-in',
  'worlds',
  'report',
] as const

/** The name of a view, as it is in the address. */
export type ViewName = (typeof VIEW_NAMES)[number]

/** What the page shows. The fragment of its address says it, so that each state of a view is a link. */
export interface Route {
  /** Absent when the address names a view, or a world, that cannot exist. */
  readonly view?: ViewName
  /** The segments that follow the view, such as the id of an exchange. */
  readonly path: readonly string[]
  /** Filters and other settings of the view. */
  readonly query: Readonly<Record<string, string>>
  /** The world; absent for the default world. */
  readonly world?: string
}

/** The parts of a route that differ from the default ones. */
export type RouteParts = Partial<Route>

/** Reads the fragment of an address, such as `#/traffic/42?world=checkout-7`. An empty one is the first view. */
export function parseRoute(hash: string): Route {
  const [pathText = '', queryText = ''] = split(hash.replace(/^#?\/?/, ''), '?')
  const [name = '', ...path] = pathText.split('/').filter((segment) => segment !== '')
  const { world, ...query } = Object.fromEntries(new URLSearchParams(queryText))
  if (world && worldNameError(world)) return { path: [], query: {} }
  const view = VIEW_NAMES.find((one) => one === (name || 'traffic'))

  return {
    ...(view && { view }),
    path: path.map(decodePart),
    query,
    ...(world && world !== 'default' && { world }),
  }
}

/** The fragment for a route. Settings without a value are left out. */
export function toHash({
  view = 'traffic',
  path = [],
  query = {},
  world = '',
}: RouteParts): string {
  const settings = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''))
  if (world !== '' && world !== 'default') settings.set('world', world)
  const search = String(settings)

  return `#/${[view, ...path].map(encodePart).join('/')}${search && `?${search}`}`
}

function split(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

/** A part of an address, decoded. One that is not encoded correctly is taken as it is. */
export function decodePart(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const PARAMETERS = /\{([^{}/]+)\}/g

/** The names of the parameters in a path such as `orgs/{org}/repos`. */
export function parametersOf(template: string): readonly string[] {
  return [...template.matchAll(PARAMETERS)].map(([, name = '']) => name)
}

/** A path with these values of its parameters, such as `orgs/acme/repos`. */
export function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(PARAMETERS, (_, name: string) => encodePart(getOwn(values, name) ?? ''))
}
