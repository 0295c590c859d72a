import { url as debuggerUrl } from 'node:inspector'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import { fileURLToPath } from 'node:url'
import { MessageChannel, Worker } from 'node:worker_threads'
import type {
  AnyHandler,
  HandlerContext,
  HandlerHook,
  HandlerMap,
  Handlers,
} from '../handlers/define-handlers.ts'
import { isHook } from '../handlers/select-handlers.ts'
import { shownFile } from './import-module.ts'

// No code of the process itself can end an endless loop of a handler. A thread beside it notices that nothing else runs, and ends what runs
// as the debugger does. The request then gets the answer of a handler that takes too long, and the server goes on.

/** How long nothing else may run while a handler does, in milliseconds. */
const LIMIT = 5000

/** How often the process shows that something else can run, in milliseconds. */
const BEAT = 250

/** Where the process counts its beats, and where it notes which of them came before the last start of a handler. */
const [BEATS, STARTED] = [0, 1]

/**
 * The thread. `state` is shared. The sandbox itself may be busy, too, and must not be ended: the start of a handler has to be near, and
 * what runs has to be called by code that is neither the sandbox's nor a package's. It is plain JavaScript, because a thread has a file or a text.
 */
const THREAD = `const { workerData: { state, limit, beat, own } } = require('node:worker_threads')
const { Session } = require('node:inspector')
const session = new Session()
session.connectToMainThread()
const files = new Map()
session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => files.set(scriptId, url))
session.on('Debugger.paused', ({ params: { callFrames } }) => {
  const called = callFrames.map(({ location }) => files.get(location.scriptId) || own)
  if (!called.every((file) => file.startsWith(own) || /^node:|[/]node_modules[/]/.test(file)))
    session.post('Runtime.terminateExecution')
  session.post('Debugger.resume')
  session.post('Debugger.disable')
})
let last = 0
let since = Date.now()
setInterval(() => {
  const beats = Atomics.load(state, ${BEATS})
  const isRecent = beats - Atomics.load(state, ${STARTED}) <= limit / beat
  if (beats !== last || !isRecent) {
    last = beats
    since = Date.now()
  } else if (Date.now() - since >= limit) {
    since = Date.now()
    session.post('Debugger.enable')
    session.post('Debugger.pause')
  }
}, beat)`

/** Handlers whose endless loops are ended, so that the server goes on. With a debugger, which may stop at a line, they are as they are. */
export function withoutEndlessLoops(handlers: Handlers): Handlers {
  if (debuggerUrl() !== undefined) return handlers
  thread ??= startThread()
  const run = thread
  return [handlers]
    .flat()
    .map((one: HandlerMap | HandlerHook) => (isHook(one) ? hookWith(run, one) : mapWith(run, one)))
}

/** Runs a handler. With a name, it is told when it was ended. */
type Run = <Result>(act: () => Result | Promise<Result>, name?: string) => Promise<Result>

/** One for all handlers that are loaded, also again. */
let thread: Run | undefined

function hookWith(run: Run, hook: HandlerHook): HandlerHook {
  return hook.when === 'before'
    ? { ...hook, run: (context: HandlerContext) => run(() => hook.run(guarded(run, context))) }
    : { ...hook, run: (context, answer) => run(() => hook.run(guarded(run, context), answer)) }
}

function mapWith(run: Run, map: HandlerMap): HandlerMap {
  const handlers = Object.entries(map).map(([name, handler]): [string, AnyHandler | undefined] => [
    name,
    handler && ((context: HandlerContext) => run(() => handler(guarded(run, context)))),
  ])
  return Object.fromEntries(handlers)
}

/** What a handler does after the commit is no part of its run. */
function guarded(run: Run, context: HandlerContext): HandlerContext {
  return {
    ...context,
    afterCommit: (effect) =>
      context.afterCommit(() => run(effect, 'What a handler does after the commit')),
  }
}

/**
 * Starts the thread. Returns a function that calls each handler for itself, as the process takes messages: what is under way for other
 * requests does not end with it.
 */
function startThread(): Run {
  const state = new Int32Array(new SharedArrayBuffer(8))
  // No handler has started: the first answers of a large document may take as long as a loop.
  Atomics.store(state, STARTED, -LIMIT)
  const own = new URL('.', import.meta.url).href
  const workerData = { state, limit: LIMIT, beat: BEAT, own }
  // A Node.js that was built without its debugger cannot end loops.
  new Worker(THREAD, { eval: true, workerData }).on('error', () => undefined).unref()
  const named: { running?: string | undefined } = {}
  setInterval(() => {
    Atomics.add(state, BEATS, 1)
    // While it runs, nothing else does: it was ended.
    if (named.running !== undefined) tell(named.running, ENDED)
    named.running = undefined
  }, BEAT).unref()
  const calls: (() => void)[] = []
  const { port1, port2 } = new MessageChannel()
  port1.on('message', () => calls.shift()?.())
  port1.unref()
  const run: Run = (act, name) =>
    new Promise((resolve) => {
      calls.push(() => {
        Atomics.store(state, STARTED, Atomics.load(state, BEATS))
        named.running = name
        resolve((async () => act())())
        named.running = undefined
      })
      port2.postMessage(undefined)
    })
  callTimers(own, (place, act) => {
    const name = `The timer that was started at ${place}`
    run(act, name).catch((error: unknown) =>
      tell(name, `failed. ${error instanceof Error ? error.stack : String(error)}`),
    )
  })

  return run
}

const ENDED = `was ended. It ran for more than ${LIMIT / 1000} seconds.`

function tell(name: string, what: string): void {
  process.stderr.write(`pet-sandbox: ${name} ${what}\n`)
}

/**
 * Calls the callbacks of timers that others than the sandbox have started by `call`, with the place where they were started. The process
 * does not survive when what a timer itself calls is ended.
 */
function callTimers(own: string, call: (place: string, act: () => void) => void): void {
  const functions: object = timers
  for (const kind of ['setTimeout', 'setInterval', 'setImmediate']) {
    const original: (...all: unknown[]) => unknown = Reflect.get(functions, kind)
    const start = (callback: unknown, ...rest: unknown[]): unknown => {
      const place = callerOf(start)
      if (place.startsWith(own) || typeof callback !== 'function')
        return original(callback, ...rest)
      const act = (...values: unknown[]): unknown => callback(...values)
      return original(
        (...values: unknown[]) => call(shownPlace(place), () => act(...values)),
        ...rest,
      )
    }
    Object.defineProperties(start, Object.getOwnPropertyDescriptors(original))
    Reflect.set(functions, kind, start)
    Reflect.set(globalThis, kind, start)
  }
  syncBuiltinESMExports()
}

/** A place in a file as errors show it. A file that was loaded again has a query. */
function shownPlace(place: string): string {
  const [, file = place, line] = /^(.+?)(?:\?[^:?]*)?:(\d+):\d+$/.exec(place) ?? []
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  return line === undefined ? shownFile(path) : `${shownFile(path)}:${line}`
}

/** Who has called a function: a file with its line and column. */
function callerOf(called: (...all: unknown[]) => unknown): string {
  const { stackTraceLimit } = Error
  const found = { stack: '' }
  Error.stackTraceLimit = 1
  Error.captureStackTrace(found, called)
  Error.stackTraceLimit = stackTraceLimit

  return /(?:\(|at )((?:file:|node:|\/)[^()\s]*)\)?$/.exec(found.stack)?.[1] ?? ''
}
