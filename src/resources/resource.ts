import type { Operation, RequestBody, Schema, SchemaValidator } from '../contract/contract.ts'
import { chooseResponse } from '../contract/documented-response.ts'
import {
  type ContractAlias,
  type ContractResource,
  type CountedHints,
  ITSELF,
  LATEST_ADDED,
  type OperationHints,
  type ResourceHints,
  type SubscriptionHints,
  sluggedIn,
  wordBelow,
} from '../contract/hints.ts'
import { mainView, operationsOn } from '../contract/operation-cases.ts'
import { encodeLiteral } from '../contract/path-pattern.ts'
import {
  escapeKey,
  itemsOf,
  parsePointer,
  propertiesOf,
  schemaAt,
  valuesById,
} from '../contract/schema.ts'
import { parameterIn, parametersIn, withoutNames, wordOf } from '../inference/path-shape.ts'
import { FIRST_ADDED } from '../inference/sorting.ts'
import { once } from '../validation/objects.ts'
import type { ResourceOperation } from './collect-examples.ts'
import type { ResourceIds } from './find-ids.ts'
import {
  ADDED,
  CONTENT,
  DUE,
  givenName,
  keptName,
  MADE,
  markName,
  PENDING,
  RENAMED,
  REQUEST_KEY,
  TRASHED,
  UNCHECKED,
} from './hidden-properties.ts'

/** A collection of records, with the paths of the collection and of one record. */
export interface Resource {
  /** The last segment of the path, such as `books`; the whole path when another path ends with it, such as `shop/books`. */
  readonly name: string
  /** The path, such as `/books`, percent-encoded. */
  readonly path: string
  /** The property that contains the id. */
  readonly id: string
  /** What ids are generated from: the schema of the property, with that of the path parameter where that needs other ids. */
  readonly idSchema: Schema
  /** The path parameter that contains the id; absent when no path leads to one record. */
  readonly idParameter?: string
  readonly schema: Schema
  /** The name of the schema in the document; absent when it has none. */
  readonly schemaName?: string
  readonly validate: SchemaValidator
  /** The body of a request that creates a record, with the schema of the record in it; absent when no operation creates one. */
  readonly creation?: RequestBody & {
    /** Whether the record is a part of the body, so that only the body has a validator. Default: it is the body. */
    readonly isPart?: true
  }
  /** Properties by which the list can be filtered. */
  readonly filters: readonly string[]
  /** Properties by which the list can be sorted; default: none. */
  readonly sorts?: readonly string[]
  /** Properties of which no two records have the same value, with the answer to a request that breaks this; default: none. */
  readonly unique?: NonNullable<ResourceHints['unique']>
  /** Properties that only the responses show which create the record or replace the value; default: none. */
  readonly shownOnce?: NonNullable<ResourceHints['shownOnce']>
  /** Further properties by which a path may name a record; default: none. */
  readonly keys?: readonly string[]
  /** The resources above whose records have `keys`, those at the top first; default: none. */
  readonly keyed?: () => readonly Resource[]
  /** The resources at other paths whose records parameters in `path` name; default: none. */
  readonly within?: readonly ParentElsewhere[]
  /** The path parameters in `path`, which contain the ids of the parents; default: none. */
  readonly parents?: readonly string[]
  /** Whether the client chooses the id of a new record, if its request has one; default: no. */
  readonly hasClientIds?: boolean
  /**
   * Whether the store refuses records that the schema does not allow. Default: no, because what each response shows of a record is
   * validated.
   */
  readonly isValidated?: boolean
  /** An id that the document shows at another place, like which ids are made; default: none. */
  readonly idExample?: string
  /** The text by which paths name the caller's own record; default: none. */
  readonly callerId?: string
  /** Texts by which paths name a record that has another id, with how it is found; default: none. */
  readonly idWords?: NonNullable<ResourceHints['idWords']>
  /** Whether there is one record only, at `path`; default: no. */
  readonly isSingle?: boolean
  /** How ids are generated; absent until they are needed. */
  readonly ids?: ResourceIds
  /** The hints of the operation whose response shows most of a record. */
  readonly viewHints?: OperationHints
  /** The operations on the resource; default: none. */
  readonly operations?: readonly ResourceOperation[]
  /** The operations on other records whose paths contain the id; default: none. */
  readonly idOperations?: readonly Operation[]
  /** What the service sets in the properties of a new or changed record; default: nothing. */
  readonly values?: ResourceHints['values'] | undefined
  /** Where the records above the collection count or list its records; absent when they do not. */
  readonly counted?: Pick<CountedHints, 'by' | 'inState' | 'listed'> & {
    /** The resource of the records above. */
    readonly in: () => Resource | undefined
  }
  /** Other paths that lead to the records; default: none. */
  readonly aliases?: readonly Alias[]
  /** Finds the aliases of other resources below a record, whose records are gone with it; absent when there are none. */
  readonly findBelow?: () => readonly Alias[]
  /** The resource whose records are the callers that `values` name; absent when they name none. */
  readonly callers?: () => Resource | undefined
  /** The resource whose records are the callers that mark records; absent when no such records are known. */
  readonly markers?: () => Resource | undefined
  /** The properties that show records of other collections; default: none. */
  readonly references?: readonly Reference[]
  /** Where the records have ids of records of other collections; default: nowhere. */
  readonly idReferences?: readonly IdReference[]
  /** The schemas of the records in requests; default: none. */
  readonly sent?: readonly Schema[]
  /** What makes a record a subscription; absent when the records are none. */
  readonly subscription?: SubscriptionHints
  /** Whether the collection starts without records, whatever the settings say; default: no. */
  readonly startsEmpty?: true
  /** Write-only properties: they are stored, and are in no response. */
  readonly hidden: ReadonlySet<string>
}

