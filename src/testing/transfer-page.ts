import { setupWorker } from 'msw/browser'
import { handlers, strict } from 'pet-sandbox/msw'

declare global {
  /** Resolves when the ready handlers answer the page's requests. */
  var answering: Promise<unknown>
}

globalThis.answering = setupWorker(...handlers).start({ quiet: true, ...strict })
