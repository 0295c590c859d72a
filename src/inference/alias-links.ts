import type { Operation } from '../contract/contract.ts'
import {
  type ContractAlias,
  type ContractResource,
  type ResourceHints,
  wordBelow,
} from '../contract/hints.ts'
import { propertiesOf, requiredNames } from '../contract/schema.ts'
import { countersOf, createKeyedAbove, type Inference, parentOf } from './apply-hints.ts'
import { parametersIn, shapeOf, withoutNames } from './path-shape.ts'

/** What the aliases of a document mean for a resource. */
interface AliasLinks extends Pick<ContractResource, 'otherPaths'> {
  /** Reads what all paths below a record show, of which a large document has thousands. Only removals need it. */
  readonly readBelow: () => ContractResource['below']
}

/** Finds what is above the aliases of a resource, and which aliases of other resources are below its records. */
export function aliasLinksOf(
  inference: Inference,
  operations: readonly Operation[],
): (hints: ResourceHints) => AliasLinks {
  const { paths, resource, aliasOf } = inference
  const names = new Map([...paths].map(([name, path]) => [withoutNames(path), name]))
  const countedIn = countersOf(inference)
  const keyedAbove = createKeyedAbove(paths, resource)
  const templates = [...new Set(operations.map(({ path }) => collectionOf(path)))].map((path) => {
    return { path, unnamed: withoutNames(path) }
  })
  const linked = (
    [path, by]: readonly [string, ContractAlias['by']],
    { path: own, item = '' }: ResourceHints,
  ): ContractAlias => {
    const { stem } = shapeOf(parentOf(isOverAll(path, by) ? own : path))
    const name =
      stem === undefined ? undefined : (names.get(withoutNames(stem)) ?? nameAtTop(stem, paths))
    const above = name !== undefined && resource(name) ? name : undefined
    const [counted, keyed] = [countedIn(path), keyedAbove(path)]
    return {
      ...{ path, by },
      ...(above !== undefined && { above }),
      ...membersOf(names.get(membersPath(item, by) ?? '')),
      ...(counted && { counted }),
      ...(keyed.length > 0 && { keyed }),
      ...ownedIn(by),
    }
  }
  const ownedIn = (by: ContractAlias['by']): Pick<ContractAlias, 'owned'> => {
    const found = Object.entries(by).flatMap(([parameter, value]) => {
      const path = typeof value === 'string' ? /^\{(\/.*)\}$/.exec(value)?.[1] : undefined
      const name = path === undefined ? undefined : onlyAt(path, inference, operations)
      return name === undefined ? [] : [[parameter, name] as const]
    })
    return found.length > 0 ? { owned: Object.fromEntries(found) } : {}
  }
  /** The resource that has the records of a path below others; `undefined` when these are none of the others' own. */
  const ownerOf = (path: string, own: string): ResourceHints | undefined => {
    const of = aliasOf(path)
    const name = of === undefined || of === own ? undefined : names.get(withoutNames(of))
    const found = name === undefined ? undefined : resource(name)
    return found && isOwned(path, found, operations) ? found : undefined
  }
  const ownedBelow = ({
    item = '',
    path: own,
  }: ResourceHints): NonNullable<ContractResource['below']> => {
    const start = `${withoutNames(item)}/`
    const below = templates.filter(({ unnamed }) => unnamed.startsWith(start))
    return below.flatMap(({ path }) => {
      const found = ownerOf(path, own)
      // What is below the record by its own path is gone with it anyway.
      const isAnyway = !found || withoutNames(found.path).startsWith(start)
      return isAnyway ? [] : { resource: found.name, path }
    })
  }

  return (hints) => {
    const otherPaths = Object.entries(hints.aliases ?? {}).map((one) => linked(one, hints))
    const readBelow = (): ContractResource['below'] => {
      const below = hints.item === undefined ? [] : ownedBelow(hints)
      return below.length > 0 ? below : undefined
    }
    return { ...(otherPaths.length > 0 && { otherPaths }), readBelow }
  }
}

function membersOf(members: string | undefined): Pick<ContractAlias, 'members'> {
  return members === undefined ? {} : { members }
}

/** The path without names of the collection below a record by whose ids an alias selects; `undefined` when it selects otherwise. */
function membersPath(item: string, by: ContractAlias['by']): string | undefined {
  const [below] = Object.values(by).flatMap((place) => wordBelow(place) ?? [])
  return below === undefined ? undefined : withoutNames(`${item}/${below}`)
}

/** The collection at the top with the last word of a path that the document does not have. */
function nameAtTop(stem: string, paths: Inference['paths']): string | undefined {
  const end = stem.slice(stem.lastIndexOf('/'))
  return [...paths].find(([, path]) => !path.includes('{') && path.endsWith(end))?.[0]
}

/** Whether a path shows the records below all parents, so that what is above them is above the records. */
function isOverAll(path: string, by: ContractAlias['by']): boolean {
  return Object.keys(by).some((name) => !parametersIn(path).includes(name))
}

/** The resource of the only record that a path leads to: a single one, or that of the caller. */
function onlyAt(
  path: string,
  { of, resource }: Pick<Inference, 'of' | 'resource'>,
  operations: readonly Operation[],
): string | undefined {
  const read = operations.find((one) => one.method === 'GET' && shapeOf(one.path).path === path)
  const { resource: name = '', caller } = read ? of(read) : {}
  return caller || resource(name)?.isSingle ? name : undefined
}

function collectionOf(template: string): string {
  const { path, stem = path } = shapeOf(template)
  return stem
}

/** Whether the records below another one are its own: they are created there, or none can be created without it. */
function isOwned(
  path: string,
  { aliases = {}, path: own }: ResourceHints,
  operations: readonly Operation[],
): boolean {
  const creates = (at: string): Operation | undefined =>
    operations.find((one) => one.method === 'POST' && shapeOf(one.path).path === at)
  if (creates(path)) return true
  const [property] = Object.values(aliases[path] ?? {}).slice(-1)
  const { body } = creates(own) ?? {}
  const inner = body ? [body.schema, ...propertiesOf(body.schema).values()] : []

  return typeof property === 'string' && inner.some((one) => requiredNames(one).has(property))
}
