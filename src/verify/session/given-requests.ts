import type { Contract, Operation } from '../../contract/contract.ts'
import type { GivenInput } from '../../requests/operation-input.ts'
import { isObject } from '../../validation/objects.ts'
import { refuseUnknown, UsageError, unknownName } from '../../validation/usage-error.ts'

/** Values for the requests of operations, by the id of the operation or by its method and path, such as `POST /zones`. */
export type NamedRequests = Readonly<Record<string, GivenInput>>

/** Prepares what an operation needs, and returns values for its request. */
export type ProviderState = () => GivenInput | undefined | Promise<GivenInput | undefined>

/** Functions that prepare what operations need, by the id of the operation or by its method and path. */
export type ProviderStates = Readonly<Record<string, ProviderState>>

/** The operations with the values that the user gave for their requests. Throws a `UsageError` for unknown names. */
export function givenRequests(
  { operations }: Pick<Contract, 'operations'>,
  named: NamedRequests,
): ReadonlyMap<Operation, GivenInput> {
  return new Map(
    Object.entries(named).map(([name, given]) => {
      const operation = operationNamed(name, operations, `use the values for "${name}"`)
      return [operation, requireGiven(given, operation, `the values for "${name}"`)] as const
    }),
  )
}

/** The operations with the functions that prepare what they need. Throws a `UsageError` for unknown names. */
export function providerStates(
  { operations }: Pick<Contract, 'operations'>,
  named: ProviderStates,
): ReadonlyMap<Operation, ProviderState> {
  return new Map(
    Object.entries(named).map(([name, state]) => {
      const task = `use the state for "${name}"`
      if (typeof state !== 'function') throw noFunction(task)
      return [operationNamed(name, operations, task), state] as const
    }),
  )
}

function operationNamed(name: string, operations: readonly Operation[], task: string): Operation {
  const found = operations.find(
    ({ id, method, path }) => id === name || `${method} ${path}` === name,
  )
  if (found) return found
  throw unknownOperation(task, name, operations)
}

/** Values for the requests of an operation. Throws a `UsageError` when they are not. */
export function requireGiven(given: GivenInput, operation: Operation, what: string): GivenInput {
  const task = `use ${what}`
  if (!isObject(given)) throw notAnObject(task)
  refuseUnknown(what, given, ['body', 'parameters'])
  requireParameters(task, operation, given.parameters ?? {})
  requireBody(task, operation, given)
  return given
}

function noFunction(task: string): UsageError {
  return new UsageError({
    code: 'invalid_option',
    task,
    reason: 'it must be a function',
    help: "Write it as 'POST /orders/{id}/refund': async () => ({ parameters: { id: … } }).",
  })
}

function unknownOperation(
  task: string,
  name: string,
  operations: readonly Operation[],
): UsageError {
  const known = operations.flatMap(({ id, method, path }) => [id, `${method} ${path}`])
  return new UsageError({
    code: 'no_operation',
    task,
    ...unknownName('operation', name, known),
  })
}

function notAnObject(task: string): UsageError {
  return new UsageError({
    code: 'invalid_option',
    task,
    reason: 'they must be an object',
    help: 'Write them as { "body": { … }, "parameters": { … } }.',
  })
}

function requireParameters(task: string, { parameters }: Operation, given: object): void {
  const known = parameters.map(({ name }) => name)
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    throw new UsageError({ code: 'invalid_option', task, ...unknownName('parameter', name, known) })
  }
}

function requireBody(task: string, { body }: Operation, given: GivenInput): void {
  if (given.body === undefined || body) return
  throw new UsageError({
    code: 'invalid_option',
    task,
    reason: 'the operation has no body',
    help: 'Leave the body out.',
  })
}