/** A resource at another path whose records a parameter of a path names. */
export interface ParentElsewhere {
  readonly parameter: string
  readonly of: () => Resource | undefined
}

/** A property that shows records of a collection. */
export interface Reference {
  readonly name: string
  readonly of: () => Resource | undefined
  /** The property of requests that names the record; absent when it is the same. */
  readonly by?: string
  /** The property of the record that is shown; absent when the record itself is. */
  readonly shows?: string
}

/** A place in records that has the id of a record of a collection, or a list of ids. */
export interface IdReference {
  /** The names that lead to it. Lists on the way have it in each item. */
  readonly place: readonly [string, ...string[]]
  /** The name of the resource. */
  readonly target: string
  readonly of: () => Resource | undefined
}

/** Whether requests can add records to a collection that is below a record, and not the record itself as `/files/{folder}` may be. */
export function canGrow({
  path,
  operations = [],
  hasClientIds = false,
  within = [],
}: Resource): boolean {
  const isRecord = path.endsWith('}') && !within.some((one) => path.endsWith(`{${one.parameter}}`))
  return (
    !isRecord &&
    operations.some(
      ({ operation: { method }, hints: { action } }) =>
        action === 'create' ||
        (hasClientIds &&
          (action === 'replace' || (action === 'update' && /^(PUT|POST)$/.test(method)))),
    )
  )
}

/** The collection that the records of a resource show themselves, such as the users in the members of a team; `undefined` for others. */
export function shownBy({ references = [] }: Pick<Resource, 'references'>): Resource | undefined {
  return references.find(({ name }) => name === ITSELF)?.of()
}

