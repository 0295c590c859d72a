import type { Operation } from '../contract/contract.ts'
import { RandomSource } from '../generate/random.ts'
import type { CoreResponse } from '../http/message.ts'
import { inOneLine, Problem, problems } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import type { Awaitable } from '../records/awaitable.ts'
import type { RecordChange } from '../resources/store/record-change.ts'
import { mistakeIn } from '../responses/forced-content.ts'
import { UsageError } from '../validation/usage-error.ts'
import {
  answerOfResponse,
  answerResponse,
  readAnswer,
  statusOf,
  toAnswer,
} from './answer-response.ts'
import type { Answer, AnyHandler, EmittedEvent, HandlerHook } from './define-handlers.ts'
import { createContext, type HandledRequest, type HandlerRun, tracked } from './handler-context.ts'
import type { HandlerMistake, HandlerSettings, SelectedHandlers } from './select-handlers.ts'

/** The handlers of an operation, the first to be called first; `undefined` when there are none. */
export function handlersFor(
  operation: Operation,
  all: readonly SelectedHandlers[],
): OperationHandlers | undefined {
  const own = all.flatMap((one) => one.own).filter((one) => one.operation.id === operation.id)
  const hooks = all
    .flatMap((one) => one.hooks)
    .filter(({ tags }) => !tags || tags.some((tag) => operation.tags?.includes(tag)))
  if (own.length === 0 && hooks.length === 0) return undefined

  return { own: own.map(({ run }) => run).reverse(), hooks }
}

/** The handlers of one operation. */
export interface OperationHandlers {
  /** Each calls the following one by `next`. */
  readonly own: readonly AnyHandler[]
  readonly hooks: readonly HandlerHook[]
}

/** The answer of the handlers of a request. What they have changed is committed. */
export interface HandledResponse {
  readonly response: CoreResponse
  /** Present when the sandbox itself refuses the request, and when a handler has failed. */
  readonly problem?: Problem
  readonly notes?: readonly Note[]
  readonly undo?: () => Promise<void>
  /** How long the response is delayed, in milliseconds. */
  readonly delay?: number
  /** To be called when the changes are saved. */
  readonly onCommit?: () => void
  /** What happened to records; absent when nothing did. */
  readonly changes?: readonly RecordChange[]
  /** The events that handlers have emitted; absent when there are none. */
  readonly emitted?: readonly EmittedEvent[]
}

/** How long the handlers of a request may take, in milliseconds of real time. */
const TIME_LIMIT = 5000

class TimeLimitError extends Error {
  constructor({ isReading }: HandlerRun) {
    const what = isReading ? 'The body of its Response did not end' : 'It did not answer'
    super(`${what} within ${TIME_LIMIT / 1000} seconds.`)
  }
}

/**
 * Calls the handlers of an operation, and commits what they have changed. They run again when others have changed meanwhile what they
 * have read. When one throws, nothing is changed, and the response is a 500. Throws a UsageError for an answer that the document does
 * not allow, unless somebody is told about mistakes.
 */
export async function runHandlers(
  handlers: OperationHandlers,
  handled: HandledRequest,
): Promise<HandledResponse> {
  const end = performance.now() + TIME_LIMIT
  let made: HandledResponse | undefined
  while (!made) made = await attempt(handlers, handled, end)

  return made
}

/** Resolves with `undefined` after a conflict. */
async function attempt(
  handlers: OperationHandlers,
  handled: HandledRequest,
  end: number,
): Promise<HandledResponse | undefined> {
  const { store, commit, abort } = await handled.store.begin()
  const controller = new AbortController()
  const run: HandlerRun = {
    ...handled,
    store,
    random: RandomSource.from([handled.seed]),
    signal: controller.signal,
    effects: [],
    changes: [],
    emitted: [],
    forced: [],
    pending: new Set(),
    isOver: false,
    isReading: false,
  }
  const owns = new Map<Answer, OwnAnswer>()
  try {
    const given = await beforeEnd(end, controller, run, () => answerOf(handlers, run, owns))
    // What nobody has waited for belongs to the request, too.
    await Promise.all(run.pending)
    run.isOver = true
    if (run.storeError) throw run.storeError
    const response = await responseOf(given, owns, handled)
    const undo = await commit()
    const { changes, emitted } = run
    if (undo)
      return { ...response, undo: withForced(undo, run), changes, emitted, ...commitEffects(run) }
    if (performance.now() > end) throw new Error('Others have changed its records each time.')
    return undefined
  } catch (error) {
    run.isOver = true
    await inGrace(Promise.all(run.pending))
    abort()
    if (run.storeError) throw run.storeError
    if (error instanceof InvalidAnswer) throw error.mistake
    return failed(error, handled)
  }
}

/** How long a run that has failed waits for what it has started, in milliseconds. */
const GRACE = 1000

/** Resolves when something has ended, or soon: the end of an endless loop also ends what was to follow. */
async function inGrace(ended: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GRACE)
  })
  await Promise.race([ended, late]).finally(() => clearTimeout(timer))
}

/** Rejects when the time is over. */
async function beforeEnd<Result>(
  end: number,
  controller: AbortController,
  run: HandlerRun,
  act: () => Promise<Result>,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        reject(new TimeLimitError(run))
        controller.abort()
      },
      Math.max(0, end - performance.now()),
    )
  })
  return Promise.race([act(), late]).finally(() => clearTimeout(timer))
}

