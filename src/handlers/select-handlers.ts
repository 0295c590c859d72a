import type { Contract, Operation } from '../contract/contract.ts'
import { isObject } from '../validation/objects.ts'
import { kindOf, UsageError, unknownName } from '../validation/usage-error.ts'
import type { AnyHandler, HandlerHook, Handlers } from './define-handlers.ts'

/** Handlers that were checked, in the order in which they were given. */
export interface SelectedHandlers {
  readonly own: readonly { readonly operation: Operation; readonly run: AnyHandler }[]
  readonly hooks: readonly HandlerHook[]
}

/** What a handler did wrong. */
export interface HandlerMistake {
  readonly kind: 'error' | 'timeout' | 'invalid-answer'
  /** The operation whose handlers ran. */
  readonly operation: string
  /** A sentence about it. */
  readonly message: string
  /** What was thrown. */
  readonly error?: unknown
}

/** The handlers of a sandbox, and who is told what they do wrong. */
export interface HandlerSettings {
  readonly selected: SelectedHandlers
  /** Default: answers that the document does not allow reject, and other mistakes are written to the console. */
  readonly onMistake?: ((mistake: HandlerMistake) => void) | undefined
}

const TASK = 'use the handlers'

/** Checks handlers. Throws a UsageError for an operation or a tag that the document does not have, and for what is no handler. */
export function selectHandlers(
  given: Handlers,
  contract: Pick<Contract, 'operations'>,
): SelectedHandlers {
  const parts = [given].flat().map((one: unknown) => {
    if (isObject(one)) return one
    throw invalid('the handlers', 'an object of functions', one)
  })
  return {
    own: parts.flatMap((one) => (isHook(one) ? [] : handlersIn(one, contract))),
    hooks: parts.filter(isHook).map((hook) => withKnownTags(hook, contract)),
  }
}

function withKnownTags(
  hook: HandlerHook,
  { operations }: Pick<Contract, 'operations'>,
): HandlerHook {
  const known = new Set(operations.flatMap(({ tags = [] }) => tags))
  const unknown = hook.tags?.find((tag) => !known.has(tag))
  if (unknown === undefined) return hook
  throw new UsageError({
    code: 'unknown_tag',
    task: TASK,
    location: unknown,
    ...unknownName('tag', unknown, [...known]),
  })
}

function handlersIn(map: object, contract: Pick<Contract, 'operations'>): SelectedHandlers['own'] {
  return Object.entries(map).flatMap(([name, run]: [string, unknown]) => {
    if (run === undefined) return []
    if (!isHandler(run)) throw invalid(name, 'a function', run)
    return { operation: operationNamed(name, contract), run }
  })
}

/** Whether handlers are a hook, and not those of operations by their names. */
export function isHook(value: object): value is HandlerHook {
  return 'when' in value && typeof value.when === 'string' && 'run' in value
}

function isHandler(value: unknown): value is AnyHandler {
  return typeof value === 'function'
}

function invalid(what: string, expected: string, got: unknown): UsageError {
  return new UsageError({
    code: 'invalid_option',
    task: TASK,
    location: what,
    reason: `${what} must be ${expected} (got ${kindOf(got)})`,
  })
}

function operationNamed(name: string, { operations }: Pick<Contract, 'operations'>): Operation {
  const found = operations.find((one) => one.id === name || addressOf(one) === name)
  if (found) return found
  const names = name.includes(' ') ? operations.map(addressOf) : operations.map(({ id }) => id)
  throw new UsageError({
    code: 'unknown_operation',
    task: TASK,
    location: name,
    ...unknownName('operation', name, names),
  })
}

function addressOf({ method, path }: Operation): string {
  return `${method} ${path}`
}
