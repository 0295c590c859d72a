import type { Operation } from '../contract/contract.ts'
import type { Input } from '../contract/read.ts'
import { contract } from '../generated/control.ts'
import { maskedPath } from '../http/control-path.ts'
import type { Preflight } from '../http/cross-origin.ts'
import { pathBelow } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import { worldPath } from '../http/world-path.ts'
import { maskSecret } from '../journal/exchange.ts'
import { notify } from '../journal/notify.ts'
import { OWN_WORLD } from '../sandbox/worlds.ts'
import type { ControlTarget } from './control-target.ts'

/** A request that changes a sandbox, or was refused. It has no records, no snapshots, and of API keys the end alone. */
export interface ControlAction {
  /** The name of the world; `default` for the sandbox's own. */
  readonly world: string
  /** As `forceOutcome`; absent when the request was refused before its operation was known. */
  readonly operation?: string
  readonly method: string
  /**
   * The path, as `/__sandbox/worlds/checkout/outcomes`. API keys in it are masked to their last four characters. Where the
   * request was refused before its operation was known, all after the first segment is masked: `/__sandbox/keys/…`.
   */
  readonly target: string
  readonly status: number
  /** What the body asked for; absent where it has records, and where it is empty. */
  readonly input?: Readonly<Record<string, unknown>>
  /** The address of what was created. */
  readonly created?: string
  /** Present when the request is a CORS preflight, which has failed. */
  readonly preflight?: Preflight
  /** Why the request was refused. The message is absent when it may quote an API key. */
  readonly refusal?: { readonly code: string; readonly message?: string }
}

/** Told of each action when it ends. */
export type ActionListener = (action: ControlAction) => void

/** Their bodies have records and API keys. */
const WITHOUT_BODY: readonly string[] = ['createRecord', 'updateRecord', 'restoreSnapshot']

/** Inputs that are API keys. */
const KEYS: readonly string[] = ['key', 'advanceToReset', 'advanceToBanEnd']

/** The codes of the guard's refusals. */
const OF_GUARD: readonly string[] = ['unauthorized', 'forbidden']

/** Longer texts are cut. */
const LONGEST = 200

/** An action that is under way. What becomes known of it is filled in step by step, as the request is answered. */
export class OpenAction {
  /** The problem of a preflight that is answered with 204 and fails nevertheless. */
  refused: Problem | undefined
  readonly #method: string
  /** As it was sent. */
  readonly #path: string
  readonly #preflight: Preflight | undefined
  #operation: Operation | undefined
  #spot: ControlTarget | undefined
  #input: Partial<Pick<Input, 'path' | 'body'>> = {}

  constructor(method: string, path: string, preflight: Preflight | undefined) {
    this.#method = method
    this.#path = path
    this.#preflight = preflight
  }

  /** Notes what the request is for. */
  match(operation: Operation, target: ControlTarget): void {
    this.#operation = operation
    this.#spot = target
  }

  /** Notes what was sent. */
  read({ path, body }: Input): void {
    this.#input = { path, body }
  }

  /** Tells of the action. Reads are none, neither are preflights that pass, nor looking up a world that is there. */
  close(
    listener: ActionListener,
    { status, location }: { readonly status: number; readonly location?: string | undefined },
    problem: Problem | undefined,
  ): void {
    if (this.#method === 'GET' || this.#method === 'HEAD') return
    if (this.#method === 'OPTIONS' && !(this.#preflight && problem)) return
    const operation = this.#operation
    // The world was there already, and nothing has changed.
    if (operation?.id === 'createWorld' && status === 200) return
    const input = this.#shownInput()
    notify(listener, {
      world: this.#spot?.world ?? OWN_WORLD,
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
    if (!(this.#operation && this.#spot)) return this.#maskedPath
    const filled = Object.entries(path).map(([name, value]) => [
      name,
      name === 'world' ? encodeURIComponent(String(value)) : shownValue(name, value),
    ])
    const values = Object.fromEntries(filled)

    return (
      contract.basePath +
      (this.#spot.world === undefined ? '' : worldPath(this.#spot.world)) +
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
    if (typeof body !== 'object' || body === null || this.#isWithoutBody) return {}
    const entries = Object.entries(body)

    return Object.fromEntries(entries.map(([name, value]) => [name, shownValue(name, value)]))
  }

  get #isWithoutBody(): boolean {
    return this.#operation !== undefined && WITHOUT_BODY.includes(this.#operation.id)
  }

  #refusal({ code, message }: Problem): NonNullable<ControlAction['refusal']> {
    const { parameters = [] } = this.#operation ?? {}
    const names = [...parameters.map(({ name }) => name), ...Object.keys(Object(this.#input.body))]
    const mayQuoteKey = this.#isWithoutBody || names.some((name) => KEYS.includes(name))
    // Where no operation is known, messages quote the path, except those of the guard.
    const isSafe =
      this.#operation !== undefined || OF_GUARD.includes(code) || this.#maskedPath === this.#path

    return { code, ...(isSafe && !mayQuoteKey && { message }) }
  }
}

function shownValue(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  return KEYS.includes(name) ? maskSecret(value) : value.slice(0, LONGEST)
}
