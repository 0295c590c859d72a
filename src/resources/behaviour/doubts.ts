import type { Contract, Operation, Schema } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import type { OperationHints } from '../../contract/hints.ts'
import {
  isSameRecord,
  plainName,
  propertiesOf,
  schemaAt,
  withBranches,
} from '../../contract/schema.ts'
import { createRelations, relationOf } from '../../inference/alias-relations.ts'
import { spokenName } from '../../inference/crud-action.ts'
import { idCandidatesOf } from '../../inference/id-property.ts'
import { responseSchemaOf } from '../../inference/infer-resource.ts'
import { wordOf } from '../../inference/path-shape.ts'
import { knownPutAction } from '../../inference/put-action.ts'
import { findListed } from '../../inference/record-place.ts'
import { getOwn, isObject, once } from '../../validation/objects.ts'
import {
  type Binding,
  bindingOf,
  pathsOf,
  type ResourceBinding,
  resourcesOfPaths,
} from '../bind.ts'
import { sharedKeyReason } from '../first-records/planned-ids.ts'
import { unmadeReason } from '../first-records/unmade-reason.ts'
import { type Resource, shownBy } from '../resource.ts'
import { aliasOf } from '../views/aliases.ts'
import { idleParameters } from './unread-filters.ts'

/** How sure it is that an operation does what its binding says. */
type Certainty = 'sure' | 'likely' | 'guess'

/** What speaks against a binding, and the hint that settles it. */
export interface Doubt {
  readonly certainty: Exclude<Certainty, 'sure'>
  readonly reason: string
  /** The path item that takes the hint, or that of the operation. */
  readonly path: string
  /** The method of the operation that takes the hint; absent when the path takes it. */
  readonly method?: string
  /** The hints as they are written in `x-sandbox`. They confirm what is bound, where nothing is likelier. Empty where none settles it. */
  readonly hints: Readonly<Record<string, unknown>>
}

type DoubtRule<Bound extends Binding = ResourceBinding> = (
  binding: Bound,
  contract: Contract,
  document: unknown,
) => Doubt | undefined

/** What speaks against the binding of an operation. `document` has its words; by default, it has none. */
export function doubtsOf(
  binding: Binding,
  contract: Contract,
  document?: unknown,
): readonly Doubt[] {
  const own =
    binding.action === 'stateless' ? [] : RULES.map((rule) => rule(binding, contract, document))

  return [isListAbove(binding, contract, document), ...own].filter((doubt) => doubt !== undefined)
}

/** How sure a binding is, by what speaks against it. */
export function certaintyOf(binding: Binding, doubts: readonly Doubt[]): Certainty {
  const levels = doubts.map(({ certainty }) => certainty)
  if (levels.includes('guess')) return 'guess'
  const isInferred = binding.action === 'stateless' && binding.reason !== 'hint'

  return levels.length > 0 || isInferred ? 'likely' : 'sure'
}

/** How sure a binding is, and what speaks against it. */
export interface Judgement {
  readonly certainty: Certainty
  /** Absent when nothing does. */
  readonly doubts?: readonly {
    readonly reason: string
    /** Where the hint belongs, such as `GET /pets`, or the document. */
    readonly place: string
    /** The hint that settles it, ready to paste; empty where none does. */
    readonly hint: string
  }[]
}

/** How sure a binding is, without the doubts that the hints of a document settle. */
export function judge(binding: Binding, contract: Contract, document: unknown): Judgement {
  const doubts = doubtsOf(binding, contract, document).filter(
    (doubt) => !isSettled(doubt, document),
  )
  const shown = doubts.map((doubt) => {
    const { reason, path, method, hints } = doubt
    if (!hasPlace(doubt, document))
      return { reason, place: 'the document', hint: hintText({ resources: { [path]: hints } }) }
    return {
      reason,
      place: method === undefined ? path : `${method} ${path}`,
      hint: Object.keys(hints).length > 0 ? hintText(hints) : '',
    }
  })

  return {
    certainty: certaintyOf(binding, doubts),
    ...(shown.length > 0 && { doubts: shown }),
  }
}

