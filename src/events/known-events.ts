import type { Contract } from '../contract/contract.ts'
import { actionIn } from '../inference/path-shape.ts'
import { resourcesIn } from '../resources/bind.ts'
import type { Resource } from '../resources/resource.ts'
import { once } from '../validation/objects.ts'
import { suggest, UsageError } from '../validation/usage-error.ts'
import { documentedNames, type Happening, usualName } from './event-names.ts'
import { sentRequestsOf } from './make-deliveries.ts'

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

function happeningsTo({ path, operations = [] }: Resource): readonly Happening[] {
  const actions = operations.flatMap(({ operation, hints: { action } }) => {
    const name = action === 'act' ? actionIn(operation.path)?.name : undefined
    return name === undefined ? [] : [{ kind: 'updated', path, action: name } as const]
  })
  const kinds = ['created', 'updated', 'deleted'] as const

  return [...kinds.map((kind) => ({ kind, path })), ...actions]
}
