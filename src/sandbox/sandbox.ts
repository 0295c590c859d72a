import { type KeyInfo, listKeys } from '../access/caller.ts'
import type { Clock } from '../clock.ts'
import type { Contract, ServiceTypes } from '../contract/contract.ts'
import type { ExchangeListener } from '../exchange.ts'
import { version } from '../generated/package.ts'
import type { Shipped } from '../generated/types.ts'
import type { Journal } from '../journal.ts'
import type { Ask, Reply } from '../message.ts'
import type { Problem } from '../problem.ts'
import { type RecordCollection, toCollection } from '../resources/collection.ts'
import type { Records } from '../resources/store.ts'
import { suggest, UsageError } from '../usage-error.ts'
import { answer, refuseUnread } from './answer.ts'
import { elsewhere } from './elsewhere.ts'
import { toAsk, toResponse } from './fetch.ts'
import { resolveOptions, type SandboxOptions } from './options.ts'
import { type ForceRule, type Outcome, toOutcome } from './outcomes.ts'
import { createParts, type Parts } from './parts.ts'
import { Session } from './session.ts'

/**
 * A service that behaves as its contract says, with everything a test needs to steer it. `Types` are the names and
 * records that the compiler knows; any, where it knows none.
 */
export interface Sandbox<Types extends ServiceTypes = ServiceTypes> {
  /** The service it stands in for. */
  readonly contract: Contract<Types>
  /** Resolves once the first records are in; rejects with a UsageError when the contract's hints make none. */
  readonly ready: Promise<void>
  /** The time that windows, bans and deprecation go by. */
  readonly clock: Clock
  /** What was asked and answered. */
  readonly journal: Journal
  /** Answers a web request: a Fetch handler for any runtime. Addresses outside the contract's base path get a 404. */
  fetch(request: Request): Promise<Response>
  /** The core below `fetch`, for transports that have no web requests. */
  answer(ask: Ask): Promise<Reply>
  /** What a transport answers to an address outside the base path: a 404 that tells where the API is. */
  elsewhere(origin: string, path: string): Reply
  /** What a transport answers when it could not read a request, or failed at it: the problem, with the usual headers. */
  refuseUnread(problem: Problem): Reply
  /** The keys that are valid, with what their plans allow. */
  readonly keys: readonly KeyInfo[]
  /** Ends requests the given way from now on. Throws a UsageError for an unknown outcome or operation. */
  force(outcome: Outcome, rule?: ForceRule<Types['operation']>): void
  /** The records of a collection, by the last word of its path. Throws a UsageError for one there is not. */
  collection<Name extends keyof Types['collections'] & string>(
    name: Name,
  ): RecordCollection<Types['collections'][Name]>
  /** Calls `listener` with each exchange as it ends; returns what stops that. */
  onExchange(listener: ExchangeListener): () => void
  /** Puts everything back to how it started: records, counts, bans, forced outcomes, clock and journal. */
  reset(): void
}

/** A sandbox of the contract that ships. */
export type ShippedSandbox = Sandbox<Shipped>

/**
 * Makes a sandbox: of the contract that ships, or of `options.contract`. Throws a UsageError for options that are wrong.
 *
 * @example
 * const sandbox = createSandbox({ seed: 1, plans: { free: { minute: 5, day: 100 } } })
 * const response = await sandbox.fetch(new Request('http://localhost/v1/books'))
 */
export function createSandbox<Types extends ServiceTypes = Shipped, NewPlan extends string = never>(
  options?: SandboxOptions<Types, NewPlan>,
): Sandbox<Types>
export function createSandbox(options?: SandboxOptions): Sandbox {
  const settings = resolveOptions(options)
  const listeners = new Set<ExchangeListener>()
  const session = settings.persist === 'session' ? new Session(settings.contract) : undefined
  let parts = createParts(settings, listeners, session?.load())
  session?.keep(() => parts, listeners)

  const sandbox: Sandbox = {
    contract: settings.contract,
    get ready() {
      return parts.store.then(() => undefined)
    },
    get clock() {
      return parts.clock
    },
    get journal() {
      return parts.journal
    },
    fetch: async (request) => {
      const ask = toAsk(request, settings.contract.basePath)
      const reply = ask ? await answer(ask, parts) : unknownAddress(settings.contract, request)
      return toResponse(reply, request.method)
    },
    answer: (ask) => answer(ask, parts),
    elsewhere: (origin, path) => elsewhere(settings.contract, origin, path),
    refuseUnread: (problem) => refuseUnread(problem, parts),
    keys: listKeys(settings.keys),
    force: (outcome, rule) => {
      checkOperation(settings.contract, rule?.operation)
      parts.outcomes.add(toOutcome(outcome), rule)
    },
    collection: (name) => {
      checkCollection(parts, name)
      return toCollection(name, () => recordsOf(parts, name))
    },
    onExchange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    reset: () => {
      parts = createParts(settings, listeners)
      session?.save()
    },
  }
  Object.defineProperty(sandbox, MAKER, { value: version })
  made.add(sandbox)
  return sandbox
}

/** The sandboxes that this copy of the engine made. */
const made = new WeakSet<object>()

/** All copies of the engine mark what they make by the same symbol. */
const MAKER = Symbol.for('pet-sandbox.maker')

/** Throws a UsageError for what is no sandbox, and for one that another copy of the engine made. */
export function refuseForeign(deed: string, sandbox: unknown): void {
  if (typeof sandbox === 'object' && sandbox !== null && made.has(sandbox)) return
  const maker: unknown = Reflect.get(Object(sandbox), MAKER)
  if (maker === undefined) {
    throw new UsageError(
      'no_sandbox',
      `Cannot ${deed}: ${show(sandbox)} is no sandbox. Give what createSandbox() returns.`,
    )
  }
  throw new UsageError(
    'foreign_sandbox',
    `Cannot ${deed}: another copy of pet-sandbox (${String(maker)}) made this sandbox, and this is ${version}. ` +
      'Import both from one installation; "npm ls pet-sandbox" lists them.',
  )
}

function show(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'this object' : String(value)
}

function checkOperation({ operations }: Contract, name: string | undefined): void {
  const known = operations.map(({ id }) => id)
  if (name === undefined || known.includes(name)) return
  throw new UsageError(
    'unknown_operation',
    `Cannot force an outcome on "${name}": there is no such operation. ${suggest(name, known)}`,
  )
}

function checkCollection({ resources }: Parts, name: string): void {
  const known = resources.map((resource) => resource.name)
  if (known.includes(name)) return
  throw new UsageError(
    'unknown_collection',
    `Cannot open the collection "${name}": there is none of that name. ${suggest(name, known)}`,
  )
}

async function recordsOf({ store }: Parts, name: string): Promise<Records> {
  const records = (await store).get(name)
  if (records) return records
  throw new TypeError(`The store has no records of ${name}`)
}

function unknownAddress(contract: Contract, { url }: Request): Reply {
  const { origin, pathname } = new URL(url)
  return elsewhere(contract, origin, pathname)
}
