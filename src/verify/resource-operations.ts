import type { Contract, Operation } from '../contract/contract.ts'
import { chooseResponse } from '../contract/documented-response.ts'
import { itemsOf, requiredNames, schemaAt } from '../contract/schema.ts'
import { type Binding, bind, type ResourceBinding } from '../resources/bind.ts'
import type { Resource } from '../resources/resource.ts'
import { aliasOf } from '../resources/views/aliases.ts'
import { isParameter, isSameTemplate, segmentsOf } from './record-address.ts'
import { itemTemplateElsewhere } from './session/item-templates.ts'
import { createsByPut } from './session/own-records.ts'
import { sampleBody, takesJson } from './test-data/sample-body.ts'

/** What the operations of a resource do. */
export type RecordAction = ResourceBinding['action']

/** A resource whose paths and messages are simple, and the operations on it. */
export interface ResourceOperations {
  readonly resource: Resource
  readonly operations: Readonly<Partial<Record<RecordAction, Operation>>>
}

/** Any other resource: below a parent, in envelopes, created by PUT, or with ids and views of its own. Its bindings say where records are. */
export interface BoundResource {
  readonly resource: Resource
  readonly bindings: Readonly<Partial<Record<RecordAction, ResourceBinding>>>
  /** The actions on one of its records. */
  readonly actions: readonly ResourceBinding[]
  /** The operations that create several of its records. */
  readonly several: readonly ResourceBinding[]
}

/** The operations of a contract, grouped by resource. */
export interface GroupedOperations {
  readonly simple: readonly ResourceOperations[]
  readonly others: readonly BoundResource[]
  /** Both, with their bindings. */
  readonly all: readonly BoundResource[]
  /** Operations without a simple resource. */
  readonly general: readonly Operation[]
}

/** A DELETE that leaves its record in a state of the end, such as a cancellation, is tried as a removal that keeps it. */
function asRemoval(one: Binding): Binding {
  const { method, path } = one.operation
  const isEnd =
    one.action === 'act' && method === 'DELETE' && isParameter(segmentsOf(path).at(-1) ?? '')
  return isEnd ? { ...one, action: 'remove' } : one
}

/** Of several operations with one action, the first one stands for them. */
export function groupByResource(contract: Contract): GroupedOperations {
  const bindings = bind(contract).map(asRemoval)
  const bound = bindings.flatMap((one) =>
    one.action === 'stateless' || takesSeveral(one) ? [] : [one],
  )
  const several = bindings.flatMap((one) =>
    one.action === 'create' && takesSeveral(one) ? [one] : [],
  )
  const groups = [...new Set(bound.map(resourceHere))].map((resource) => ({
    resource,
    bindings: listsFirst(bound.filter((one) => resourceHere(one) === resource)),
  }))
  const putOf = (bindings: readonly ResourceBinding[]): ResourceBinding | undefined =>
    bindings.some(({ action }) => action === 'create')
      ? undefined
      : bindings.find(({ operation }) => createsByPut(operation, contract))
  const simple = groups.filter(({ bindings }) => bindings.every(isSimple) && !putOf(bindings))
  const all = groups.map(({ resource, bindings }) => {
    const put = putOf(bindings)
    const first = Object.fromEntries([...bindings].reverse().map((one) => [one.action, one]))
    return {
      resource,
      bindings: put ? { ...first, create: put } : first,
      actions: bindings.filter(({ action }) => action === 'act'),
      several: several.filter((one) => resourceHere(one) === resource),
    }
  })
  const simpleResources = new Set(simple.map(({ resource }) => resource))
  const joined = withItemsElsewhere(all, contract)

  return {
    simple: simple.map(({ resource, bindings }) => ({
      resource,
      operations: Object.fromEntries(
        [...bindings].reverse().map(({ action, operation }) => [action, operation]),
      ),
    })),
    others: joined.filter(({ resource }) => !simpleResources.has(resource)),
    all: joined,
    general: bindings
      .filter((one) => !isOfSimple(one, simpleResources))
      .map(({ operation }) => operation),
  }
}

/** The actions on records that exist. */
const ON_ITEM = ['read', 'update', 'replace', 'remove'] as const

