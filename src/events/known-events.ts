import type { Callback, Contract, SentRequest } from '../contract/contract.ts'
import { isEventFlag } from '../contract/hints.ts'
import { itemsOf, listedValues, propertiesOf, schemaAt } from '../contract/schema.ts'
import { actionIn } from '../inference/path-shape.ts'
import { resourceNamed, resourcesIn } from '../resources/bind.ts'
import type { Resource } from '../resources/resource.ts'
import { once } from '../validation/objects.ts'
import { suggest, UsageError } from '../validation/usage-error.ts'
import { documentedNames, type Happening, kindNamed, usualName } from './event-names.ts'

/** Throws a UsageError for the name of an event that never happens, or for a start such as `order.*` that no name has. */
export function checkEventName(name: string, contract: Contract, task: string): void {
  const known = knownEvents(contract)
  const isKnown = name.endsWith('*')
    ? known.some((one) => one.startsWith(name.slice(0, -1)))
    : known.includes(name)
  if (isKnown) return
  throw new UsageError({
    code: 'unknown_event',
    task,
    reason: `no event has the name "${name}"`,
    ...suggest(name, known),
    allowed: known,
  })
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

function happeningsTo({ path, operations = [] }: Resource): readonly Happening[] {
  const actions = operations.flatMap(({ operation, hints: { action } }) => {
    const name = action === 'act' ? actionIn(operation.path)?.name : undefined
    return name === undefined ? [] : [{ kind: 'updated', path, action: name } as const]
  })
  const kinds = ['created', 'updated', 'deleted'] as const

  return [...kinds.map((kind) => ({ kind, path })), ...actions]
}