/** What the sandbox itself has answered, and how its body was written. */
interface OwnAnswer extends Omit<HandledResponse, 'undo' | 'onCommit' | 'delay'> {
  readonly text: string | undefined
}

async function answerOf(
  { own, hooks }: OperationHandlers,
  run: HandlerRun,
  owns: Map<Answer, OwnAnswer>,
): Promise<unknown> {
  const answerFrom = async (at: number): Promise<Answer> => {
    const handler = own[at]
    if (!handler) return ownAnswer(run, owns)
    const answer = await plain(handler(createContext(run, () => answerFrom(at + 1))))
    // Other code must not get what is no answer.
    statusOf(answer)
    return answer
  }
  // Other code, and what checks the answer, get the content of a web Response.
  const plain = async <Given>(returned: Awaitable<Given | Response>): Promise<Given | Answer> => {
    const given = await returned
    if (!(given instanceof Response)) return given
    run.isReading = true
    const answer = await answerOfResponse(given, run.signal)
    run.isReading = false
    return answer
  }
  const context = createContext(run, () => answerFrom(0))
  let answer: Answer | undefined
  for (const hook of hooks) {
    if (hook.when === 'before' && !answer) answer = (await plain(hook.run(context))) ?? undefined
  }
  answer ??= await answerFrom(0)
  for (const hook of hooks) {
    if (hook.when === 'after') answer = (await plain(hook.run(context, answer))) ?? answer
  }
  return answer
}

async function ownAnswer(run: HandlerRun, owns: Map<Answer, OwnAnswer>): Promise<Answer> {
  const own = await tracked(run, () => ownResponse(run))
  const answer = toAnswer(own.response)
  owns.set(answer, { ...own, text: JSON.stringify(answer) })
  return answer
}

async function ownResponse({
  behave,
  store,
  refusal,
  changes: all,
}: HandlerRun): Promise<Pick<HandledResponse, 'response' | 'problem' | 'notes'>> {
  try {
    const {
      response,
      notes,
      changes = [],
    } = await behave(store, (happened) => void all.push(...happened))
    all.push(...changes)
    return { response, ...(notes && { notes }) }
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem
    return { response: await refusal(problem), problem }
  }
}

/** The response of what a handler has returned: the sandbox's own one as it is, unless the handler has changed it. */
async function responseOf(
  given: unknown,
  owns: ReadonlyMap<unknown, OwnAnswer>,
  handled: HandledRequest,
): Promise<HandledResponse> {
  const own = owns.get(given)
  if (own && own.text === JSON.stringify(given)) {
    const { text: _, ...response } = own
    return response
  }
  const answer = readAnswer(given)
  const { delay = 0 } = answer
  const notes = notesOn(answer, handled)
  const response = await answerResponse(answer, handled)

  return { response, ...(delay > 0 && { delay }), ...(notes.length > 0 && { notes }) }
}

/** An answer that the document does not allow, where nobody is told about mistakes. */
class InvalidAnswer extends Error {
  readonly mistake: UsageError

  constructor(mistake: UsageError) {
    super()
    this.mistake = mistake
  }
}

function notesOn(answer: Answer, { operation, onMistake }: HandledRequest): readonly Note[] {
  const reason = mistakeIn(answer, operation)
  if (reason === undefined) return []
  const mistake = new UsageError({
    code: 'invalid_answer',
    task: `use the answer of the handler of ${operation.id}`,
    reason,
    help: 'Change the handler or the document.',
  })
  if (!onMistake) throw new InvalidAnswer(mistake)
  onMistake({ kind: 'invalid-answer', operation: operation.id, message: mistake.message })

  return [{ kind: 'invalid-answer', place: reason }]
}

async function failed(error: unknown, handled: HandledRequest): Promise<HandledResponse> {
  const { operation, refusal, onMistake } = handled
  const kind = error instanceof TimeLimitError ? 'timeout' : 'error'
  const reason = error instanceof Error ? inOneLine(error) : String(error)
  const message = `The handler of ${operation.id} failed. ${reason}`
  tell({ kind, operation: operation.id, message, error }, onMistake)
  const problem = problems.internalError(message)

  return { response: await refusal(problem), problem }
}

/** Adds the rules of a run. Returns a function that undoes all of its changes. */
function withForced(undo: () => Promise<void>, { forced }: HandlerRun): () => Promise<void> {
  const withdrawals = forced.map((add) => add())
  return async () => {
    for (const withdraw of withdrawals.reverse()) withdraw()
    await undo()
  }
}

function commitEffects({
  effects,
  operation: { id },
  onMistake,
}: HandlerRun): Pick<HandledResponse, 'onCommit'> {
  if (effects.length === 0) return {}
  const act = async (effect: () => unknown): Promise<void> => {
    try {
      await effect()
    } catch (error) {
      const message = `What the handler of ${id} does after the commit failed.`
      tell({ kind: 'error', operation: id, message, error }, onMistake)
    }
  }
  return { onCommit: () => void effects.map(act) }
}

/** Tells about a mistake, by default on the console. */
function tell(mistake: HandlerMistake, onMistake: HandlerSettings['onMistake']): void {
  if (onMistake) onMistake(mistake)
  // biome-ignore lint/suspicious/noConsole: A test or a page has no other place for it.
  else console.error(`pet-sandbox: ${mistake.message}`, mistake.error)
}