/**
 * Collections whose records have their operations at another path, such as `/devices/{device}` for those of `/sites/{site}/devices`:
 * they are judged where the records are created.
 */
function withItemsElsewhere(
  all: readonly BoundResource[],
  contract: Contract,
): readonly BoundResource[] {
  const isAt = (one: ResourceBinding | undefined, template: readonly string[]): boolean =>
    one !== undefined && isSameTemplate(segmentsOf(one.operation.path), template)
  const givers = new Map(
    all.flatMap((group) => {
      const { create, read } = group.bindings
      const template = create && itemTemplateElsewhere(contract, create.operation)
      const giver = all.find(
        ({ bindings }) =>
          !bindings.create &&
          bindings.read?.resource === create?.resource &&
          isAt(bindings.read, template ?? []),
      )
      return template && giver && !read ? [[group, giver] as const] : []
    }),
  )
  const given = new Set(givers.values())
  return all.map((group) => {
    const { read, update, replace, remove, ...others } = group.bindings
    // The list stays, and what it shows is read.
    if (given.has(group))
      return { ...group, bindings: { ...others, ...(read && { read }) }, actions: [] }
    const giver = givers.get(group)
    if (!giver) return group
    const items = ON_ITEM.flatMap((name) => {
      const one = giver.bindings[name]
      return one ? [[name, one] as const] : []
    })
    return {
      ...group,
      bindings: { ...Object.fromEntries(items), ...group.bindings },
      actions: [...group.actions, ...giver.actions],
    }
  })
}

/** An operation such as `GET /books/count` may be read as a list, and shows none: those that show one come first. */
function listsFirst(bindings: readonly ResourceBinding[]): readonly ResourceBinding[] {
  const isOther = ({ action, operation, hints }: ResourceBinding): boolean => {
    const { schema } = chooseResponse(operation).documented ?? {}
    const shown = schema && schemaAt(schema, hints.record ?? '')
    return action === 'list' && shown !== undefined && itemsOf(shown) === undefined
  }
  return [...bindings.filter((one) => !isOther(one)), ...bindings.filter(isOther)]
}

function isOfSimple(binding: Binding, resources: ReadonlySet<Resource>): boolean {
  return (
    binding.action !== 'stateless' && !takesSeveral(binding) && resources.has(resourceHere(binding))
  )
}

/** Whether a request is about several records, or about one that its path does not name, such as the caller's. */
function takesSeveral({ hints, operation: { body } }: ResourceBinding): boolean {
  const sent = body && schemaAt(body.schema, hints.body ?? '')
  return (
    hints.caller === true ||
    hints.ids !== undefined ||
    (sent !== undefined && itemsOf(sent) !== undefined)
  )
}

/** The resource of an operation as its path has it: an alias is judged as a collection of its own. */
function resourceHere(binding: ResourceBinding): Resource {
  return aliasOf(binding)?.at ?? binding.resource
}

/** Whether a valid body is known without the service and without a search. */
function hasSampleBody({ body }: Operation): boolean {
  if (!body || !takesJson(body)) return true
  return sampleBody(body, { model: undefined, text: 'verify', isComplete: false }) !== undefined
}

/** Whether clients must choose the ids of new records, so that two equal requests cannot both create one. */
function requiresId({ hasClientIds, creation, id }: Resource): boolean {
  return hasClientIds === true && creation !== undefined && requiredNames(creation.schema).has(id)
}

/**
 * Whether the record or the list of records is the whole body, below a path without parents, and has its id, which the service
 * can choose, under one name.
 */
function isSimple(binding: ResourceBinding): boolean {
  const { action, resource, hints, operation } = binding
  const { record = '', body = '', item, id, sentId, views } = hints
  const isPlain = [item, id, sentId, views].every((one) => one === undefined)

  return (
    isPlain &&
    action !== 'act' &&
    record === '' &&
    body === '' &&
    resourceHere(binding).parents === undefined &&
    !resource.isSingle &&
    !requiresId(resource) &&
    hasSampleBody(operation) &&
    (action === 'list' || chooseResponse(operation).documented?.schema?.items === undefined) &&
    !resource.id.startsWith('$')
  )
}