/** Whether the document has the path of a doubt. The hints for a collection without a path are `resources` of the document. */
export function hasPlace({ path }: Doubt, document: unknown): boolean {
  return memberOf(memberOf(document, 'paths'), path) !== undefined
}

/** Whether the document has the hints of a doubt, with any values. */
export function isSettled({ path, method, hints }: Doubt, document: unknown): boolean {
  const item = memberOf(memberOf(document, 'paths'), path)
  const place = method === undefined ? item : memberOf(item, method.toLowerCase())
  const others = memberOf(memberOf(document, 'x-sandbox'), 'resources')
  const given = item === undefined ? memberOf(others, path) : memberOf(place, 'x-sandbox')

  const names = Object.keys(hints)

  return names.length > 0 && names.every((name) => memberOf(given, name) !== undefined)
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? getOwn(value, name) : undefined
}

function onOperation(
  { operation: { path, method } }: Binding,
  doubt: Pick<Doubt, 'certainty' | 'reason' | 'hints'>,
): Doubt {
  return { ...doubt, path, method }
}

/** A list whose records are those of the collection above its path, such as `GET /pets/findByStatus`. */
const isListAbove: DoubtRule<Binding> = (binding, contract) => {
  if (binding.action !== 'stateless' && binding.action !== 'list') return undefined
  if (binding.action === 'stateless' && binding.reason === 'hint') return undefined
  const hints = listHints(binding.operation, contract)
  const bound = binding.action === 'list' ? binding.resource.name : undefined
  if (!hints || hints.resource === bound) return undefined
  const reason = `its response lists records with the properties of ${hints.resource}, but not those records`

  return onOperation(binding, { certainty: 'guess', reason, hints: { ...hints } })
}

/** A path with a number for records whose id is a text. */
const idHasOtherType: DoubtRule = ({ operation, resource }) => {
  const { idParameter, id, schema } = resource
  const property = propertiesOf(schema).get(id)
  const parameter = operation.parameters.find(
    (one) => one.in === 'path' && one.name === idParameter,
  )
  if (!property || !parameter || !isNumber(parameter.schema) || !isText(property)) return undefined
  const reason = `{${idParameter}} is a number, and ${id} is a text`

  return { certainty: 'guess', reason, path: pathOf(resource), hints: { hiddenIds: true } }
}

function isNumber(schema: Schema): boolean {
  return typesOf(schema).some((type) => type === 'integer' || type === 'number')
}

function isText(schema: Schema): boolean {
  const types = typesOf(schema).filter((type) => type !== 'null')
  return types.length > 0 && types.every((type) => type === 'string')
}

function typesOf(schema: Schema): readonly string[] {
  return withBranches(schema).flatMap(({ type = [] }) => type)
}

/** Two properties that can be the key, where neither has the name of the path parameter. */
const hasTwoKeys: DoubtRule = ({ operation, action, resource }) => {
  if (action !== 'read') return undefined
  const { idParameter, id, schema, path } = resource
  const found = operation.parameters.find((one) => one.in === 'path' && one.name === idParameter)
  const context = { parameter: idParameter, word: wordOf(path), path, schema: found?.schema }
  const [best, next] = idCandidatesOf(schema, context)
  if (!best || !next || best.rank === 0 || next.rank - best.rank > CLOSE) return undefined
  const reason = `${best.name} and ${next.name} can be its key: it is found by ${id}`

  return { certainty: 'likely', reason, path: pathOf(resource), hints: { id } }
}

/** Candidates whose ranks differ by no more are about as likely. */
const CLOSE = 0.5

/** Examples of two records with a key that only one record can have. */
const sharesKey: DoubtRule = (binding) => {
  const { action, resource } = binding
  const reason = action === 'list' ? sharedKeyReason(resource) : undefined

  return reason === undefined
    ? undefined
    : onOperation(binding, { certainty: 'likely', reason, hints: {} })
}

