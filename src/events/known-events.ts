import type { Callback, Contract, SentRequest } from '../contract/contract.ts'
import { isEventFlag, type OperationHints } from '../contract/hints.ts'
import { itemsOf, listedValues, propertiesOf, schemaAt } from '../contract/schema.ts'
import { isNamedEvent } from '../forcing/rules.ts'
import { actionIn } from '../inference/path-shape.ts'
import { resourceNamed, resourcesIn } from '../resources/bind.ts'
import type { Resource } from '../resources/resource.ts'
import { once } from '../validation/objects.ts'
import { isMisspelt, suggest, UsageError } from '../validation/usage-error.ts'
import { documentedNames, type Happening, kindNamed, usualName } from './event-names.ts'

/** What decides which names events may have. */
interface NamedEvents {
  readonly contract: Contract
  /** Whether the code of a developer answers requests: it may emit any event. */
  readonly hasOwnCode: boolean
}

/** The names of events in a world. */
export function namedEvents({ service, used }: EventCode): NamedEvents {
  const { contract, handlers } = service.settings
  return { contract, hasOwnCode: handlers !== undefined || used.length > 0 }
}

interface EventCode {
  readonly service: {
    readonly settings: { readonly contract: Contract; readonly handlers?: object }
  }
  readonly used: readonly unknown[]
}

/** The same as `checkEventName`, also for a start such as `order.*` that no name has. */
export function checkEventPattern(name: string, events: NamedEvents, task: string): void {
  const known = knownEvents(events.contract)
  if (known.some((one) => isNamedEvent(one, name))) return
  const names = name.endsWith('*') ? new Set(known.map(startOf)) : known
  refuseUnknownEvent(name, [...names], events, task)
}

/**
 * Throws a UsageError for the name of an event that never happens. Where the document names no events, or code may emit others, only for a name that
 * looks like a misspelt one.
 */
export function checkEventName(name: string, events: NamedEvents, task: string): void {
  const known = knownEvents(events.contract)
  if (!known.includes(name)) refuseUnknownEvent(name, known, events, task)
}

function refuseUnknownEvent(
  name: string,
  names: readonly string[],
  { contract, hasOwnCode }: NamedEvents,
  task: string,
): void {
  const isOpen = hasOwnCode || sentRequestsOf(contract).size === 0
  if (isOpen && !names.some((one) => isMisspelt(name, one))) return
  throw new UsageError({
    code: 'unknown_event',
    task,
    reason: `no event has the name "${name}"`,
    ...suggest(name, names),
  })
}

/** The start that names have in common: `order.*` of `order.created`. */
function startOf(name: string): string {
  return name.replace(/[^.]*$/, '*')
}

/** The resources whose records are subscriptions. */
export const subscriptionResources: (contract: Contract) => readonly Resource[] = once((contract) =>
  (contract.subscriptions ?? []).flatMap((name) => resourceNamed(contract, name) ?? []),
)

/** What the document says about events, by their names: its webhooks, the events of subscriptions, and the callbacks of these. */
export const sentRequestsOf: (contract: Contract) => ReadonlyMap<string, SentRequest | undefined> =
  once((contract) => {
    const resources = subscriptionResources(contract)
    const listed = resources.flatMap(listedEvents)
    const callbacks = resources.flatMap(subscriptionCallbacks)
    const described = [...(contract.webhooks ?? []), ...callbacks]
    // Of several methods, the first that sends a body counts.
    const sorted = described.sort((one, other) => Number(!one.content) - Number(!other.content))

    return new Map([
      ...listed.map((name) => [name, undefined] as const),
      ...sorted.reverse().map((one) => [one.name, one] as const),
    ])
  })

/** The names of events that a subscription can have, as far as its schema lists them. */
function listedEvents({ schema, sent = [], subscription }: Resource): readonly string[] {
  const { events } = subscription ?? {}
  if (events === undefined) return []
  const names = [schema, ...sent].flatMap((one) => {
    const place = schemaAt(one, events)
    if (!place) return []
    const values = listedValues(itemsOf(place) ?? place)
    if (values.length > 0) return values
    const flags = [...propertiesOf(place).keys()]
    return events === '' ? flags.filter(isEventFlag) : flags
  })
  return [...new Set(names.map(String))].filter((name) => !/^(\*|all)$/i.test(name))
}

/** The callbacks of the operations that create subscriptions: they describe the events, which are sent when these happen. */
function subscriptionCallbacks({ operations = [] }: Resource): readonly Callback[] {
  return operations.flatMap(({ operation }) => operation.callbacks ?? [])
}

/** The names of the events that a document has, and of those that changes of its records cause. */
const knownEvents: (contract: Contract) => readonly string[] = once((contract) => {
  const documented = [...sentRequestsOf(contract).keys()]
  const happenings = resourcesIn(contract).flatMap(happeningsTo)
  const caused = happenings.flatMap((one) => {
    const names = documentedNames(one, documented)
    return names.length > 0 ? names : usualName(one)
  })
  const callbacks = contract.operations.flatMap(({ callbacks: own = [] }) =>
    own.map((one) => one.name),
  )
  return [...new Set([...documented, ...caused, ...callbacks])]
})

/** The names of events in a document that tell of none of its collections: no request causes them. */
export function unexplainedEvents(contract: Contract): readonly string[] {
  const paths = resourcesIn(contract).map(({ path }) => path)
  const isAbout = (name: string, path: string): boolean =>
    kindNamed(name, path) !== undefined ||
    documentedNames({ kind: 'updated', path }, [name]).length > 0

  return [...sentRequestsOf(contract).keys()].filter(
    (name) => !paths.some((path) => isAbout(name, path)),
  )
}

/** An action on a record of a collection, such as `cancel` of `POST /orders/{id}/cancel`. */
interface NamedAction {
  readonly name: string
  readonly hints: OperationHints
}

/** The actions on the records of a collection that have names. */
export function actionsOn({
  name,
  operations = [],
  idOperations = [],
}: Resource): readonly NamedAction[] {
  const own = [...operations.map(({ operation }) => operation), ...idOperations]
  return own.flatMap(({ path, hints }) => {
    // What changes a list in a record is no action: its event is that of a change.
    const isAction = hints?.action === 'act' && !hints.list && hints.resource === name
    const action = isAction ? actionIn(path) : undefined
    return hints && action ? { name: action.name, hints } : []
  })
}

function happeningsTo(resource: Resource): readonly Happening[] {
  const { path } = resource
  const kinds = ['created', 'updated', 'deleted'] as const
  const actions = actionsOn(resource).map(({ name }) => name)

  return [
    ...kinds.map((kind) => ({ kind, path })),
    ...actions.map((action) => ({ kind: 'updated', path, action }) as const),
  ]
}
