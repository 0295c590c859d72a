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
import { LOAD_LIMIT, type LoadGuard, shownFile, withoutVersions } from './import-module.ts'

// No code of the process itself can end an endless loop of a handler, or of a module with handlers. A thread beside it notices that nothing
// else runs, and ends what runs as the debugger does. The request then gets the answer of a handler that takes too long, and the server goes on.

/** How long nothing else may run while a handler does, in milliseconds. */
const LIMIT = 5000

/** How often the process shows that something else can run, in milliseconds. */
const BEAT = 250

/** What the process and the thread share: how often the process could run something else, and whether it loads a module. */
const [BEATS, LOADING] = [0, 1]

/** The folder with the code of the sandbox. */
const OWN = new URL('.', import.meta.url).href

/**
 * The thread. `state` is shared: the process counts its beats there. The sandbox itself may be busy, too, and must not be ended: what runs
 * has to be called by code that is neither the sandbox's nor a package's. While a module is loaded, it may be that of a package which it
 * imports. It tells where that code was. It is plain JavaScript, because a thread has a file or a text. It counts its own turns instead of
 * reading a clock, which goes on while the machine is paused.
 */
const THREAD = `const { parentPort, workerData: { state, turns, beat, own } } = require('node:worker_threads')
const isOwn = ([file]) => !file.startsWith(own) && !/^node:|[/]node_modules[/]/.test(file)
const isImported = ([file]) => !file.startsWith(own) && !/^node:|[/]node_modules[/]jiti[/]/.test(file)
const { Session } = require('node:inspector')
const session = new Session()
const files = new Map()
session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => files.set(scriptId, url))
session.on('Debugger.paused', ({ params: { callFrames } }) => {
  const called = callFrames.map(({ location: { scriptId, lineNumber } }) => [files.get(scriptId) || own, lineNumber + 1])
  const ended = called.find(isOwn) || (Atomics.load(state, ${LOADING}) && called.find(isImported))
  if (ended) {
    parentPort.postMessage(ended)
    session.post('Runtime.terminateExecution')
  }
  session.post('Debugger.resume')
  session.disconnect()
})
let last = 0
let still = 0
setInterval(() => {
  const beats = Atomics.load(state, ${BEATS})
  still = beats === last ? still + 1 : 0
  last = beats
  if (still < turns[Atomics.load(state, ${LOADING})]) return
  still = 0
  session.disconnect()
  session.connectToMainThread()
  session.post('Debugger.enable')
  session.post('Debugger.pause')
}, beat)`

/**
 * Handlers whose endless loops, and whose errors that nobody handles, do not end the server. With a debugger, which may stop at a line,
 * loops go on.
 */
export function withoutEndlessLoops(handlers: Handlers): Handlers {
  if (process.listenerCount('uncaughtException', surviveError) === 0)
    process.on('uncaughtException', surviveError)
  if (debuggerUrl() !== undefined) return handlers
  thread ??= startThread()
  const { run } = thread
  return [handlers]
    .flat()
    .map((one: HandlerMap | HandlerHook) => (isHook(one) ? hookWith(run, one) : mapWith(run, one)))
}

/** Loads a module of handlers, and ends an endless loop in it or in what it imports. With a debugger, the loop goes on. */
export const endLoopsOfModule: LoadGuard = async (load) => {
  if (debuggerUrl() !== undefined) return load()
  thread ??= startThread()
  const { state, run } = thread
  Atomics.store(state, LOADING, 1)
  // The promise of a module that was ended is never settled.
  const ended = new Promise<never>((_, reject) => {
    onLoop = (place) => reject(loopIn(place))
  })
  try {
    return await Promise.race([run(load), ended])
  } finally {
    Atomics.store(state, LOADING, 0)
    onLoop = tellLoop
  }
}

function loopIn({ file, line }: Place): Error {
  const error = new Error(`it still ran after ${LOAD_LIMIT / 1000} s, as an endless loop does`)
  error.stack = `${error.message}\n    at ${file}:${line}`
  return error
}

/** Where a loop was ended. */
interface Place {
  readonly file: string
  readonly line: number
}

function tellLoop({ file, line }: Place): void {
  tell(`${shownPlace(file, line)} was ended: it ran for more than ${LIMIT / 1000} seconds.`)
}

