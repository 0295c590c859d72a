import { setupWorker } from 'msw/browser'
import { strict, toHandlers } from '../transports/msw.ts'
import { BASE, type Recording, replay, type Trace } from './replay.ts'

// What runs inside the page: the engine and MSW, whose Service Worker answers the page's own requests.
const worker = setupWorker()
const started = worker.start({ quiet: true, ...strict })

declare global {
  /** Tells a trace to the Service Worker. The page's tests call it. */
  function replayByWorker(trace: Trace): Promise<Recording>
}

globalThis.replayByWorker = async (trace) => {
  await started
  return await replay(trace, async (sandbox) => {
    worker.resetHandlers(...toHandlers(sandbox, { baseUrl: BASE }))
    return fetch
  })
}