/** Another path that leads to the records of a resource. */
export interface Alias {
  /** The resource. */
  readonly of: () => Resource
  /** The resource as it would be at this path. */
  readonly at: Resource
  /** The path parameters of the collection, with what they are called in this path. */
  readonly own: readonly (readonly [name: string, here: string])[]
  /** Those whose value is that of another parameter, as paths have it: the owner of records, as in `/orgs/{org}/repos`. */
  readonly owners: readonly (readonly [name: string, here: string])[]
  /** Those whose value is the key of the caller's record, or of the only one, of a resource. */
  readonly callers: readonly {
    readonly name: string
    readonly of: () => Resource | undefined
    /** What they are called where the document does not have the record. */
    readonly word: string
  }[]
  /** The parameters of the collections of which the path shows all records; none when it shows those of one. */
  readonly across: readonly AliasBinding[]
  /** The parameter by whose record, below those of the resource, the path selects these; absent when it selects them by what they have. */
  readonly members?: { readonly parameter: string; readonly of: () => Resource | undefined }
  /** What the parameters say that the own path does not have. */
  readonly by: readonly AliasBinding[]
  /** The resource of the records directly above; `undefined` when there is none. */
  readonly above: () => Resource | undefined
}

/** The value of a path parameter in a record. */
export interface AliasBinding {
  readonly parameter: string
  /** The names that lead to it. */
  readonly place: readonly [string, ...string[]]
  readonly schema: Schema
  /** Whether the first name leads to a list, of which one item has the value. Default: no. */
  readonly isListed?: true
}

/**
 * A resource of a contract. `operations` are those of the contract by their names; `isDropped` says whether properties are dropped that
 * no schema names.
 */
export function createResource(
  resource: ContractResource,
  operations: ReadonlyMap<string, Operation>,
  isDropped: boolean,
): Resource {
  const { name, path, id, idSchema, schema, filters, parents, sent, created } = resource
  const { schemaName } = resource
  const named = (keys: readonly string[]): readonly Operation[] =>
    keys.flatMap((key) => operations.get(key) ?? [])
  const own = operationsOn(name, named(resource.operations))
  const creation = own.find(({ hints, body }) => hints?.action === 'create' && body)
  const isValidated = isDropped && hasOneView(resource, own)
  const keeping = named(resource.keepingOperations ?? [])
  const { sorts, hidden } = hiddenProperties(resource, [...own, ...keeping], {
    isValidated,
    isDropped,
  })

  return {
    name,
    path: parents ? path : encodeLiteral(path),
    id,
    idSchema,
    ...idsOf(resource),
    schema,
    ...(schemaName !== undefined && { schemaName }),
    validate: resource.validate ?? acceptAny,
    ...(creation?.body && {
      creation: { ...creation.body, ...(created && { schema: created, isPart: true as const }) },
    }),
    filters,
    ...keysOf(resource),
    ...(sorts.length > 0 && { sorts }),
    ...(parents && { parents }),
    ...(resource.ids === 'client' && { hasClientIds: true }),
    ...(resource.isSingle && { isSingle: true }),
    isValidated,
    values: resource.values,
    sent: sent ?? [],
    idOperations: named(resource.idOperations ?? []),
    ...operationsOf(resource, own),
    ...(resource.shownOnce && { shownOnce: resource.shownOnce }),
    ...(resource.subscription && { subscription: resource.subscription }),
    hidden,
  }
}

/** The properties that no response shows, and those of them by which lists are sorted. */
function hiddenProperties(
  resource: ContractResource,
  own: readonly Operation[],
  { isValidated, isDropped }: { readonly isValidated: boolean; readonly isDropped: boolean },
): { readonly sorts: readonly string[]; readonly hidden: ReadonlySet<string> } {
  const { hidden = [], changesLater, renames, sent = [], idWords = {} } = resource
  const later = changesLater ? [DUE, PENDING] : []
  const isAdded =
    own.some(({ hints: { sort } = {} }) =>
      [sort?.default, ...Object.values(sort?.values ?? {})].some(
        (order) => order === LATEST_ADDED || order === FIRST_ADDED,
      ),
    ) || Object.values(idWords).includes(LATEST_ADDED)
  const added = isAdded ? [ADDED] : []
  const kept = [
    ...(own.some(({ hints }) => hints?.content) ? [CONTENT] : []),
    ...(own.some(({ hints }) => hints?.trash) ? [TRASHED] : []),
    ...(!isDropped && own.some(({ hints }) => hints?.action === 'create') ? [REQUEST_KEY] : []),
    ...own.flatMap(({ hints }) => (hints?.mark ? markName(hints.mark.name) : [])),
  ]

  const sentAs = [
    ...(renames ? [RENAMED] : []),
    ...(sent.length > 0 && !isValidated ? [UNCHECKED] : []),
  ]
  return {
    sorts: [...later.slice(0, 1), ...added],
    hidden: new Set([...hidden, ...kept, ...later, ...added, ...notedNames(resource), ...sentAs]),
  }
}

