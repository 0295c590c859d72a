import type { Operation } from '../contract/contract.ts'
import type { Input } from '../contract/input.ts'
import { contract } from '../generated/control.ts'
import { pathBelow } from '../http/message.ts'
import { maskedPath, worldPath } from '../http/paths.ts'
import type { Problem } from '../http/problem.ts'
import type { Preflight } from '../http/response-headers.ts'
import { maskSecret, notify } from '../journal/exchange.ts'
import { OWN_WORLD } from '../sandbox/worlds.ts'
import type { ControlTarget } from './control-target.ts'

/** A request that changed a sandbox or was refused. It has no records and no snapshots. API keys are masked to their last four characters. */
export interface ControlAction {
  /** The name of the world; `default` for the default world. */
  readonly world: string
  /** The id of the operation, such as `forceOutcome`; absent when the request was refused before its operation was known. */
  readonly operation?: string
  readonly method: string
  /**
   * The path, such as `/__sandbox/worlds/checkout/outcomes`. API keys in it are masked to their last four characters. When the
   * request was refused before its operation was known, everything after the first segment is masked: `/__sandbox/keys/…`.
   */
  readonly target: string
  readonly status: number
  /** The fields of the body; absent when the body contains records or is empty. */
  readonly input?: Readonly<Record<string, unknown>>
  /** The URL of the created resource. */
  readonly created?: string
  /** Present when the request is a CORS preflight that failed. */
  readonly preflight?: Preflight
  /** Why the request was refused. The message is absent when it may quote an API key. */
  readonly refusal?: { readonly code: string; readonly message?: string }
}

/** Called with each action when it ends. */
export type ActionListener = (action: ControlAction) => void

/** Operations whose bodies contain records or API keys. */
const OMITTED_BODIES: readonly string[] = ['createRecord', 'updateRecord', 'restoreSnapshot']

/** The operations that change nothing, though their method is none for reading: what they read may be as long as a body. */
const READS: readonly string[] = ['checkRequest']

/** Whether an operation of the control interface changes nothing. */
export function isRead({ id, method }: Operation): boolean {
  return method === 'GET' || READS.includes(id)
}

/** Inputs whose values are API keys. */
const KEY_INPUTS: readonly string[] = ['key', 'account', 'advanceToReset', 'advanceToBanEnd']

/** The error codes of the guard. */
const GUARD_CODES: readonly string[] = ['unauthorized', 'forbidden', 'outdated_page']

/** Longer texts are truncated to this many characters. */
const MAX_LENGTH = 200

/** An action in progress. Each step of the request adds what it learned. */
export class OpenAction {
  /** The problem of a preflight that gets a 204 but fails in the browser. */
  preflightProblem: Problem | undefined
  readonly #method: string
  /** The path as the client sent it. */
  readonly #path: string
  readonly #preflight: Preflight | undefined
  #operation: Operation | undefined
  #controlTarget: ControlTarget | undefined
  #input: Partial<Pick<Input, 'path' | 'body'>> = {}

  constructor(method: string, path: string, preflight: Preflight | undefined) {
    this.#method = method
    this.#path = path
    this.#preflight = preflight
  }

  /** Sets the operation and the target of the request. */
  setOperation(operation: Operation, target: ControlTarget): void {
    this.#operation = operation
    this.#controlTarget = target
  }

  /** Sets the input of the request. */
  setInput({ path, body }: Input): void {
    this.#input = { path, body }
  }

  /** Calls the listener with the action. Reads, successful preflights and lookups of existing worlds are not actions. */
  close(
    listener: ActionListener,
    { status, location }: { readonly status: number; readonly location?: string | undefined },
    problem: Problem | undefined,
  ): void {
    if (this.#method === 'GET' || this.#method === 'HEAD') return
    if (this.#operation && isRead(this.#operation)) return
    if (this.#method === 'OPTIONS' && !(this.#preflight && problem)) return
    const operation = this.#operation
    // The world exists already, so nothing changed.
    if (operation?.id === 'createWorld' && status === 200) return
    const input = this.#shownInput()
    notify(listener, {
      world: this.#controlTarget?.world ?? OWN_WORLD,
      ...(operation && { operation: operation.id }),
      method: this.#method,
      target: this.#target(),
      status,
      ...(Object.keys(input).length > 0 && { input }),
      ...(location !== undefined && { created: location }),
      ...(this.#preflight && { preflight: this.#preflight }),
      ...(problem && { refusal: this.#refusal(problem) }),
    })
  }

  #target(): string {
    const { path = {} } = this.#input
    if (!(this.#operation && this.#controlTarget)) return this.#maskedPath
    const filled = Object.entries(path).map(([name, value]) => [
      name,
      name === 'world' ? encodeURIComponent(String(value)) : shownValue(name, value),
    ])
    const values = Object.fromEntries(filled)

    return (
      contract.basePath +
      (this.#controlTarget.world === undefined ? '' : worldPath(this.#controlTarget.world)) +
      this.#operation.path.replaceAll(/\{(\w+)\}/g, (braces, name: string) =>
        Object.hasOwn(values, name) ? String(values[name]) : braces,
      )
    )
  }

  get #maskedPath(): string {
    return contract.basePath + maskedPath(pathBelow(contract.basePath, this.#path) ?? '')
  }

  #shownInput(): Readonly<Record<string, unknown>> {
    const { body } = this.#input
    if (typeof body !== 'object' || body === null || this.#isBodyOmitted) return {}
    const entries = Object.entries(body)

    return Object.fromEntries(entries.map(([name, value]) => [name, shownValue(name, value)]))
  }

  get #isBodyOmitted(): boolean {
    return this.#operation !== undefined && OMITTED_BODIES.includes(this.#operation.id)
  }

  #refusal({ code, message }: Problem): NonNullable<ControlAction['refusal']> {
    const { parameters = [] } = this.#operation ?? {}
    const names = [...parameters.map(({ name }) => name), ...Object.keys(Object(this.#input.body))]
    const mayQuoteKey = this.#isBodyOmitted || names.some((name) => KEY_INPUTS.includes(name))
    // Without a known operation, messages quote the path, except those of the guard.
    const isSafe =
      this.#operation !== undefined || GUARD_CODES.includes(code) || this.#maskedPath === this.#path

    return { code, ...(isSafe && !mayQuoteKey && { message }) }
  }
}

function shownValue(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  return KEY_INPUTS.includes(name) ? maskSecret(value) : value.slice(0, MAX_LENGTH)
}