/** What happens after a loop was ended. */
let onLoop: (place: Place) => void = tellLoop

/** Runs a handler. */
type Run = <Result>(act: () => Result | Promise<Result>) => Promise<Result>

/** The thread, as the process uses it. */
interface LoopThread {
  readonly state: Int32Array
  readonly run: Run
}

/** One for all handlers that are loaded, also again. */
let thread: LoopThread | undefined

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
    afterCommit: (effect) => context.afterCommit(() => run(effect)),
  }
}

/** Starts the thread. Its `run` calls each handler for itself, as the process takes messages: what is under way for other requests does not end with it. */
function startThread(): LoopThread {
  const state = new Int32Array(new SharedArrayBuffer(8))
  const turns = [LIMIT / BEAT, LOAD_LIMIT / BEAT]
  const workerData = { state, turns, beat: BEAT, own: OWN }
  // A Node.js that was built without its debugger cannot end loops.
  new Worker(THREAD, { eval: true, workerData })
    .on('error', () => undefined)
    .on('message', ([file, line]: readonly [string, number]) => onLoop({ file, line }))
    .unref()
  setInterval(() => Atomics.add(state, BEATS, 1), BEAT).unref()
  const calls: (() => void)[] = []
  const { port1, port2 } = new MessageChannel()
  port1.on('message', () => calls.shift()?.())
  port1.unref()
  const later = (act: () => void): void => {
    calls.push(act)
    port2.postMessage(undefined)
  }
  callTimers(later)

  return {
    state,
    run: (act) => new Promise((resolve) => later(() => resolve((async () => act())()))),
  }
}

function tell(what: string): void {
  process.stderr.write(`pet-sandbox: ${withoutVersions(what)}\n`)
}

/**
 * Lets the process go on after an error that nobody handles, such as that of a promise for which a handler does not wait. An error of the
 * sandbox itself ends it, as without handlers.
 */
function surviveError(error: unknown): void {
  const text = (error instanceof Error && error.stack) || String(error)
  const files = filesIn(text)
  if (files.some((file) => file.startsWith(OWN)) && files.every(isOfOthers)) {
    tell(text)
    process.exit(1)
  }
  tell(`Code that a handler has started failed. ${text}`)
}

/** Whose code a file is: of Node, of the sandbox, or of a package. */
function isOfOthers(file: string): boolean {
  return file.startsWith(OWN) || /^node:|[\\/]node_modules[\\/]/.test(file)
}

/**
 * Calls the callbacks of timers that others than the sandbox have started by `call`. The process does not survive when what a timer itself
 * calls is ended.
 */
function callTimers(call: (act: () => void) => void): void {
  const functions: object = timers
  for (const kind of ['setTimeout', 'setInterval', 'setImmediate']) {
    const original: (...all: unknown[]) => unknown = Reflect.get(functions, kind)
    const start = (callback: unknown, ...rest: unknown[]): unknown => {
      if (callerOf(start).startsWith(OWN) || typeof callback !== 'function')
        return original(callback, ...rest)
      return original((...values: unknown[]) => call(() => callback(...values)), ...rest)
    }
    Object.defineProperties(start, Object.getOwnPropertyDescriptors(original))
    Reflect.set(functions, kind, start)
    Reflect.set(globalThis, kind, start)
  }
  syncBuiltinESMExports()
}

/** A place in a file as errors show it. A file that was loaded again has a query. */
function shownPlace(place: string, line: number): string {
  const [file = place] = place.split('?')
  return `${shownFile(file.startsWith('file:') ? fileURLToPath(file) : file)}:${line}`
}

/** The file that has called a function. */
function callerOf(called: (...all: unknown[]) => unknown): string {
  const { stackTraceLimit } = Error
  const found = { stack: '' }
  Error.stackTraceLimit = 1
  Error.captureStackTrace(found, called)
  Error.stackTraceLimit = stackTraceLimit

  return filesIn(found.stack)[0] ?? ''
}

/** The files of the lines of a stack. */
function filesIn(stack: string): readonly string[] {
  return [...stack.matchAll(/([^\s(]+):\d+:\d+\)?$/gm)].map(([, file = '']) => file)
}
