import type { Contract, Operation } from '../../contract/contract.ts'
import type { GivenInput } from '../../requests/operation-input.ts'
import { isObject } from '../../validation/objects.ts'
import { refuseUnknown, UsageError, unknownName } from '../../validation/usage-error.ts'

/** Values for the requests of operations, by the id of the operation or by its method and path, such as `POST /zones`. */
export type NamedRequests = Readonly<Record<string, GivenInput>>

/** The operations with the values that the user gave for their requests. Throws a `UsageError` for unknown names. */
export function givenRequests(
  { operations }: Pick<Contract, 'operations'>,
  named: NamedRequests,
): ReadonlyMap<Operation, GivenInput> {
  return new Map(
    Object.entries(named).map(([name, given]) => {
      const task = `use the values for "${name}"`
      const operation = operations.find(
        ({ id, method, path }) => id === name || `${method} ${path}` === name,
      )
      if (!operation) throw unknownOperation(task, name, operations)
      if (!isObject(given)) throw notAnObject(task)
      refuseUnknown(`the values for ${name}`, given, ['body', 'parameters'])
      requireParameters(task, operation, given.parameters ?? {})
      requireBody(task, operation, given)
      return [operation, given] as const
    }),
  )
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