/** The path whose `x-sandbox` describes a resource. */
function pathOf({ path }: Resource): string {
  return decodeURI(path)
}

/** Query parameters of a list that change nothing. */
const ignoresParameters: DoubtRule = (binding) => {
  if (binding.action !== 'list') return undefined
  const { filters = {} } = binding.hints
  const ignored = idleParameters(binding)
  if (ignored.length === 0) return undefined
  const properties = [...propertiesOf(binding.resource.schema).keys()]
  const likely = ignored.flatMap(({ name }) => {
    const property = properties.find((one) => plainName(one) === plainName(name))
    return property === undefined ? [] : [[name, property] as const]
  })
  const all = { ...filters, ...Object.fromEntries(likely) }

  return onOperation(binding, {
    certainty: 'likely',
    reason: `these query parameters filter nothing: ${ignored.map(({ name }) => name).join(', ')}`,
    hints: { filters: Object.keys(all).length > 0 ? all : false },
  })
}

/** A list of which nothing says what its records are. */
const hasNoRecords: DoubtRule = ({ action, resource }) => {
  if (action !== 'list' || propertiesOf(resource.schema).size > 0) return undefined
  const reason = `nothing describes the records of ${resource.name}`

  return { certainty: 'guess', reason, path: pathOf(resource), hints: { resource: false } }
}

/** A list whose records no value can be. */
const hasUnmadeRecords: DoubtRule = (binding) => {
  const { action, resource } = binding
  const unmade = action === 'list' ? unmadeReason(resource) : undefined
  if (unmade === undefined) return undefined
  const reason = `it stays empty, because no value matches the schema of its records (${unmade})`

  return onOperation(binding, { certainty: 'likely', reason, hints: {} })
}

/** An action of which nothing says what it changes. */
const hasNoEffect: DoubtRule = (binding) => {
  const { set, from, after, part, query, content, mark, list } = binding.hints
  const isKnown = set || from || after || part || query || content || mark || list
  if (binding.action !== 'act' || isKnown) return undefined

  return onOperation(binding, {
    certainty: 'likely',
    reason: 'what it changes in the record is not known',
    hints: { set: {} },
  })
}

/** A PUT of which nothing says whether it replaces the record. */
const mayReplace: DoubtRule = (binding, _contract, document) => {
  const { operation, action, resource, hints } = binding
  const { method, path, body } = operation
  if (action !== 'update' || method !== 'PUT' || !body) return undefined
  const beside = resource.operations ?? []
  const creation = beside.find((one) => one.hints.action === 'create' && one.operation.body)
  const item = memberOf(memberOf(document, 'paths'), path)
  const words = [memberOf(item, 'put')].flatMap((put) => [
    memberOf(put, 'summary'),
    memberOf(put, 'description'),
  ])
  const known = knownPutAction({
    text: [`${spokenName(operation)}.`, ...words].filter(Boolean).join('. '),
    hasPatch: beside.some((one) => one.operation.method === 'PATCH' && one.operation.path === path),
    sent: schemaAt(body.schema, hints.body ?? ''),
    created: schemaAt(creation?.operation.body?.schema ?? {}, creation?.hints.body ?? ''),
  })
  if (known) return undefined
  const reason = 'nothing says whether it replaces the record. It changes only what the request has'

  return onOperation(binding, { certainty: 'guess', reason, hints: { action: 'update' } })
}

/** A request of which the document says nothing, although it gives a record its values. */
const takesAnything: DoubtRule = (binding) => {
  const { operation, hints, resource } = binding
  // A member needs no values: its path says which one it is.
  if (operation.body || hints.body === undefined || shownBy(resource)) return undefined

  return onOperation(binding, {
    certainty: 'likely',
    reason:
      'the document describes no body. What a client sends is taken as far as it fits the record',
    hints: { body: '' },
  })
}

