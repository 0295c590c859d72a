import type { HttpHandler } from 'msw'
import { createSandbox, type ShippedSandbox } from '../sandbox/sandbox.ts'
import { handlersAtEveryOrigin } from './msw.ts'

/** A sandbox of the shipped contract, ready to use. */
export const sandbox: ShippedSandbox = /* @__PURE__ */ createSandbox()

/** The handlers of {@link sandbox}. They answer every origin below `/v1`. */
export const handlers: HttpHandler[] = /* @__PURE__ */ handlersAtEveryOrigin(sandbox)