/** The properties in which the sandbox notes what it knows of a record. */
function notedNames(resource: ContractResource): readonly string[] {
  const { otherPaths = [] } = resource
  const kept = otherPaths.flatMap(({ path, by }) =>
    Object.entries(by).flatMap(([name, place]) =>
      place === true && path.includes(`{${name}}`) ? keptName(path, name) : [],
    ),
  )
  const given = Object.keys(resource.references ?? {}).flatMap((name) =>
    name === ITSELF ? [] : givenName(name),
  )
  return [...(isMarked(resource) ? [MADE] : []), ...kept, ...given]
}

/** The aliases of a resource. `named` finds the resources that are above them. */
export function aliasesOf(
  resource: Resource,
  { otherPaths = [] }: ContractResource,
  linked: (path: ContractAlias) => Pick<Resource, 'counted' | 'keyed'>,
  named: (name: string) => Resource | undefined,
): readonly Alias[] {
  const { counted: _, keyed: _keyed, within: _within, ...own } = resource
  return otherPaths.map((other) => {
    const { path, by, above, members, owned = {} } = other
    const parents = parametersIn(path)
    const at = { ...own, path, parents, ...linked(other) }
    const owners = Object.entries(by).flatMap(([here, place]) => {
      const name = typeof place === 'string' ? parameterIn(place) : undefined
      return name !== undefined && parents.includes(here) ? [[name, here] as const] : []
    })
    const selecting = Object.keys(by).find((name) => wordBelow(by[name]) !== undefined)
    const isBound = ([name]: readonly [string, unknown]): boolean =>
      parents.includes(name) && name !== selecting && !owners.some(([, here]) => here === name)
    const bindings = Object.entries(by)
      .filter(isBound)
      .map(([name, place]) => bindingOf(name, place, { path, schema: resource.schema }))
    const across = Object.entries(by).filter(
      ([name, place]) => !(parents.includes(name) || isPath(place)),
    )
    return {
      ...(selecting !== undefined && {
        members: {
          parameter: selecting,
          of: () => (members === undefined ? undefined : named(members)),
        },
      }),
      across: across.map(([name, place]) =>
        bindingOf(name, place, { path, schema: resource.schema }),
      ),
      ...{ at, by: bindings, own: sharedParameters(resource.path, path), owners },
      callers: Object.entries(by).flatMap(([name, place]) => {
        if (parents.includes(name) || !isPath(place)) return []
        const word = wordOf(String(place).replace('}', ''))
        const of = owned[name]
        return { name, word, of: () => (of === undefined ? undefined : named(of)) }
      }),
      of: () => named(resource.name) ?? resource,
      above: () => (above === undefined ? undefined : named(above)),
    }
  })
}

/** Whether a hint names the path of the record that is meant. */
function isPath(place: string | true): boolean {
  return typeof place === 'string' && place.startsWith('{/')
}

function bindingOf(
  parameter: string,
  place: string | true,
  { path, schema }: { readonly path: string; readonly schema: Schema },
): AliasBinding {
  const [name = '', ...inner] =
    place === true ? [keptName(path, parameter)] : parsePointer(pointerTo(place))
  const items = itemsOf(propertiesOf(schema).get(name) ?? {})
  const below = pointerOf(items ? inner : [name, ...inner])
  const own = place === true ? undefined : schemaAt(items ?? schema, below)

  return { parameter, place: [name, ...inner], schema: own ?? {}, ...(items && { isListed: true }) }
}