/** A creation that takes one thing and shows another. */
const showsAnother: DoubtRule = (binding) => {
  const { operation, action, hints } = binding
  const { documented } = chooseResponse(operation)
  const body = documented && responseSchemaOf(operation)
  if (action !== 'create' || !body || !operation.body || hints.record === undefined)
    return undefined
  const sent = [...propertiesOf(schemaAt(operation.body.schema, hints.body ?? '') ?? {}).keys()]
  const shown = propertiesOf(schemaAt(body, hints.record) ?? {})
  const isOther = sent.length > 0 && shown.size > 0 && !sent.some((name) => shown.has(name))
  if (!isOther) return undefined
  const reason = 'its response has no property of its request, so it may be another thing'

  return onOperation(binding, { certainty: 'guess', reason, hints: { record: false } })
}

/** A path to the records of another one, where no property of these says what its last parameter does. */
const keepsParent: DoubtRule = (binding, contract) => {
  const { action, resource } = binding
  const alias = action === 'list' || action === 'create' ? aliasOf(binding) : undefined
  const kept = alias?.by.find(({ place: [name] }) => resource.hidden.has(name))
  if (!kept) return undefined
  const reason = `no property of a record says what {${kept.parameter}} is, so the sandbox keeps it`

  const { aliases = {} } = contract.resources?.[resource.name] ?? {}

  return { certainty: 'likely', reason, path: pathOf(resource), hints: { aliases } }
}

/** A list whose records may be those of another path: both look alike, or have the same schema, and nothing says more. */
const isLikeAnother: DoubtRule = (binding, contract) => {
  const { action, resource } = binding
  const isKnown = aliasOf(binding) !== undefined || shownBy(resource) !== undefined
  if (action !== 'list' || isKnown || propertiesOf(resource.schema).size === 0) return undefined

  return isBelowAnother(resource, contract) ?? sharesSchema(resource, contract)
}

/** Records like those of a path that ends with the same word, of which the list is one for some parents, or for all. */
function isBelowAnother(resource: Resource, contract: Contract): Doubt | undefined {
  const path = pathOf(resource)
  const other = listedLike(contract, path).find((one) => isSameRecord(one.schema, resource.schema))
  const relation = other && relationOf(path, pathOf(other))
  if (!relation) return undefined
  const kept = Object.fromEntries(relation.between.map(({ parameter }) => [parameter, true]))
  const reason = `nothing says that its records are those of ${pathOf(other)}, which look alike`
  const aliases = { ...contract.resources?.[other.name]?.aliases, [path]: kept }

  return { certainty: 'likely', reason, path: pathOf(other), hints: { aliases } }
}

/** The resources with a list whose paths are related to a path. Others are not read, which takes seconds for a large document. */
function listedLike(contract: Contract, path: string): readonly Resource[] {
  const related = relationsIn(contract)(path).filter((one) => relationOf(path, one))
  return resourcesOfPaths(contract, [...new Set(related)]).filter(isListed)
}

const relationsIn = once((contract: Contract) =>
  createRelations(Object.values(pathsOf(contract)).map((path) => decodeURI(path))),
)

function isListed({ operations = [] }: Resource): boolean {
  return operations.some(({ hints }) => hints.action === 'list')
}

/** The most paths of each kind whose records are read to find the same ones: reading all takes seconds for a large document. */
const MOST_READ = 20

/** Records with the schema of those that a path leads to which is above, beside, or ends with the same word: only hints can join them. */
function sharesSchema(resource: Resource, contract: Contract): Doubt | undefined {
  const path = pathOf(resource)
  const near = pathsByPlace(contract)(path).filter((one) => isBefore(one, path))
  const other = resourcesOfPaths(contract, near).find(
    (one) => isListed(one) && shownBy(one) === undefined && one.schema === resource.schema,
  )
  if (!other) return undefined
  const reason = `its records have the schema of those of ${pathOf(other)}, and nothing says that they are the same ones`

  return { certainty: 'likely', reason, path, hints: { resource: resource.name } }
}

