import { url as debuggerUrl } from 'node:inspector'
import { MessageChannel, Worker } from 'node:worker_threads'
import type {
  AnyHandler,
  HandlerContext,
  HandlerHook,
  HandlerMap,
  Handlers,
} from '../handlers/define-handlers.ts'
import { isHook } from '../handlers/select-handlers.ts'

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

/** Runs a handler. */
type Run = <Result>(act: () => Result | Promise<Result>) => Promise<Result>

/** One for all handlers that are loaded, also again. */
let thread: Run | undefined

function hookWith(run: Run, hook: HandlerHook): HandlerHook {
  return hook.when === 'before'
    ? { ...hook, run: (context: HandlerContext) => run(() => hook.run(context)) }
    : { ...hook, run: (context, answer) => run(() => hook.run(context, answer)) }
}

function mapWith(run: Run, map: HandlerMap): HandlerMap {
  const guarded = Object.entries(map).map(([name, handler]): [string, AnyHandler | undefined] => [
    name,
    handler && ((context: HandlerContext) => run(() => handler(context))),
  ])
  return Object.fromEntries(guarded)
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
  setInterval(() => Atomics.add(state, BEATS, 1), BEAT).unref()
  const calls: (() => void)[] = []
  const { port1, port2 } = new MessageChannel()
  port1.on('message', () => calls.shift()?.())
  port1.unref()

  return (act) =>
    new Promise((resolve) => {
      calls.push(() => {
        Atomics.store(state, STARTED, Atomics.load(state, BEATS))
        resolve((async () => act())())
      })
      port2.postMessage(undefined)
    })
}