/** The parameters of a path by their names in an alias: those at the same place, else those of the same name. */
function sharedParameters(path: string, alias: string): Alias['own'] {
  const [own, other] = [path.split('/'), alias.split('/')]
  // Of paths that differ in a word or a version only, parameters at the same place are the same.
  const isAligned =
    own.length === other.length &&
    own.every(
      (part, at) => (parameterIn(part) === undefined) === (parameterIn(other[at]) === undefined),
    )
  const start = isAligned
    ? -1
    : own.findIndex((part, at) => withoutNames(part) !== withoutNames(other[at] ?? ''))
  return own.flatMap((part, at) => {
    const name = parameterIn(part)
    if (name === undefined) return []
    return [[name, start < 0 || at < start ? (parameterIn(other[at]) ?? name) : name] as const]
  })
}

function pointerOf(names: readonly string[]): string {
  return names.map((name) => `/${escapeKey(name)}`).join('')
}

function pointerTo(place: string): string {
  return place.startsWith('/') ? place : `/${escapeKey(place)}`
}

/**
 * Whether it matters who made a record: where clients choose ids, or names that ids follow, where records have others below them, and of
 * subscriptions.
 */
function isMarked({ id, ids, values, hasChildren, subscription }: ContractResource): boolean {
  const isChosen = ids === 'client' || sluggedIn(values?.[id]) !== undefined
  return isChosen || hasChildren === true || subscription !== undefined
}

/** What is known about the ids, where it is. */
function idsOf({
  idParameter,
  idExample,
  callerId,
  idWords,
}: ContractResource): Pick<Resource, 'idParameter' | 'idExample' | 'callerId' | 'idWords'> {
  return {
    ...(idParameter !== undefined && { idParameter }),
    ...(idExample !== undefined && { idExample }),
    ...(callerId !== undefined && { callerId }),
    ...(idWords && { idWords }),
  }
}

function keysOf({
  keys = [],
  renames,
  unique,
}: ContractResource): Pick<Resource, 'keys' | 'unique'> {
  const all = renames ? [...keys, RENAMED] : keys
  return { ...(all.length > 0 && { keys: all }), ...(unique && { unique }) }
}

function operationsOf(
  { view, name }: ContractResource,
  own: readonly Operation[],
): Pick<Resource, 'operations' | 'viewHints'> {
  const operations = own.flatMap((operation) =>
    operation.hints ? { operation, hints: operation.hints } : [],
  )
  const viewHints = view === undefined ? undefined : mainView(name, own, view)?.hints

  return { operations, ...(viewHints && { viewHints }) }
}

/** Whether every response with a record shows the same of it, so that all of a record is valid. */
function hasOneView({ schema, id }: ContractResource, own: readonly Operation[]): boolean {
  return own.every(({ hints, responses }) => {
    const shown = successResponse(responses)?.schema
    const place = shown && hints && schemaAt(shown, hints.record ?? '')
    const one = hints?.action === 'list' ? place && itemsOf(place) : place
    return (hints?.id ?? id) === id && (one === undefined || one === schema)
  })
}

/** Records in an envelope have no validator of their own: the whole body is validated. */
const acceptAny: SchemaValidator = () => true

/** The first 2xx response; `undefined` when the operation has none. */
function successResponse(
  responses: Operation['responses'],
): Operation['responses'][number] | undefined {
  return responses.find(({ status }) => status >= 200 && status < 300)
}

/** The schemas of the records in all responses. */
export const shownSchemas: (
  resource: Resource,
) => readonly { readonly schema: Schema; readonly hints: OperationHints }[] = once(
  ({ operations = [], idParameter }) =>
    operations.flatMap(({ operation, hints }) => {
      const { schema } = chooseResponse(operation).documented ?? {}
      const own = schema && hints.record !== undefined ? schemaAt(schema, hints.record) : undefined
      if (!own) return []
      const values = hints.action === 'list' ? valuesById(own, idParameter) : undefined
      return { schema: itemsOf(own) ?? values ?? own, hints }
    }),
)