/** Whether a path is the likelier one of the records themselves: it has fewer segments, or is the first by name. */
function isBefore(one: string, other: string): boolean {
  const depth = one.split('/').length - other.split('/').length
  return depth < 0 || (depth === 0 && one < other)
}

/** The paths above a path, and the likeliest ones of those beside it and of those that end with the same word. */
const pathsByPlace = once((contract: Contract) => {
  const paths = Object.values(pathsOf(contract)).map((path) => decodeURI(path))
  const known = new Set([...paths].sort((one, other) => (isBefore(one, other) ? -1 : 1)))
  const byPlace = new Map<string, string[]>()
  for (const path of known) {
    for (const place of [parentOf(path), `*/${wordOf(path)}`]) {
      const first = byPlace.get(place) ?? []
      if (first.length < MOST_READ) byPlace.set(place, [...first, path])
    }
  }
  return (path: string): readonly string[] => {
    const above = path.split('/').map((_, end, all) => all.slice(0, end).join('/'))
    const like = [parentOf(path), `*/${wordOf(path)}`].flatMap((place) => byPlace.get(place) ?? [])
    return [...new Set([...above.filter((one) => one !== '' && known.has(one)), ...like])]
  }
})

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

const RULES: readonly DoubtRule[] = [
  idHasOtherType,
  hasTwoKeys,
  sharesKey,
  ignoresParameters,
  hasNoRecords,
  hasUnmadeRecords,
  hasNoEffect,
  mayReplace,
  takesAnything,
  showsAnother,
  keepsParent,
  isLikeAnother,
]

/**
 * The hints that make an operation a list of the records of a collection above its path, such as `GET /pets/findByStatus`: its response
 * lists records of the same schema. `undefined` when there is no such collection.
 */
export function listHints(operation: Operation, contract: Contract): OperationHints | undefined {
  const body = responseSchemaOf(operation)
  const resource = resourceAbove(operation, contract)
  if (!body || !resource || !/^(GET|POST)$/.test(operation.method)) return undefined
  const { name, path, idParameter: parameter, schema: known } = resource
  const list = findListed(body, { word: wordOf(path), path, parameter, known })
  if (!list || !isSameRecord(list.schema, known)) return undefined
  const { place: record, item } = list

  return { resource: name, action: 'list', record, ...(item !== undefined && { item }) }
}

/** The resource of the nearest collection above the path of an operation, without parameters between them. */
function resourceAbove({ path }: Operation, contract: Contract): Resource | undefined {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (path.slice(end).includes('{')) return undefined
    const above = path.slice(0, end)
    for (const operation of operationsByPath(contract).get(above) ?? []) {
      const binding = bindingOf(contract, operation)
      if (binding.action !== 'stateless' && binding.resource.path === above) return binding.resource
    }
  }
  return undefined
}

const operationsByPath = once(({ operations }: Contract) => {
  const byPath = new Map<string, Operation[]>()
  for (const operation of operations)
    byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation])
  return byPath
})

/** Hints as they can be pasted into a document in YAML: `x-sandbox: { resource: pets, action: list }`. */
export function hintText(hints: object): string {
  return `x-sandbox: ${flowYaml(hints)}`
}

/** Texts that YAML reads as they are, in an object or a list as well. */
const PLAIN = /^[A-Za-z_/][\w/.-]*$/
const NO_TEXT = /^(true|false|null|yes|no|on|off|y|n)$/i

function flowYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowYaml).join(', ')}]`
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, one]) => `${flowYaml(key)}: ${flowYaml(one)}`)
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
  }
  const isPlain = typeof value === 'string' && PLAIN.test(value) && !NO_TEXT.test(value)

  return isPlain ? value : JSON.stringify(value)
}
