import type { Caller } from '../access/callers.ts'
import type { Operation } from '../contract/contract.ts'
import type { Input } from '../contract/input.ts'
import { toForceRule } from '../forcing/force-rule.ts'
import type { RandomSource } from '../generate/random.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { MissingCollectionError, StoreUnavailableError } from '../records/stored-records.ts'
import {
  type CollectionOwner,
  collectionNamed,
  type RecordCollection,
} from '../resources/behaviour/record-collection.ts'
import type { BehaviourResult } from '../resources/behaviour/record-request.ts'
import { scheduleChange } from '../resources/behaviour/schedule-change.ts'
import type { ChangeListener, RecordChange } from '../resources/store/record-change.ts'
import type { Store } from '../resources/store/store.ts'
import type { AnsweringService } from '../responses/answering-service.ts'
import { delayOf } from '../time/duration.ts'
import type { Answer, EmittedEvent, HandlerContext, Reply } from './define-handlers.ts'
import type { HandlerSettings } from './select-handlers.ts'

/** A request that handlers answer, and what the engine does for them. */
export interface HandledRequest extends Pick<HandlerSettings, 'onMistake'> {
  readonly request: CoreRequest
  readonly input: Input
  /** The body as it was sent. */
  readonly rawBody: Uint8Array | undefined
  readonly operation: Operation
  readonly caller: Caller
  readonly now: number
  readonly service: AnsweringService
  readonly store: Store
  /** What the random numbers of the handlers start with. */
  readonly seed: number
  /** The sandbox's own answer, with the records of a store. `tell` is told of earlier changes whose time has come. Throws a Problem. */
  readonly behave: (store: Store, tell: ChangeListener) => Awaitable<BehaviourResult>
  /** The response to a problem in the document's form. */
  readonly refusal: (problem: Problem) => Promise<CoreResponse>
  /** Checks a rule, and returns a function that adds it, which returns one that withdraws it. */
  readonly rule: (rule: object) => () => () => void
}

/** One run of the handlers of a request. */
export interface HandlerRun extends HandledRequest {
  /** The records with what the handlers have changed. */
  readonly store: Store
  readonly random: RandomSource
  readonly signal: AbortSignal
  /** Called when the request is committed. */
  readonly effects: (() => unknown)[]
  /** What happened to records. */
  readonly changes: RecordChange[]
  /** The events that the handlers emit. */
  readonly emitted: EmittedEvent[]
  /** Adds the rules, when the request is committed. Each returns a function that withdraws the rule. */
  readonly forced: (() => () => void)[]
  /** What was started and has not ended. */
  readonly pending: Set<Promise<unknown>>
  /** Whether the handlers have ended. */
  isOver: boolean
  /** Whether the body of a web `Response` is read. */
  isReading: boolean
  /** Why the records of a shared store could not be read; then nothing else counts. */
  storeError?: Error
}

/** What one handler gets. `next` is what would be answered without it. */
export function createContext(run: HandlerRun, next: () => Promise<Answer>): HandlerContext {
  const { request, operation, input, rawBody, now, random, signal, effects, forced } = run
  let isNextCalled = false

  return {
    operation: { id: operation.id, method: operation.method, path: operation.path },
    body: input.body,
    ...(rawBody && { rawBody }),
    params: input.path,
    query: input.query,
    headers: headersOf(request.headers()),
    url: request.query === '' ? request.path : `${request.path}?${request.query}`,
    caller: callerOf(run),
    clock: { now: () => now, date: () => new Date(now) },
    random,
    signal,
    reply,
    records: (path: string) => recordsIn(run, path),
    next: () => {
      requireRunning(run)
      if (isNextCalled) throw new Error('next() was called twice.')
      isNextCalled = true
      const answer = next()
      answer.catch(() => undefined)
      return answer
    },
    force: (answer, rule) => {
      requireRunning(run)
      forced.push(run.rule(toForceRule(answer, rule)))
    },
    schedule: (delay, change) => {
      requireRunning(run)
      return tracked(run, () => scheduleChange(ownerIn(run), delay, change))
    },
    emit: (type, data) => {
      requireRunning(run)
      run.emitted.push({ type, ...(data !== undefined && { data }) })
    },
    afterCommit: (effect) => {
      requireRunning(run)
      effects.push(effect)
    },
  }
}

function callerOf({
  caller: { key, credential, plan, user },
}: HandlerRun): HandlerContext['caller'] {
  return {
    key,
    ...(credential !== undefined && { credential }),
    ...(user !== undefined && { user }),
    ...(plan && { plan: plan.name }),
  }
}

function headersOf(pairs: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>()
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at]?.toLowerCase() ?? ''
    const before = headers.get(name)
    const value = pairs[at + 1] ?? ''
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(headers)
}

/** The collections with what the handlers have changed. */
function ownerIn(run: HandlerRun): CollectionOwner {
  return {
    service: run.service,
    openStore: async () => run.store,
    now: () => run.now,
    tell: (changes) => void run.changes.push(...changes),
  }
}

function recordsIn(run: HandlerRun, path: string): RecordCollection {
  requireRunning(run)
  const records = collectionNamed(ownerIn(run), path)
  const during =
    <Given extends readonly unknown[], Result>(act: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> => {
      requireRunning(run)
      return tracked(run, () => act(...given))
    }

  return {
    count: during(records.count),
    list: during(records.list),
    get: during(records.get),
    create: during(records.create),
    update: during(records.update),
    remove: during(records.remove),
  }
}

function requireRunning({ isOver, operation }: HandlerRun): void {
  if (isOver) throw new Error(`The handler of ${operation.id} has ended.`)
}

/** Remembers what of the sandbox is under way, which always ends. A handler that does not wait for it must not end the process. */
export function tracked<Result>(run: HandlerRun, act: () => Promise<Result>): Promise<Result> {
  const started = act()
  const ended = started
    .catch((error: unknown) => {
      const isOfStore =
        error instanceof MissingCollectionError || error instanceof StoreUnavailableError
      if (isOfStore) run.storeError = error
    })
    .then(() => {
      run.pending.delete(ended)
    })
  run.pending.add(ended)

  return started
}

const reply: Reply = Object.assign(
  (status: number, body?: unknown, headers?: Answer['headers']): Answer => ({
    status,
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  }),
  { after: replyAfter },
)

function replyAfter(delay: number | string): Reply
function replyAfter(delay: number | string, answer: Answer): Answer
function replyAfter(given: number | string, answer?: Answer): Answer | Reply {
  const delay = delayOf(given)
  if (answer) return { ...answer, delay }
  return Object.assign(
    (...content: Parameters<Reply>): Answer => ({ ...reply(...content), delay }),
    { after: replyAfter },
  )
}
